"""The trials of an experiment over the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studio.experiments.models import Experiment, Trial
from studio.experiments.place_queries import OUTCOMES
from studio.experiments.queries import means_of
from studio.experiments.trial_queries import Cell, TrialRow, trial_page, with_cells
from studio.web.paging import MAX_PAGE_SIZE, PAGE_SIZE, number
from studio.web.rest import ProjectView, get_or_404


class CellSerializer(serializers.Serializer[Cell]):
    """What one scorer says; `value` is null unless the outcome is scored."""

    scorer = serializers.CharField(source="slug")
    outcome = serializers.CharField()
    score_id = serializers.IntegerField(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    passed = serializers.BooleanField(allow_null=True)
    reason = serializers.CharField()


class TrialSerializer(serializers.Serializer[TrialRow]):
    """A trial with one entry for every scorer that was asked."""

    id = serializers.IntegerField(source="trial.pk")
    item_id = serializers.CharField(source="trial.item.item_id")
    external_id = serializers.CharField(source="trial.item.external_id")
    repetition = serializers.IntegerField(source="trial.repetition")
    state = serializers.CharField(source="trial.state")
    error_kind = serializers.CharField(source="trial.error_kind")
    error = serializers.CharField(source="trial.error")
    input_preview = serializers.CharField(source="trial.item.input_preview")
    output_preview = serializers.CharField(source="trial.output_preview")
    trace_id = serializers.CharField(source="trial.trace.trace_id", default=None, allow_null=True)
    duration_ms = serializers.FloatField(source="trial.duration_ms", allow_null=True)
    input_tokens = serializers.IntegerField(source="trial.input_tokens", allow_null=True)
    output_tokens = serializers.IntegerField(source="trial.output_tokens", allow_null=True)
    finished_at = serializers.DateTimeField(source="trial.finished_at", allow_null=True)
    scores = CellSerializer(source="cells", many=True)


class TrialDetailSerializer(TrialSerializer):
    """A trial with all of what was asked, answered and wanted."""

    input = serializers.JSONField(source="trial.item.input", allow_null=True)
    has_ground_truth = serializers.BooleanField(source="trial.item.has_ground_truth")
    ground_truth = serializers.JSONField(source="trial.item.ground_truth", allow_null=True)
    output = serializers.JSONField(source="trial.trace.output", default=None, allow_null=True)


class TrialPageSerializer(serializers.Serializer[Any]):
    """One page of trials."""

    results = TrialSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class TrialList(ProjectView):
    """The trials of one experiment."""

    @extend_schema(
        operation_id="trials_list", responses=TrialPageSerializer, tags=["experiments"],
        parameters=[
            OpenApiParameter("outcome", str, enum=list(OUTCOMES)),
            OpenApiParameter("scorer", str, description="Slug: order and filter by this scorer."),
            OpenApiParameter("q", str, description="Text in input, answer or error."),
            OpenApiParameter("before", str, description="Rows after this place in list order."),
            OpenApiParameter("after", str, description="Rows before this place in list order."),
            OpenApiParameter("limit", int, description="Rows a page, 1 to 200; default 50."),
        ],
    )  # fmt: skip
    def get(self, request: Request, project: str, pk: int) -> Response:
        """One page of trials, failures first."""
        experiment: Any = get_or_404(Experiment.objects.filter(project=self.project), pk=pk)
        params = request.query_params
        size = max(1, number(params.get("limit"), PAGE_SIZE, MAX_PAGE_SIZE))
        page = trial_page(experiment, means_of(experiment), params, size)
        rows = TrialSerializer(page.rows, many=True).data  # type: ignore[arg-type]
        return Response({"results": rows, "next": page.older, "previous": page.newer})


class TrialRead(ProjectView):
    """One trial."""

    @extend_schema(
        operation_id="trials_read",
        responses=TrialDetailSerializer,
        tags=["experiments"],
    )
    def get(self, request: Request, project: str, pk: int, trial_pk: int) -> Response:
        """A trial with its input, answer, ground truth and every score."""
        rows = Trial.objects.select_related("experiment", "item", "trace")
        mine = rows.filter(experiment__project=self.project, experiment_id=pk)
        trial: Any = get_or_404(mine, pk=trial_pk)
        row = with_cells([trial], means_of(trial.experiment))[0]
        return Response(TrialDetailSerializer(row).data)
