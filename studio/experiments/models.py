"""Experiments and their trials."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from studio.accounts.models import Project
from studio.agents.models import Agent, AgentVersion
from studio.datasets.models import PREVIEW_LENGTH, DatasetItem, DatasetVersion
from studio.scorers.models import ScorerVersion
from studio.traces.models import Trace
from studio.web.claims import Claimable, WorkState


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    """Named selections of experiments."""

    def newest_first(self) -> "ExperimentQuerySet":
        """By launch, the latest on top."""
        return self.order_by("-pk")

    def open(self) -> "ExperimentQuerySet":
        """Those that have not ended."""
        return self.filter(finished_at=None)

    def for_list(self) -> "ExperimentQuerySet":
        """With the names that a list shows."""
        return self.select_related("agent_version__agent", "dataset_version__dataset").defer(
            "agent_version__spec", "verdict_detail"
        )


class Experiment(models.Model):
    """Scorers over one dataset version by one agent version."""

    class State(models.TextChoices):
        """Where it stands."""

        WAITING = "waiting"
        RUNNING = "running"
        COMPLETED = "completed"
        COMPLETED_WITH_ERRORS = "completed_with_errors", "completed with errors"
        CANCELLED = "cancelled"
        FAILED = "failed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="experiments")
    name = models.CharField(max_length=160)
    note = models.TextField(blank=True)
    dataset_version = models.ForeignKey(
        DatasetVersion, models.SET_NULL, null=True, related_name="experiments"
    )
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="experiments")
    agent_version = models.ForeignKey(AgentVersion, models.CASCADE, related_name="experiments")
    trials_per_item = models.PositiveIntegerField(default=1)
    concurrency = models.PositiveIntegerField(default=10)
    item_timeout_s = models.FloatField(default=120)
    state = models.CharField(max_length=24, choices=State.choices, default=State.WAITING)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    verdict = models.CharField(max_length=10, blank=True)
    verdict_detail = models.JSONField(default=dict)
    idempotency_key = models.CharField(max_length=120, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    objects = ExperimentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="experiment_key_once",
            ),
            models.CheckConstraint(
                condition=Q(total__gte=F("done") + F("failed") + F("cancelled")),
                name="experiment_counts_fit",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="experiment_list")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        """It may still change."""
        return self.finished_at is None


class ExperimentScorer(models.Model):
    """One scorer version that an experiment asks, and what it demands of it."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="asked")
    scorer_version = models.ForeignKey(ScorerVersion, models.RESTRICT)
    position = models.PositiveSmallIntegerField()
    is_gate = models.BooleanField(default=False)
    threshold_min = models.FloatField(null=True, blank=True)
    threshold_max = models.FloatField(null=True, blank=True)
    # Derived from the scores in the transaction that writes them.
    scored = models.PositiveIntegerField(default=0)
    not_scorable = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    mean = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["experiment", "scorer_version"], name="experiment_scorer_once"
            ),
        ]

    def __str__(self) -> str:
        return str(self.scorer_version)


class Trial(Claimable):
    """One item answered once: one repetition."""

    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="trials")
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="trials")
    repetition = models.PositiveIntegerField(default=1)
    trace = models.ForeignKey(Trace, models.SET_NULL, null=True, blank=True, related_name="trials")
    error_kind = models.CharField(max_length=60, blank=True)
    error = models.TextField(blank=True)
    duration_ms = models.FloatField(null=True, blank=True)
    input_tokens = models.BigIntegerField(null=True, blank=True)
    output_tokens = models.BigIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    output_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["experiment", "item", "repetition"], name="trial_once"),
            models.CheckConstraint(
                condition=Q(state__in=WorkState.values), name="trial_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["experiment", "state", "lease_until"], name="trial_due"),
            models.Index(fields=["owner"], name="trial_by_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} × {self.repetition}"
