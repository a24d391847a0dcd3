"""Projects, who belongs to them, their API tokens, and the record of who did what."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Project(models.Model):
    """What all other rows belong to; access is given by project."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"


class Member(models.Model):
    """One person's role in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="member_once_per_project"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.project} ({self.role})"


class Scope(models.TextChoices):
    """What an API token may be used for."""

    READ = "read"
    WRITE = "write"
    INGEST = "ingest"


class ApiToken(models.Model):
    """A key for scripts: shown once, stored as a keyed hash."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="tokens")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16)
    hash = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.READ)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(scope__in=Scope.values), name="token_scope_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_live(self) -> bool:
        """Neither revoked nor expired."""
        expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return self.revoked_at is None and not expired


class SignInLink(models.Model):
    """A link that signs the local owner in once."""

    hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link for {self.user}"


class AuditEntry(models.Model):
    """Who did what, when, to which object; it outlives the project and the person."""

    project_id = models.BigIntegerField(null=True, blank=True)
    project_name = models.CharField(max_length=120, blank=True)
    actor_id = models.BigIntegerField(null=True, blank=True)
    actor_name = models.CharField(max_length=150, blank=True)
    action = models.CharField(max_length=60)
    object_type = models.CharField(max_length=60, blank=True)
    object_id = models.CharField(max_length=120, blank=True)
    outcome = models.CharField(max_length=20, default="done")
    address = models.CharField(max_length=60, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["project_id", "-id"], name="audit_list")]

    def __str__(self) -> str:
        return f"{self.at:%F %T} {self.actor_name} {self.action}"
