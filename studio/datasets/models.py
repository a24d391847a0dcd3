"""Datasets: rows that agents are asked, and every version of them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from studio.accounts.models import Project

PREVIEW_LENGTH = 300


class Dataset(models.Model):
    """A named set of items whose every change is a version."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="datasets")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    version_number = models.PositiveIntegerField(default=0)  # the newest version's
    item_count = models.PositiveIntegerField(default=0)  # in the newest version
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="dataset_slug_once"),
        ]
        indexes = [models.Index(fields=["project", "name"], name="dataset_list")]

    def __str__(self) -> str:
        return self.name


class DatasetVersion(models.Model):
    """A frozen set of items; version 0 is the empty set a dataset begins with."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    note = models.CharField(max_length=200, blank=True)
    item_count = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_once"),
        ]

    def __str__(self) -> str:
        return f"v{self.number}"


class DatasetItemQuerySet(models.QuerySet["DatasetItem"]):
    """Named selections of item rows."""

    def at(self, number: int) -> "DatasetItemQuerySet":
        """The rows that version `number` shows."""
        return self.filter(version_from__lte=number).filter(
            Q(version_to=None) | Q(version_to__gt=number)
        )

    def current(self) -> "DatasetItemQuerySet":
        """The rows that the newest version shows."""
        return self.filter(version_to=None)

    def in_order(self) -> "DatasetItemQuerySet":
        """As they were added."""
        return self.order_by("position", "pk")


class DatasetItem(models.Model):
    """One item as it stood from one version up to, not including, another (SCD-2)."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    item_id = models.CharField(max_length=64)  # the same in all versions of the item
    version_from = models.PositiveIntegerField()
    version_to = models.PositiveIntegerField(null=True, blank=True)
    position = models.BigIntegerField()
    external_id = models.CharField(max_length=200, blank=True)
    input = models.JSONField(null=True)
    ground_truth = models.JSONField(null=True)
    has_ground_truth = models.BooleanField(default=False)  # absent is not null
    expected_trajectory = models.JSONField(null=True)
    tool_mocks = models.JSONField(default=list)
    request_context = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    tags = models.JSONField(default=list)
    source = models.JSONField(default=dict)  # {"type": …, "reference": …}
    source_key = models.CharField(max_length=120, blank=True)  # "score:12", to find a repeat
    input_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    truth_preview = models.CharField(max_length=PREVIEW_LENGTH, blank=True)
    created_at = models.DateTimeField()  # of the item
    updated_at = models.DateTimeField(auto_now_add=True)  # of this row

    objects = DatasetItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "item_id"], condition=Q(version_to=None), name="item_open_once"
            ),
            models.UniqueConstraint(
                fields=["dataset", "item_id", "version_from"], name="item_row_once_per_version"
            ),
            models.UniqueConstraint(
                fields=["dataset", "external_id"],
                condition=Q(version_to=None) & ~Q(external_id=""),
                name="item_external_id_once",
            ),
            models.CheckConstraint(
                condition=Q(version_to=None) | Q(version_to__gt=F("version_from")),
                name="item_ends_after_it_begins",
            ),
        ]
        indexes = [
            models.Index(fields=["dataset", "version_to", "position"], name="item_list"),
            models.Index(fields=["dataset", "source_key"], name="item_by_source"),
        ]

    def __str__(self) -> str:
        return self.item_id
