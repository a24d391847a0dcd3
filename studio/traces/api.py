"""Traces as JSON."""

from __future__ import annotations

from typing import Any, cast

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studio.traces.models import Source, Span, Status, Trace
from studio.traces.queries import filtered
from studio.web.rest import PAGE_PARAMETERS, ProjectView, get_or_404

LIST_FIELDS = (
    "trace_id", "name", "agent", "agent_version", "source", "status", "started_at", "duration_ms",
    "input_preview", "output_preview", "input_tokens", "output_tokens", "cost",
)  # fmt: skip


class TraceSerializer(serializers.ModelSerializer[Trace]):
    """A trace as a list shows it."""

    agent = serializers.SlugField(source="agent_version.agent.slug", default=None)
    agent_version = serializers.IntegerField(source="agent_version.number", default=None)

    class Meta:
        model = Trace
        fields: tuple[str, ...] = LIST_FIELDS


class SpanSerializer(serializers.ModelSerializer[Span]):
    """One step of a trace."""

    class Meta:
        model = Span
        fields = (
            "span_id", "parent_id", "kind", "name", "started_at", "duration_ms", "status",
            "error", "attributes", "input", "output",
        )  # fmt: skip


class TraceDetailSerializer(TraceSerializer):
    """A whole trace with its spans."""

    spans = SpanSerializer(many=True)

    class Meta(TraceSerializer.Meta):
        fields = (
            *LIST_FIELDS, "error", "input", "output", "request_context", "metadata", "thread",
            "complete", "sanitized", "truncated", "spans",
        )  # fmt: skip


class TracePageSerializer(serializers.Serializer[Any]):
    """One page of traces."""

    results = TraceSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class TraceList(ProjectView):
    """Traces, newest first."""

    @extend_schema(
        operation_id="traces_list",
        tags=["traces"],
        responses=TracePageSerializer,
        parameters=[
            OpenApiParameter("status", str, enum=Status.values),
            OpenApiParameter("source", str, enum=Source.values),
            OpenApiParameter("agent", str, description="An agent's slug."),
            OpenApiParameter("q", str, description="Part of a trace's name."),
            *PAGE_PARAMETERS,
        ],
    )
    def get(self, request: Request, **_kwargs: str) -> Response:
        """One page of traces without their bodies."""
        return self.page(filtered(self.project, request.query_params), TraceSerializer)


class TraceDetail(ProjectView):
    """One trace."""

    @extend_schema(operation_id="traces_read", tags=["traces"], responses=TraceDetailSerializer)
    def get(self, _request: Request, trace_id: str, **_kwargs: str) -> Response:
        """A whole trace with its spans in the order in which they were stored."""
        rows = Trace.objects.filter(project=self.project).select_related("agent_version__agent")
        trace = cast(Trace, get_or_404(rows.prefetch_related("spans"), trace_id=trace_id))
        return Response(TraceDetailSerializer(trace).data)


urlpatterns = [
    path("", TraceList.as_view(), name="api-traces"),
    path("<slug:trace_id>/", TraceDetail.as_view(), name="api-trace"),
]
