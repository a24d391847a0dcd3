"""Datasets, versions, items and imports as the API writes and reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rest_framework import serializers

from evals_core.run import ABSENT
from studio.datasets.cells import DELIMITERS
from studio.datasets.draft import MAX_EXTERNAL_ID, ItemDraft
from studio.datasets.mapping import As, ColumnMapping, ColumnRule, Role, Take
from studio.datasets.models import Dataset, DatasetItem, DatasetVersion
from studio.datasets.reading import ENCODINGS, KINDS, Format

MAX_ITEMS = 10_000
MAPPING_HELP = (
    'What the columns become: {"columns": {"question": "input", "answer": {"role": "ground_truth",'
    ' "as": "json"}}, "take": "whole" or "after", "marker": "####", "tag_separator": ";",'
    ' "blank_is_text": false}. Roles: input, ground_truth, metadata, tags, external_id, ignore;'
    " columns not named are ignored. Without a mapping the names of the columns decide."
)


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    """A dataset."""

    name = serializers.CharField(max_length=120)
    description = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(max_length=80), required=False)
    version = serializers.IntegerField(source="version_number", read_only=True)

    class Meta:
        model = Dataset
        fields = (
            "slug", "name", "description", "tags", "version", "item_count", "created_at",
            "updated_at",
        )  # fmt: skip
        read_only_fields = ("slug", "item_count")


class VersionSerializer(serializers.ModelSerializer[DatasetVersion]):
    """A version of a dataset, and what it changed."""

    author = serializers.CharField(source="author.username", default="", read_only=True)

    class Meta:
        model = DatasetVersion
        fields = (
            "number", "note", "item_count", "added", "changed", "removed", "author", "created_at",
        )  # fmt: skip
        read_only_fields = fields


class ItemSerializer(serializers.ModelSerializer[DatasetItem]):
    """An item; `ground_truth` is left out where nothing is expected."""

    id = serializers.CharField(source="item_id", read_only=True)
    input = serializers.JSONField(allow_null=True)
    ground_truth = serializers.JSONField(allow_null=True, required=False)
    has_ground_truth = serializers.BooleanField(
        required=False, help_text="False takes the ground truth away; null is a ground truth."
    )
    expected_trajectory = serializers.JSONField(allow_null=True, required=False)
    tool_mocks = serializers.ListField(child=serializers.JSONField(), required=False)
    request_context = serializers.DictField(
        child=serializers.JSONField(allow_null=True), required=False
    )
    metadata = serializers.DictField(child=serializers.JSONField(allow_null=True), required=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False)
    external_id = serializers.CharField(
        max_length=MAX_EXTERNAL_ID, required=False, allow_blank=True, trim_whitespace=False
    )
    source = serializers.DictField(read_only=True)  # type: ignore[assignment] # a field's name

    class Meta:
        model = DatasetItem
        fields = (
            "id", "external_id", "input", "ground_truth", "has_ground_truth",
            "expected_trajectory", "tool_mocks", "request_context", "metadata", "tags", "source",
            "version_from", "version_to", "created_at", "updated_at",
        )  # fmt: skip
        read_only_fields = ("version_from", "version_to", "created_at", "updated_at")

    def to_representation(self, instance: DatasetItem) -> dict[str, Any]:
        """The item, without a ground truth that was never given."""
        data = super().to_representation(instance)
        if not instance.has_ground_truth:
            del data["ground_truth"]
        return data


def draft_from(said: Mapping[str, Any], base: ItemDraft | None = None) -> ItemDraft:
    """Checked values as a draft, on top of what the item holds already."""
    values = dict(said)
    if values.pop("has_ground_truth", True) is False:
        values["ground_truth"] = ABSENT
    return replace(base or ItemDraft(input=None, source={"type": "api"}), **values)


class ItemsSerializer(serializers.Serializer[Any]):
    """A batch of items to add."""

    items = serializers.ListField(child=ItemSerializer(), max_length=MAX_ITEMS)
    note = serializers.CharField(max_length=200, required=False, allow_blank=True)


class DeleteSerializer(serializers.Serializer[Any]):
    """Items to leave out."""

    item_ids = serializers.ListField(
        child=serializers.CharField(max_length=64), max_length=MAX_ITEMS
    )


class PageSerializer(serializers.Serializer[Any]):
    """The neighbours of a page, as query strings."""

    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)


class DatasetPageSerializer(PageSerializer):
    """A page of datasets."""

    results = DatasetSerializer(many=True)


class VersionPageSerializer(PageSerializer):
    """A page of versions."""

    results = VersionSerializer(many=True)


class ItemPageSerializer(PageSerializer):
    """A page of items."""

    results = ItemSerializer(many=True)


class ImportSerializer(serializers.Serializer[Any]):
    """A file, how to read it, and what its columns become."""

    file = serializers.FileField()
    mapping = serializers.JSONField(required=False, help_text=MAPPING_HELP)
    policy = serializers.ChoiceField(
        choices=["all", "good"], default="all", help_text="all: every row or none; good: good rows."
    )
    skip_duplicates = serializers.BooleanField(default=False)
    kind = serializers.ChoiceField(choices=list(KINDS), required=False)
    encoding = serializers.ChoiceField(choices=list(ENCODINGS), required=False)
    delimiter = serializers.ChoiceField(choices=list(DELIMITERS.items()), required=False)

    def validate_mapping(self, value: Any) -> ColumnMapping:
        """The mapping, with the column that is wrong named."""
        try:
            return mapping_from(value)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise serializers.ValidationError(f"Not a mapping: {error}") from error


def mapping_from(value: Any) -> ColumnMapping:
    """A mapping of the wire's shape."""
    columns = {}
    for name, rule in value["columns"].items():
        said = {"role": rule} if isinstance(rule, str) else rule
        columns[name] = ColumnRule(Role(said["role"]), As(said.get("as", "text")))
    return ColumnMapping(
        columns,
        Take(value.get("take", "whole")),
        str(value.get("marker", "####")),
        str(value.get("tag_separator", "")),
        value.get("blank_is_text") is True,
    )


def format_from(said: Mapping[str, Any], detected: Format) -> Format:
    """The format that was asked for, else the detected one."""
    asked = {key: said[key] for key in ("kind", "encoding", "delimiter") if key in said}
    return replace(detected, **asked)


class FaultSerializer(serializers.Serializer[Any]):
    """A row, and what is wrong with it."""

    line = serializers.IntegerField()
    reason = serializers.CharField()


class SummarySerializer(serializers.Serializer[Any]):
    """What an import did; a version only if something changed."""

    version = VersionSerializer()
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    same = serializers.IntegerField()
    skipped = serializers.IntegerField()
    faults = FaultSerializer(many=True)
    warnings = FaultSerializer(many=True)
