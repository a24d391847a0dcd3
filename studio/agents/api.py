"""Agents, their versions and connections as JSON; a key goes in and never comes out."""

from __future__ import annotations

from typing import Any, cast

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from studio.accounts.audit import record
from studio.agents.connections import ConnectionDraft, save_connection
from studio.agents.errors import ConnectionRefused
from studio.agents.forms import checked_parameters
from studio.agents.make import AgentDraft, change_agent, create_agent
from studio.agents.models import Agent, AgentVersion, ProviderConnection
from studio.agents.queries import agent_rows, agents_of, connections_of
from studio.web.rest import PAGE_PARAMETERS, ProjectView, get_or_404


class AgentVersionSerializer(serializers.ModelSerializer[AgentVersion]):
    """One frozen definition of an agent."""

    class Meta:
        model = AgentVersion
        fields = ("number", "hash", "label", "spec", "created_at")


class AgentSerializer(serializers.ModelSerializer[Agent]):
    """An agent as a list shows it."""

    version = serializers.IntegerField(source="version.number", default=None)
    connection = serializers.CharField(source="connection.name", default=None)

    class Meta:
        model = Agent
        fields: tuple[str, ...] = (
            "slug", "name", "description", "kind", "type", "version", "connection", "created_at",
        )  # fmt: skip


class AgentDetailSerializer(AgentSerializer):
    """An agent with its current definition."""

    version = AgentVersionSerializer(allow_null=True)  # type: ignore[assignment]


class AgentDraftSerializer(serializers.Serializer[Any]):
    """A new agent, or a new version of one, behind an OpenAI-compatible API."""

    name = serializers.CharField(max_length=120)
    connection = serializers.CharField(max_length=80, help_text="The connection's name.")
    model = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True, max_length=1000)
    instructions = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=100_000
    )
    parameters = serializers.JSONField(required=False)
    label = serializers.CharField(  # type: ignore[assignment]
        required=False, allow_blank=True, max_length=80
    )

    def validate_connection(self, name: str) -> ProviderConnection:
        """The project's connection of that name."""
        found = ProviderConnection.objects.filter(project=self.context["project"], name=name)
        connection = found.first()
        if connection is None:
            raise serializers.ValidationError("There is no connection of that name.")
        return connection

    def validate_parameters(self, value: Any) -> dict[str, Any]:
        """A JSON object that leaves the model and the messages alone."""
        try:
            return checked_parameters(value)
        except ValidationError as error:
            raise serializers.ValidationError(error.messages) from error


class ConnectionSerializer(serializers.ModelSerializer[ProviderConnection]):
    """Where a model lives; of its key only the end is told."""

    key_hint = serializers.CharField(read_only=True)
    key = serializers.CharField(
        write_only=True, required=False, allow_blank=True, max_length=1000,
        help_text="Stored encrypted. Without it a new base URL removes the old key.",
    )  # fmt: skip

    class Meta:
        model = ProviderConnection
        fields = ("id", "name", "base_url", "key", "key_hint", "created_at")


def paged(serializer: type[serializers.BaseSerializer[Any]], name: str) -> Any:
    """The schema of one page of something."""
    text = {"next": serializers.CharField(allow_null=True)}
    fields = {"results": serializer(many=True), **text}
    return type(name, (serializers.Serializer,), fields | {"previous": text["next"]})


class AgentList(ProjectView):
    """The project's agents."""

    @extend_schema(
        operation_id="agents_list",
        tags=["agents"],
        parameters=PAGE_PARAMETERS,
        responses=paged(AgentSerializer, "AgentPage"),
    )
    def get(self, _request: Request, **_kwargs: str) -> Response:
        """One page of agents, newest first."""
        return self.page(agents_of(self.project), AgentSerializer)

    @extend_schema(
        operation_id="agents_create",
        tags=["agents"],
        request=AgentDraftSerializer,
        responses={201: AgentDetailSerializer},
    )
    def post(self, request: Request, **_kwargs: str) -> Response:
        """Make an agent behind an OpenAI-compatible API."""
        draft = draft_of(self, request)
        agent = create_agent(self.project, draft, request.user)  # type: ignore[arg-type]
        record("agent made", actor=request.user, project=self.project, target=agent)
        return Response(AgentDetailSerializer(agent).data, status=status.HTTP_201_CREATED)


