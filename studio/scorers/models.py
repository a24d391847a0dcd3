"""Scorers, their versions, where they are attached, and every score they gave."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.traces.models import PREVIEW_LENGTH, Source, Trace


class Scorer(models.Model):
    """What judges a run; its definition lives in its versions."""

    class Kind(models.TextChoices):
        """How it judges."""

        CHECK = "check"
        CODE = "code"
        JUDGE = "judge"
        HUMAN = "human"

    class Origin(models.TextChoices):
        """Where its definition comes from."""

        CODE = "code"
        STUDIO = "studio"

    project = models.ForeignKey(Project, models.CASCADE, related_name="scorers")
    slug = models.SlugField(max_length=120)
    name = models.CharField(max_length=160)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    source = models.CharField(max_length=10, choices=Origin.choices, default=Origin.STUDIO)
    version = models.ForeignKey(  # the current one
        "ScorerVersion", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="scorer_slug_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def current(self) -> "ScorerVersion":
        """The version in force; a saved scorer has one."""
        if self.version is None:
            raise ScorerVersion.DoesNotExist(f"{self.name} has no version.")
        return self.version


class ScorerVersion(models.Model):
    """One frozen definition of a scorer, identified by a hash of its content."""

    scorer = models.ForeignKey(Scorer, models.RESTRICT, related_name="versions")
    number = models.PositiveIntegerField()
    hash = models.CharField(max_length=64)
    name = models.CharField(max_length=160)  # as it was called then
    description = models.TextField(blank=True)
    spec = models.JSONField(default=dict)  # {"kind": "check-includes", "arguments": {…}}
    subject = models.CharField(max_length=10, default="run")
    direction = models.CharField(max_length=6, default="higher")
    scale_min = models.FloatField(default=0)
    scale_max = models.FloatField(default=1)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scorer", "hash"], name="scorer_version_is_content"),
            models.UniqueConstraint(fields=["scorer", "number"], name="scorer_version_number_once"),
            models.CheckConstraint(
                condition=Q(subject__in=["run", "trajectory"]), name="scorer_subject_known"
            ),
            models.CheckConstraint(
                condition=Q(direction__in=["higher", "lower"]), name="scorer_direction_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.number}"


class ScorerAttachment(models.Model):
    """A scorer that an agent is judged by unless a launch says otherwise."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="attachments")
    scorer = models.ForeignKey(Scorer, models.CASCADE, related_name="attachments")
    is_gate = models.BooleanField(default=False)
    threshold_min = models.FloatField(null=True, blank=True)
    threshold_max = models.FloatField(null=True, blank=True)
    source = models.CharField(
        max_length=10, choices=Scorer.Origin.choices, default=Scorer.Origin.STUDIO
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "scorer"], name="attachment_once"),
            models.CheckConstraint(
                condition=Q(threshold_min=None)
                | Q(threshold_max=None)
                | Q(threshold_min__lte=F("threshold_max")),
                name="attachment_range_in_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scorer} on {self.agent}"

    def passes(self, value: float | None) -> bool | None:
        """Whether a value meets what is demanded; None where there is no value or no demand."""
        low = 1.0 if self.is_gate and self.threshold_min is None else self.threshold_min
        if value is None or (low is None and self.threshold_max is None):
            return None
        high = self.threshold_max
        return (low is None or value >= low) and (high is None or value <= high)


class ScoringRule(models.Model):
    """Which live traces a scorer wants: a filter, then a rate."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="rules")
    scorer = models.ForeignKey(Scorer, models.CASCADE, related_name="rules")
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, blank=True)
    filter = models.JSONField(null=True, blank=True)
    rate = models.FloatField(default=1)
    subject = models.CharField(max_length=10, default="trace")
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rate__gte=0, rate__lte=1), name="rule_rate_is_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scorer} at {self.rate}"


class ScoreQuerySet(models.QuerySet["Score"]):
    """Named selections of scores."""

    def newest_first(self) -> "ScoreQuerySet":
        """By arrival, the latest on top."""
        return self.order_by("-pk")

    def standing(self) -> "ScoreQuerySet":
        """Those that no later score corrects."""
        return self.filter(is_current=True)

    def for_list(self) -> "ScoreQuerySet":
        """Only what a list shows: no steps, prompts or bodies."""
        return self.select_related("scorer", "scorer_version", "agent", "trace").only(
            "project_id", "outcome", "value", "label", "reason_preview", "source", "created_at",
            "error_kind", "experiment_id", "trial_id", "scorer__slug", "scorer__name",
            "scorer_version__number", "scorer_version__name", "scorer_version__scale_min",
            "scorer_version__scale_max", "scorer_version__direction", "agent__slug", "agent__name",
            "trace__trace_id", "trace__input_preview", "trace__output_preview",
        )  # fmt: skip


class Score(models.Model):
    """What one scorer version says about one trace, or one span of it."""

    class Outcome(models.TextChoices):
        """How the scoring ended; only `scored` enters a mean."""

        SCORED = "scored"
        NOT_SCORABLE = "not_scorable", "not scorable"
        ERROR = "error"

    project = models.ForeignKey(Project, models.CASCADE, related_name="scores")
    scorer = models.ForeignKey(  # the indexes of its lists begin with it
        Scorer, models.RESTRICT, related_name="scores", db_index=False
    )
    scorer_version = models.ForeignKey(ScorerVersion, models.RESTRICT, related_name="scores")
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="scores")
    span_id = models.CharField(max_length=16, blank=True, default="")
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    source = models.CharField(max_length=10, choices=Source.choices)
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    value = models.FloatField(null=True, blank=True)
    label = models.CharField(max_length=120, blank=True)
    reason = models.TextField(blank=True)
    reason_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    error_kind = models.CharField(max_length=60, blank=True)
    steps = models.JSONField(default=dict)
    prompts = models.JSONField(default=dict)
    judge = models.JSONField(default=dict)
    duration_ms = models.FloatField(default=0)
    # Copies for filtering, not foreign keys: a score outlives its experiment.
    experiment_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    trial_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    corrects = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "scorer_version", "trace", "span_id", Coalesce("author", 0),
                condition=Q(is_current=True), name="score_once",
            ),
            models.CheckConstraint(
                condition=Q(outcome="scored", value__isnull=False)
                | (~Q(outcome="scored") & Q(value=None)),
                name="score_value_iff_scored",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["scored", "not_scorable", "error"]),
                name="score_outcome_known",
            ),
        ]  # fmt: skip
        indexes = [
            # With all that the list filters by, so that a rare value is found without the rows.
            models.Index(
                fields=[
                    "scorer",
                    "-id",
                    "is_current",
                    "outcome",
                    "value",
                    "scorer_version",
                    "agent",
                    "source",
                    "created_at",
                    "experiment_id",
                ],
                name="score_list_by_scorer",
            ),
            models.Index(fields=["scorer", "value", "-id"], name="score_list_by_value"),
            models.Index(fields=["project", "-id"], name="score_list"),
        ]

    def __str__(self) -> str:
        return f"{self.scorer_id}: {self.outcome} {self.value}"
