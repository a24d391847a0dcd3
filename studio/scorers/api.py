"""The API of scorers: definitions, scores and attachments."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studio.accounts import audit
from studio.scorers.forms import ScoreFilterForm
from studio.scorers.models import Score, Scorer, ScorerAttachment, ScorerVersion
from studio.scorers.queries import scorers_of
from studio.scorers.save import (
    AttachmentRefused,
    CheckRefused,
    attach_scorer,
    detach_scorer,
    save_check,
    save_version,
)
from studio.web.rest import PAGE_PARAMETERS, ProjectView, get_or_404

FILTERS = [
    OpenApiParameter("outcome", str, enum=Score.Outcome.values),
    OpenApiParameter("min", float, description="Lowest value."),
    OpenApiParameter("max", float, description="Highest value."),
    OpenApiParameter("below", float, description="Values under this one only."),
    OpenApiParameter("agent", str, description="The agent's slug."),
    OpenApiParameter("source", str),
    OpenApiParameter("version", int, description="The scorer version's number."),
    OpenApiParameter("since", str, description="A day or an ISO 8601 moment."),
    OpenApiParameter("until", str, description="A day (all of it) or an ISO 8601 moment."),
    OpenApiParameter("experiment", int, description="The experiment's id."),
]


class ScorerVersionSerializer(serializers.ModelSerializer[ScorerVersion]):
    """One frozen definition."""

    class Meta:
        model = ScorerVersion
        fields = ("number", "hash", "name", "description", "spec", "subject", "direction",
                  "scale_min", "scale_max", "created_at")  # fmt: skip


class ScorerSerializer(serializers.ModelSerializer[Scorer]):
    """A scorer and its current definition."""

    version = ScorerVersionSerializer(read_only=True)

    class Meta:
        model = Scorer
        fields = ("slug", "name", "description", "kind", "source", "version", "created_at")


class CheckSerializer(serializers.Serializer[Any]):
    """A check to keep."""

    kind = serializers.CharField(max_length=80)
    arguments = serializers.DictField(default=dict)
    name = serializers.CharField(max_length=160, required=False, default="", allow_blank=True)


class CheckChangeSerializer(serializers.Serializer[Any]):
    """Another definition of a check."""

    arguments = serializers.DictField()
    name = serializers.CharField(max_length=160, required=False, default="", allow_blank=True)


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """A score as a list shows it."""

    scorer = serializers.CharField(source="scorer.slug")
    version = serializers.IntegerField(source="scorer_version.number")
    agent = serializers.CharField(source="agent.slug", default=None)
    trace_id = serializers.CharField(source="trace.trace_id")

    class Meta:
        model = Score
        fields = ("id", "scorer", "version", "outcome", "value", "label", "reason_preview",
                  "error_kind", "source", "agent", "trace_id", "experiment_id", "trial_id",
                  "created_at")  # fmt: skip


class WholeScoreSerializer(ScoreSerializer):
    """A score with everything behind it."""

    input = serializers.JSONField(source="trace.input")
    output = serializers.JSONField(source="trace.output")

    class Meta:
        model = Score
        fields = (*ScoreSerializer.Meta.fields, "reason", "steps", "prompts", "judge",
                  "duration_ms", "input", "output")  # fmt: skip


class AttachmentSerializer(serializers.ModelSerializer[ScorerAttachment]):
    """On which terms a scorer judges an agent."""

    agent = serializers.SlugField(source="agent.slug")

    class Meta:
        model = ScorerAttachment
        fields = ("id", "agent", "is_gate", "threshold_min", "threshold_max", "source")
        read_only_fields = ("id", "source")


def page_schema(name: str, of: type[serializers.BaseSerializer[Any]]) -> Any:
    """The answer of a list, for the API's description."""
    return type(
        name,
        (serializers.Serializer,),
        {
            "__doc__": "One page.",
            "results": of(many=True),
            "next": serializers.CharField(allow_null=True),
            "previous": serializers.CharField(allow_null=True),
        },
    )


ScorerPage = page_schema("ScorerPage", ScorerSerializer)
ScorePage = page_schema("ScorePage", ScoreSerializer)
AttachmentPage = page_schema("ScorerAttachmentPage", AttachmentSerializer)


def as_author(request: Request) -> Any:
    """Who calls; the permission check has let nobody anonymous through."""
    return request.user


class ScorerView(ProjectView):
    """A view of one scorer."""

    def scorer(self, slug: str) -> Any:
        """The project's scorer, or 404."""
        rows = Scorer.objects.filter(project=self.project).select_related("version")
        return get_or_404(rows, slug=slug)


class ScorerList(ProjectView):
    """All scorers, and new checks."""

    @extend_schema(operation_id="scorers_list", responses=ScorerPage, parameters=PAGE_PARAMETERS)
    def get(self, request: Request, project: str) -> Response:
        """The project's scorers, oldest first."""
        return self.page(scorers_of(self.project), ScorerSerializer, newest=False)

    @extend_schema(
        operation_id="scorers_create", request=CheckSerializer, responses={201: ScorerSerializer}
    )
    def post(self, request: Request, project: str) -> Response:
        """Keep a check; the same definition again answers the same scorer."""
        asked = CheckSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        values = asked.validated_data
        try:
            scorer = save_check(
                self.project, values["kind"], values["arguments"],
                name=values["name"], author=as_author(request),
            )  # fmt: skip
        except CheckRefused as error:
            raise exceptions.ValidationError({"arguments": [str(error)]}) from error
        audit.record("save check", actor=request.user, project=self.project, target=scorer)
        return Response(ScorerSerializer(scorer).data, status=201)


