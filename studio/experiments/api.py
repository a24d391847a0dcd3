"""Experiments over the API: list, launch, read, cancel, and their trials."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from studio.agents.models import AgentVersion
from studio.datasets.models import DatasetVersion
from studio.experiments.cancel import cancel_experiment
from studio.experiments.launch import (
    Asked,
    ExperimentPlan,
    NothingToRun,
    launch_experiment,
)
from studio.experiments.models import Experiment
from studio.experiments.queries import Mean, listed, means_by_experiment, with_verdicts
from studio.experiments.trial_api import TrialList, TrialRead
from studio.scorers.models import Scorer, ScorerAttachment
from studio.web.paging import page_of
from studio.web.rest import PAGE_PARAMETERS, ProjectView, get_or_404


class AskedSerializer(serializers.Serializer[Any]):
    """A scorer to ask, and what is demanded of its mean."""

    scorer = serializers.SlugField()
    gate = serializers.BooleanField(default=False)
    min = serializers.FloatField(required=False, allow_null=True, default=None)
    max = serializers.FloatField(required=False, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The range is in order."""
        if attrs["min"] is not None and attrs["max"] is not None and attrs["min"] > attrs["max"]:
            raise serializers.ValidationError({"max": "The maximum is below the minimum."})
        return attrs


class LaunchSerializer(serializers.Serializer[Any]):
    """What a launch needs; versions default to the newest, scorers to the agent's own."""

    agent = serializers.SlugField()
    agent_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
    dataset = serializers.SlugField()
    dataset_version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)
    scorers = AskedSerializer(many=True, required=False)
    trials_per_item = serializers.IntegerField(min_value=1, max_value=100, default=1)
    concurrency = serializers.IntegerField(min_value=1, max_value=1000, default=10)
    item_timeout_s = serializers.FloatField(min_value=0.1, max_value=86_400, default=120)
    name = serializers.CharField(max_length=160, allow_blank=True, default="")
    note = serializers.CharField(max_length=10_000, allow_blank=True, default="")


class MeanSerializer(serializers.Serializer[Mean]):
    """One scorer's mean; `of` says how many trials there are to score."""

    scorer = serializers.CharField(source="slug")
    name = serializers.CharField()
    version = serializers.IntegerField(source="number")
    mean = serializers.FloatField(allow_null=True)
    scored = serializers.IntegerField()
    of = serializers.IntegerField()
    not_scorable = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]
    errors_as_zero = serializers.FloatField(source="with_zeros", allow_null=True)
    gate = serializers.BooleanField(source="is_gate")
    min = serializers.FloatField(source="minimum", allow_null=True)
    max = serializers.FloatField(source="maximum", allow_null=True)


class ExperimentSerializer(serializers.ModelSerializer[Experiment]):
    """An experiment with its counters and means."""

    agent = serializers.CharField(source="agent_version.agent.slug")
    agent_version = serializers.IntegerField(source="agent_version.number")
    dataset = serializers.SerializerMethodField()
    dataset_version = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    scorers = serializers.SerializerMethodField()

    class Meta:
        model = Experiment
        fields = (
            "id", "name", "note", "agent", "agent_version", "dataset", "dataset_version", "state",
            "total", "done", "failed", "cancelled", "trials_per_item", "concurrency",
            "item_timeout_s", "verdict", "scorers", "created_at", "started_at", "finished_at",
        )  # fmt: skip

    def get_dataset(self, experiment: Experiment) -> str | None:
        """The dataset's slug; none when it is deleted."""
        version = experiment.dataset_version
        return version.dataset.slug if version else None

    def get_dataset_version(self, experiment: Experiment) -> int | None:
        """The number of the dataset version."""
        return experiment.dataset_version.number if experiment.dataset_version else None

    def get_verdict(self, experiment: Experiment) -> str | None:
        """passed, scored, failed; none without gates and thresholds or before the end."""
        return experiment.verdict or None

    @extend_schema_field(MeanSerializer(many=True))
    def get_scorers(self, experiment: Experiment) -> Any:
        """What every asked scorer said on average."""
        return MeanSerializer(self.context["means"][experiment.pk], many=True).data


class ExperimentPageSerializer(serializers.Serializer[Any]):
    """One page of experiments."""

    results = ExperimentSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


def shown(experiments: list[Experiment], *, one: bool = False) -> Any:
    """Experiments as the API answers them, with one query for all their means."""
    context = {"means": means_by_experiment(experiments)}
    data = ExperimentSerializer(experiments, many=True, context=context).data
    return data[0] if one else data


def asked_from(project: Any, agent_id: int, wanted: list[dict[str, Any]] | None) -> list[Asked]:
    """The scorers of a launch: those named, or the ones that the agent is judged by."""
    if wanted is None:
        rows = ScorerAttachment.objects.filter(agent=agent_id, scorer__archived_at=None)
        return [
            Asked(row.scorer.version, row.is_gate, row.threshold_min, row.threshold_max)
            for row in rows.select_related("scorer__version").order_by("scorer__name", "pk")
            if row.scorer.version is not None
        ]
    rows_by_slug = Scorer.objects.filter(
        project=project, archived_at=None, slug__in=[each["scorer"] for each in wanted]
    ).select_related("version")
    known = {row.slug: row.version for row in rows_by_slug if row.version is not None}
    unknown = [each["scorer"] for each in wanted if each["scorer"] not in known]
    if unknown:
        raise serializers.ValidationError({"scorers": [f"Unknown: {', '.join(unknown)}."]})
    return [Asked(known[e["scorer"]], e["gate"], e["min"], e["max"]) for e in wanted]


