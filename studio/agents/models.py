"""Agents: what is asked, and every version of it that was ever asked."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from studio.accounts.models import Project


class ProviderConnection(models.Model):
    """Where a model lives, and the encrypted key to it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="connections")
    name = models.CharField(max_length=80)
    base_url = models.URLField(max_length=500)
    encrypted_key = models.BinaryField(default=bytes, blank=True)
    key_hint = models.CharField(max_length=8, blank=True)  # the last four characters at most
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="connection_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class AgentQuerySet(models.QuerySet["Agent"]):
    """Named selections of agents."""

    def by_name(self) -> "AgentQuerySet":
        """In the order of their names."""
        return self.order_by("name", "pk")

    def active(self) -> "AgentQuerySet":
        """Those that can still be asked."""
        return self.filter(archived_at=None)


class Agent(models.Model):
    """What is asked: a Python object of this process, or a model behind a URL."""

    class Kind(models.TextChoices):
        """How it is reached."""

        PYTHON = "python"
        OPENAI = "openai", "OpenAI-compatible"
        HTTP = "http", "HTTP"
        MASTRA = "mastra"

    class Type(models.TextChoices):
        """What it is."""

        AGENT = "agent"
        WORKFLOW = "workflow"

    project = models.ForeignKey(Project, models.CASCADE, related_name="agents")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    type = models.CharField(max_length=10, choices=Type.choices, default=Type.AGENT)
    connection = models.ForeignKey(ProviderConnection, models.RESTRICT, null=True, blank=True)
    version = models.ForeignKey(  # the current one
        "AgentVersion", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="agent_slug_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def current(self) -> "AgentVersion":
        """The version in force; a saved agent has one."""
        if self.version is None:
            raise AgentVersion.DoesNotExist(f"{self.name} has no version.")
        return self.version


class AgentVersion(models.Model):
    """One frozen definition of an agent, identified by a hash of its content."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    hash = models.CharField(max_length=64)
    label = models.CharField(max_length=80, blank=True)
    spec = models.JSONField(default=dict)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "hash"], name="agent_version_is_content"),
            models.UniqueConstraint(fields=["agent", "number"], name="agent_version_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="agent_version_from_one"),
        ]

    def __str__(self) -> str:
        return self.label or f"v{self.number}"
