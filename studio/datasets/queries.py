"""Reads for the pages of datasets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from studio.datasets.models import Dataset, DatasetItem, DatasetItemQuerySet, DatasetVersion
from studio.web.paging import MAX_ID, MAX_PAGE_SIZE, PAGE_SIZE, Page, link, number
from studio.web.text import UNSTORABLE

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from studio.accounts.models import Project

LISTED = (
    "item_id", "position", "external_id", "input_preview", "truth_preview", "has_ground_truth",
    "tags", "updated_at", "dataset_id",
)  # fmt: skip


def datasets_for_list(project: Project, q: str = "", tag: str = "") -> list[Dataset]:
    """The project's datasets by name, those that a text or a tag selects."""
    rows = Dataset.objects.filter(project=project).order_by("name", "pk")
    if UNSTORABLE.search(q):
        return []
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(description__icontains=q))
    # A project has tens of datasets, and no two databases search JSON lists alike.
    return [each for each in rows if not tag or tag in each.tags]


def name_taken(project: Project, name: str, but: Dataset | None = None) -> bool:
    """Another dataset of the project has this name."""
    rows = Dataset.objects.filter(project=project, name__iexact=name.strip())
    return (rows.exclude(pk=but.pk) if but else rows).exists()


def version_at(dataset: Dataset, text: str | None) -> DatasetVersion | None:
    """The version that a page asks for: the newest unless `text` names another; None if unknown."""
    wanted = number(text, -1, MAX_ID) if text else dataset.version_number
    return dataset.versions.filter(number=wanted).first()


def versions_of(dataset: Dataset) -> QuerySet[DatasetVersion]:
    """All versions of a dataset, with their authors, newest first."""
    return dataset.versions.select_related("author").order_by("-number")


def items_at(dataset: Dataset, version: int, q: str = "") -> DatasetItemQuerySet:
    """The items that a version shows, those that a text selects."""
    rows = DatasetItem.objects.filter(dataset=dataset).at(version)
    return searched(rows, q) if q else rows


def searched(rows: DatasetItemQuerySet, q: str) -> DatasetItemQuerySet:
    """Items whose input, ground truth or id holds `q`, in any case."""
    if UNSTORABLE.search(q):
        return rows.none()
    found = Q(external_id__icontains=q) | Q(item_id=q)
    # One database stores JSON with \u escapes, the other without.
    forms = {q, json.dumps(q)[1:-1], json.dumps(q, ensure_ascii=False)[1:-1]}
    for form in forms:
        found |= Q(input_text__icontains=form) | Q(truth_text__icontains=form)
    texts = {"input": "input_text", "ground_truth": "truth_text"}
    casts = {name: Cast(column, TextField()) for column, name in texts.items()}
    return rows.annotate(**casts).filter(found)


def item_page(params: Mapping[str, Any], rows: DatasetItemQuerySet) -> Page[DatasetItem]:
    """One page of items by their place in the dataset, which edits keep."""
    limit = max(1, number(params.get("limit"), PAGE_SIZE, MAX_PAGE_SIZE))
    before = number(params.get("before"), 0, MAX_ID)
    after = number(params.get("after"), 0, MAX_ID)
    ordered = rows.in_order()
    if after:
        found = list(ordered.filter(position__lt=after).reverse()[: limit + 1])
        more_up, more_down = len(found) > limit, True
        found = found[:limit][::-1]
    else:
        found = list((ordered.filter(position__gt=before) if before else ordered)[: limit + 1])
        more_up, more_down = bool(before), len(found) > limit
        found = found[:limit]
    older = link(params, before=found[-1].position) if found and more_down else None
    newer = link(params, after=found[0].position) if found and more_up else None
    return Page(found, older, newer)


def neighbours(rows: DatasetItemQuerySet, item: DatasetItem) -> tuple[str | None, str | None]:
    """The ids of the items before and after `item` in its list."""
    ids = rows.values_list("item_id", flat=True)
    before = ids.filter(position__lt=item.position).order_by("-position").first()
    after = ids.filter(position__gt=item.position).order_by("position").first()
    return before, after


def saved_before(dataset: Dataset, source_key: str) -> DatasetItem | None:
    """The item that was already saved from this source, if it is still there."""
    if not source_key:
        return None
    rows = DatasetItem.objects.filter(dataset=dataset).current()
    return rows.filter(source_key=source_key).order_by("position").first()


def saved_in_project(project: Project, source_key: str) -> list[DatasetItem]:
    """The items of any dataset that were already saved from this source."""
    if not source_key:
        return []
    rows = DatasetItem.objects.filter(dataset__project=project, source_key=source_key).current()
    return list(rows.select_related("dataset").order_by("pk")[:5])