def version_of(rows: QuerySet[Any], wanted: int | None, field: str) -> Any:
    """The version of a number, else the newest; unknown ones are refused by field."""
    found = (rows.filter(number=wanted) if wanted else rows.order_by("-number")).first()
    if found is None:
        raise serializers.ValidationError({field: ["There is no such version."]})
    return found


def plan_from(view: ProjectView, request: Request) -> ExperimentPlan:
    """The plan that a request body asks for."""
    body = LaunchSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    values, project = body.validated_data, view.project
    agents = AgentVersion.objects.filter(agent__project=project, agent__slug=values["agent"])
    datasets = DatasetVersion.objects.filter(
        dataset__project=project, dataset__slug=values["dataset"]
    )
    agent_version = version_of(
        agents.filter(agent__archived_at=None).select_related("agent"),
        values.get("agent_version"), "agent",
    )  # fmt: skip
    return ExperimentPlan(
        project=project,
        agent_version=agent_version,
        dataset_version=version_of(
            datasets.select_related("dataset"), values.get("dataset_version"), "dataset"
        ),
        asked=asked_from(project, agent_version.agent_id, values.get("scorers")),
        trials_per_item=values["trials_per_item"],
        concurrency=values["concurrency"],
        item_timeout_s=values["item_timeout_s"],
        name=values["name"],
        note=values["note"],
        author=request.user,
        idempotency_key=request.headers.get("Idempotency-Key", "").strip()[:120],
    )


class ExperimentList(ProjectView):
    """All experiments of a project."""

    @extend_schema(
        operation_id="experiments_list", responses=ExperimentPageSerializer, tags=["experiments"],
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("q", str, description="Text in name or note."),
            OpenApiParameter("state", str, enum=Experiment.State.values),
            OpenApiParameter("verdict", str, enum=["passed", "scored", "failed"]),
            OpenApiParameter("agent", str, description="Slug of the agent."),
            OpenApiParameter("dataset", str, description="Slug of the dataset."),
        ],
    )  # fmt: skip
    def get(self, request: Request, project: str) -> Response:
        """One page of experiments, the latest first."""
        params = request.query_params
        page = page_of(params, listed(self.project, params))
        rows = shown(list(page.rows))
        return Response({"results": rows, "next": page.older, "previous": page.newer})

    @extend_schema(
        operation_id="experiments_launch", request=LaunchSerializer, tags=["experiments"],
        responses={201: ExperimentSerializer, 200: ExperimentSerializer},
        parameters=[
            OpenApiParameter(
                "Idempotency-Key", str, OpenApiParameter.HEADER,
                description="A repeated key launches once; the repeat answers 200.",
            ),
        ],
    )  # fmt: skip
    def post(self, request: Request, project: str) -> Response:
        """Launch an experiment."""
        plan = plan_from(self, request)
        key = plan.idempotency_key
        repeat = bool(key) and self.project.experiments.filter(idempotency_key=key).exists()
        try:
            experiment = launch_experiment(plan)
        except NothingToRun as error:
            raise serializers.ValidationError({"": [str(error)]}) from error
        return Response(shown([experiment], one=True), status=200 if repeat else 201)


class ExperimentRead(ProjectView):
    """One experiment."""

    @extend_schema(
        operation_id="experiments_read",
        responses=ExperimentSerializer,
        tags=["experiments"],
    )
    def get(self, request: Request, project: str, pk: int) -> Response:
        """An experiment with its counters, means and verdict."""
        rows = with_verdicts(self.project)
        return Response(shown([get_or_404(rows, pk=pk)], one=True))  # type: ignore[list-item]


class ExperimentCancel(ProjectView):
    """Stopping one experiment."""

    @extend_schema(
        operation_id="experiments_cancel", request=None, responses=ExperimentSerializer,
        tags=["experiments"],
    )  # fmt: skip
    def post(self, request: Request, project: str, pk: int) -> Response:
        """Stop it; what has been scored stays. An ended one is answered as it is."""
        rows = with_verdicts(self.project)
        cancel_experiment(get_or_404(rows, pk=pk), request.user)  # type: ignore[arg-type]
        return Response(shown([get_or_404(rows, pk=pk)], one=True))  # type: ignore[list-item]


urlpatterns = [
    path("", ExperimentList.as_view(), name="api-experiments"),
    path("<int:pk>/", ExperimentRead.as_view(), name="api-experiment"),
    path("<int:pk>/cancel/", ExperimentCancel.as_view(), name="api-experiment-cancel"),
    path("<int:pk>/trials/", TrialList.as_view(), name="api-trials"),
    path("<int:pk>/trials/<int:trial_pk>/", TrialRead.as_view(), name="api-trial"),
]