def draft_of(view: ProjectView, request: Request) -> AgentDraft:
    """What the body says about an agent."""
    said = AgentDraftSerializer(data=request.data, context={"project": view.project})
    said.is_valid(raise_exception=True)
    return AgentDraft(**said.validated_data)


def agent_or_404(agents: QuerySet[Agent], slug: str) -> Agent:
    """The one agent of that name."""
    return cast(Agent, get_or_404(agents, slug=slug))


class AgentDetail(ProjectView):
    """One agent."""

    @extend_schema(operation_id="agents_read", tags=["agents"], responses=AgentDetailSerializer)
    def get(self, _request: Request, slug: str, **_kwargs: str) -> Response:
        """An agent with its current definition."""
        agent = agent_or_404(agent_rows(self.project), slug)
        return Response(AgentDetailSerializer(agent).data)


class AgentVersions(ProjectView):
    """The versions of one agent."""

    @extend_schema(
        operation_id="agents_versions_list",
        tags=["agents"],
        parameters=PAGE_PARAMETERS,
        responses=paged(AgentVersionSerializer, "AgentVersionPage"),
    )
    def get(self, _request: Request, slug: str, **_kwargs: str) -> Response:
        """One page of versions, newest first."""
        agent = agent_or_404(agent_rows(self.project), slug)
        return self.page(AgentVersion.objects.filter(agent=agent), AgentVersionSerializer)

    @extend_schema(
        operation_id="agents_versions_create",
        tags=["agents"],
        request=AgentDraftSerializer,
        responses={201: AgentVersionSerializer},
    )
    def post(self, request: Request, slug: str, **_kwargs: str) -> Response:
        """Change an agent behind an API; the same definition gives the version it had."""
        agents = agent_rows(self.project).filter(kind=Agent.Kind.OPENAI)
        agent = agent_or_404(agents, slug)
        draft = draft_of(self, request)
        version = change_agent(agent, draft, request.user)  # type: ignore[arg-type]
        record("agent changed", actor=request.user, project=self.project, target=agent)
        return Response(AgentVersionSerializer(version).data, status=status.HTTP_201_CREATED)


class ConnectionList(ProjectView):
    """The project's connections."""

    @extend_schema(
        operation_id="connections_list",
        tags=["agents"],
        parameters=PAGE_PARAMETERS,
        responses=paged(ConnectionSerializer, "ConnectionPage"),
    )
    def get(self, _request: Request, **_kwargs: str) -> Response:
        """One page of connections without their keys."""
        return self.page(connections_of(self.project), ConnectionSerializer)

    @extend_schema(
        operation_id="connections_create",
        tags=["agents"],
        request=ConnectionSerializer,
        responses={201: ConnectionSerializer},
    )
    def post(self, request: Request, **_kwargs: str) -> Response:
        """Make a connection."""
        return Response(saved(self, request, None), status=status.HTTP_201_CREATED)


class ConnectionDetail(ProjectView):
    """One connection."""

    @extend_schema(
        operation_id="connections_update",
        tags=["agents"],
        request=ConnectionSerializer,
        responses=ConnectionSerializer,
    )
    def put(self, request: Request, pk: int, **_kwargs: str) -> Response:
        """Change a connection; without a key another address loses the old one."""
        connection = get_or_404(self.project.connections.all(), pk=pk)
        return Response(saved(self, request, connection))


def saved(view: ProjectView, request: Request, connection: Any) -> Any:
    """Save what the body says about a connection, and tell it."""
    said = ConnectionSerializer(data=request.data)
    said.is_valid(raise_exception=True)
    draft = ConnectionDraft(**said.validated_data)
    try:
        row = save_connection(view.project, draft, connection, request.user)  # type: ignore[arg-type]
    except ConnectionRefused as error:
        raise exceptions.ValidationError({"base_url": [str(error)]}) from error
    record("connection saved", actor=request.user, project=view.project, target=row)
    return ConnectionSerializer(row).data


urlpatterns = [
    path("", AgentList.as_view(), name="api-agents"),
    path("connections/", ConnectionList.as_view(), name="api-connections"),
    path("connections/<int:pk>/", ConnectionDetail.as_view(), name="api-connection"),
    path("<slug:slug>/", AgentDetail.as_view(), name="api-agent"),
    path("<slug:slug>/versions/", AgentVersions.as_view(), name="api-agent-versions"),
]