class ScorerDetail(ScorerView):
    """One scorer."""

    @extend_schema(operation_id="scorers_read", responses=ScorerSerializer)
    def get(self, request: Request, project: str, slug: str) -> Response:
        """The scorer and its current definition."""
        return Response(ScorerSerializer(self.scorer(slug)).data)


class ScorerVersions(ScorerView):
    """The versions of one scorer."""

    @extend_schema(
        operation_id="scorers_versions_list",
        responses=page_schema("ScorerVersionPage", ScorerVersionSerializer),
        parameters=PAGE_PARAMETERS,
    )
    def get(self, request: Request, project: str, slug: str) -> Response:
        """Every definition it had, newest first."""
        return self.page(self.scorer(slug).versions.all(), ScorerVersionSerializer)

    @extend_schema(
        operation_id="scorers_versions_create",
        request=CheckChangeSerializer,
        responses={201: ScorerVersionSerializer},
    )
    def post(self, request: Request, project: str, slug: str) -> Response:
        """Another definition as a new version; the same one stays the version it is."""
        scorer = self.scorer(slug)
        asked = CheckChangeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            version = save_version(scorer, **asked.validated_data, author=as_author(request))
        except CheckRefused as error:
            raise exceptions.ValidationError({"arguments": [str(error)]}) from error
        audit.record("save check", actor=request.user, project=self.project, target=scorer)
        return Response(ScorerVersionSerializer(version).data, status=201)


class ScoreList(ScorerView):
    """The scores of one scorer."""

    @extend_schema(
        operation_id="scores_list", responses=ScorePage, parameters=[*FILTERS, *PAGE_PARAMETERS]
    )
    def get(self, request: Request, project: str, slug: str) -> Response:
        """Scores that fit the filters, newest first."""
        form = ScoreFilterForm(request.query_params, project=self.project)
        if not form.is_valid():
            raise exceptions.ValidationError(
                {name: [str(e) for e in found] for name, found in form.errors.items()}
            )
        scores = Score.objects.filter(scorer=self.scorer(slug)).standing().for_list()
        return self.page(form.wanted().of(scores), ScoreSerializer)


class ScoreDetail(ScorerView):
    """One score."""

    @extend_schema(operation_id="scores_read", responses=WholeScoreSerializer)
    def get(self, request: Request, project: str, slug: str, pk: int) -> Response:
        """A score with its steps, prompts, and what the agent saw and said."""
        rows = Score.objects.filter(scorer=self.scorer(slug))
        rows = rows.select_related("scorer", "scorer_version", "agent", "trace")
        score: Any = get_or_404(rows, pk=pk)
        return Response(WholeScoreSerializer(score).data)


class AttachmentList(ScorerView):
    """The agents that a scorer judges."""

    @extend_schema(
        operation_id="scorers_attachments_list",
        responses=AttachmentPage,
        parameters=PAGE_PARAMETERS,
    )
    def get(self, request: Request, project: str, slug: str) -> Response:
        """Where the scorer is attached."""
        rows = self.scorer(slug).attachments.select_related("agent")
        return self.page(rows, AttachmentSerializer, newest=False)

    @extend_schema(
        operation_id="scorers_attachments_create",
        request=AttachmentSerializer,
        responses={201: AttachmentSerializer},
    )
    def post(self, request: Request, project: str, slug: str) -> Response:
        """Judge an agent by the scorer; again changes the terms."""
        scorer = self.scorer(slug)
        asked = AttachmentSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        terms = dict(asked.validated_data)
        agent = self.project.agents.filter(slug=terms.pop("agent")["slug"]).first()
        if agent is None:
            raise exceptions.ValidationError({"agent": ["There is no such agent."]})
        try:
            attachment = attach_scorer(agent, scorer, **terms)
        except AttachmentRefused as error:
            raise exceptions.ValidationError({"threshold_max": [str(error)]}) from error
        audit.record("attach scorer", actor=request.user, project=self.project, target=attachment)
        return Response(AttachmentSerializer(attachment).data, status=201)


class AttachmentDetail(ScorerView):
    """One attachment."""

    @extend_schema(operation_id="scorers_attachments_delete", responses={204: None})
    def delete(self, request: Request, project: str, slug: str, pk: int) -> Response:
        """Judge the agent by the scorer no longer."""
        attachment: Any = get_or_404(self.scorer(slug).attachments.all(), pk=pk)
        audit.record("detach scorer", actor=request.user, project=self.project, target=attachment)
        try:
            detach_scorer(attachment)
        except AttachmentRefused as error:
            raise exceptions.ValidationError({"source": [str(error)]}) from error
        return Response(status=204)


urlpatterns = [
    path("", ScorerList.as_view(), name="api-scorers"),
    path("<slug:slug>/", ScorerDetail.as_view(), name="api-scorer"),
    path("<slug:slug>/versions/", ScorerVersions.as_view(), name="api-scorer-versions"),
    path("<slug:slug>/scores/", ScoreList.as_view(), name="api-scores"),
    path("<slug:slug>/scores/<int:pk>/", ScoreDetail.as_view(), name="api-score"),
    path("<slug:slug>/attachments/", AttachmentList.as_view(), name="api-attachments"),
    path("<slug:slug>/attachments/<int:pk>/", AttachmentDetail.as_view(), name="api-attachment"),
]
