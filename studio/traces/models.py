"""Traces: the stored record of a run, and the spans in it."""

from django.db import models
from django.db.models import Q

from studio.accounts.models import Project
from studio.agents.models import AgentVersion

PREVIEW_LENGTH = 300


class Source(models.TextChoices):
    """Where a trace or a score came from."""

    LIVE = "live"
    EXPERIMENT = "experiment"
    TRACE = "trace"
    MANUAL = "manual"
    SDK = "sdk"
    HUMAN = "human"


class Status(models.TextChoices):
    """How a trace or span ended."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


class TraceQuerySet(models.QuerySet["Trace"]):
    """Named selections of traces."""

    def newest_first(self) -> "TraceQuerySet":
        """By arrival, the latest on top."""
        return self.order_by("-pk")

    def for_list(self) -> "TraceQuerySet":
        """Only what a list shows: no bodies."""
        return self.select_related("agent_version__agent").defer(
            "input", "output", "metadata", "request_context", "agent_version__spec"
        )


class Trace(models.Model):
    """What one run did, from its first input to its last output."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="traces")
    trace_id = models.CharField(max_length=32)  # hexadecimal, lower case
    agent_version = models.ForeignKey(AgentVersion, models.SET_NULL, null=True, blank=True)
    source = models.CharField(max_length=10, choices=Source.choices)
    name = models.CharField(max_length=200)
    started_at = models.DateTimeField()
    duration_ms = models.FloatField(null=True, blank=True)
    status = models.CharField(max_length=5, choices=Status.choices, default=Status.UNSET)
    error = models.TextField(blank=True)
    input = models.JSONField(null=True)
    output = models.JSONField(null=True)
    input_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    output_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    request_context = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    thread = models.CharField(max_length=200, blank=True)
    input_tokens = models.BigIntegerField(null=True, blank=True)
    output_tokens = models.BigIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=16, decimal_places=8, null=True, blank=True)
    complete = models.BooleanField(default=True)
    sanitized = models.BooleanField(default=False)
    truncated = models.BooleanField(default=False)

    objects = TraceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "trace_id"], name="trace_id_once"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="trace_list")]

    def __str__(self) -> str:
        return self.name


class Span(models.Model):
    """One step in a trace."""

    trace = models.ForeignKey(Trace, models.CASCADE, related_name="spans")
    span_id = models.CharField(max_length=16)
    parent_id = models.CharField(max_length=16, blank=True)
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=200)
    started_at = models.DateTimeField()
    duration_ms = models.FloatField(null=True, blank=True)
    status = models.CharField(max_length=5, choices=Status.choices, default=Status.UNSET)
    error = models.TextField(blank=True)
    attributes = models.JSONField(default=dict)
    input = models.JSONField(null=True)
    output = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trace", "span_id"], name="span_id_once"),
            models.CheckConstraint(
                condition=Q(duration_ms=None) | Q(duration_ms__gte=0),
                name="span_duration_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return self.name
