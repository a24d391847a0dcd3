"""Change datasets: every batch of changes that changes something is one version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from studio.datasets.batch import Batch, DatasetRefused, IdentityConflict, plan_batch
from studio.datasets.draft import ItemDraft, cleaned, draft_of, is_storable
from studio.datasets.models import PREVIEW_LENGTH, Dataset, DatasetItem, DatasetVersion
from studio.datasets.queries import saved_before
from studio.web.text import clean, preview

if TYPE_CHECKING:
    from studio.accounts.models import Project

__all__ = [
    "DatasetRefused", "IdentityConflict", "ItemDraft", "UnknownItem", "add_items",
    "create_dataset", "delete_items", "edit_dataset", "saved_before", "update_item",
]  # fmt: skip
CHUNK = 500
NOTE_LENGTH = 200


class UnknownItem(DatasetRefused):
    """The newest version has no item of this id."""


@transaction.atomic
def create_dataset(
    project: Project,
    name: str,
    *,
    description: str = "",
    tags: Sequence[str] = (),
    author: Any = None,
) -> Dataset:
    """A new dataset with its empty version 0."""
    name = clean(name).strip()[:120]
    if not name:
        raise DatasetRefused("Give the dataset a name.")
    dataset = Dataset.objects.create(
        project=project,
        slug=free_slug(project, name),
        name=name,
        description=clean(description),
        tags=clean(list(tags)),
    )
    DatasetVersion.objects.create(dataset=dataset, number=0, note="created", author=author)
    return dataset


def free_slug(project: Project, name: str) -> str:
    """A slug made of the name that the project does not have yet."""
    base = slugify(name)[:60].strip("-") or "dataset"
    # "create" and "import" are pages beside the datasets.
    taken = {"create", "import"} | set(
        project.datasets.filter(slug__startswith=base).values_list("slug", flat=True)
    )
    slug, n = base, 2
    while slug in taken:
        slug, n = f"{base}-{n}", n + 1
    return slug


def edit_dataset(dataset: Dataset, name: str, description: str, tags: Sequence[str]) -> Dataset:
    """Other words about a dataset; its items and versions stay as they are."""
    dataset.name = clean(name).strip()[:120] or dataset.name
    dataset.description, dataset.tags = clean(description), clean(list(tags))
    dataset.save(update_fields=["name", "description", "tags", "updated_at"])
    return dataset


@transaction.atomic
def add_items(
    dataset: Dataset,
    drafts: Iterable[ItemDraft],
    author: Any = None,
    note: str = "",
    *,
    update_known: bool = False,
) -> DatasetVersion:
    """Add a batch as one version; what is there already with the same content is left alone.

    An external id that is known with other content, or whose item was deleted, refuses the whole
    batch with `IdentityConflict`, unless `update_known` lets it change that item.
    """
    held = lock(dataset)
    given = list(drafts)
    batch = plan_batch(held, [cleaned(draft) for draft in given], update_known=update_known)
    if not batch.added and not batch.changed:
        return newest(held)
    replaced = sum(not is_storable(draft) for draft in given)
    if replaced:
        note = f"{note}; " * bool(note) + f"unstorable characters replaced in {replaced} items"
    return write(dataset, held, batch, author, note)


@transaction.atomic
def update_item(
    dataset: Dataset, item_id: str, draft: ItemDraft, author: Any = None, note: str = ""
) -> DatasetVersion:
    """Give an item other content, as a new version; the same content again makes none."""
    held = lock(dataset)
    row = open_rows(held).filter(item_id=item_id).first()
    if row is None:
        raise UnknownItem("This item is not in the newest version of the dataset.")
    draft = cleaned(draft)
    taken = open_rows(held).filter(external_id=draft.external_id).exclude(item_id=item_id)
    if draft.external_id and taken.exists():
        words = f"Another item has the external id “{draft.external_id}”."
        raise IdentityConflict(words, {0: words})
    if draft.content() == draft_of(row).content():
        return newest(held)
    return write(dataset, held, Batch(changed=[(row, draft)]), author, note)


@transaction.atomic
def delete_items(
    dataset: Dataset, item_ids: Iterable[str], author: Any = None, note: str = ""
) -> DatasetVersion:
    """Leave items out of a new version; older versions keep them. Nothing to delete: no version."""
    held = lock(dataset)
    rows = list(open_rows(held).filter(item_id__in=list(item_ids)))
    if not rows:
        return newest(held)
    return write(dataset, held, Batch(removed=rows), author, note)


def lock(dataset: Dataset) -> Dataset:
    """The dataset's row, ours until the transaction ends, so that versions never collide."""
    return Dataset.objects.select_for_update().get(pk=dataset.pk)


def open_rows(dataset: Dataset) -> Any:
    """The item rows of the newest version."""
    return DatasetItem.objects.filter(dataset=dataset).current()


def newest(dataset: Dataset) -> DatasetVersion:
    """The version that the dataset shows now."""
    return dataset.versions.get(number=dataset.version_number)


def write(
    dataset: Dataset, held: Dataset, batch: Batch, author: Any, note: str
) -> DatasetVersion:  # fmt: skip
    """Close the rows that change or go, open those that come, and count it all."""
    number, now = held.version_number + 1, timezone.now()
    closing = [row.pk for row, _ in batch.changed if row.version_to is None]
    closing += [row.pk for row in batch.removed]
    for start in range(0, len(closing), CHUNK):
        part = closing[start : start + CHUNK]
        DatasetItem.objects.filter(pk__in=part).update(version_to=number)
    top = DatasetItem.objects.filter(dataset=held).aggregate(top=Max("position"))["top"] or 0
    rows = [changed_row(row, draft, number) for row, draft in batch.changed]
    for place, draft in enumerate(batch.added, start=top + 1):
        made = {"item_id": uuid4().hex, "position": place, "created_at": now}
        rows.append(row_of(held, draft, version_from=number, **made))
    DatasetItem.objects.bulk_create(rows, batch_size=CHUNK)
    revived = sum(row.version_to is not None for row, _ in batch.changed)
    counts = {
        "added": len(batch.added) + revived,
        "changed": len(batch.changed) - revived,
        "removed": len(batch.removed),
    }
    held.version_number = number
    held.item_count += counts["added"] - counts["removed"]
    held.save(update_fields=["version_number", "item_count", "updated_at"])
    dataset.version_number, dataset.item_count = number, held.item_count
    dataset.updated_at = held.updated_at
    note = clean(note)[:NOTE_LENGTH]
    return DatasetVersion.objects.create(
        dataset=held, number=number, note=note, author=author, item_count=held.item_count, **counts
    )


def changed_row(row: DatasetItem, draft: ItemDraft, number: int) -> DatasetItem:
    """The next row of an item that stays the same item."""
    kept = {"item_id": row.item_id, "position": row.position, "created_at": row.created_at}
    return row_of(row.dataset, draft, version_from=number, **kept)


def row_of(dataset: Dataset, draft: ItemDraft, **place: Any) -> DatasetItem:
    """An unsaved row that holds a draft."""
    truth = draft.ground_truth if draft.has_ground_truth else None
    return DatasetItem(
        dataset=dataset,
        external_id=draft.external_id,
        input=draft.input,
        ground_truth=truth,
        has_ground_truth=draft.has_ground_truth,
        expected_trajectory=draft.expected_trajectory,
        tool_mocks=list(draft.tool_mocks),
        request_context=dict(draft.request_context),
        metadata=dict(draft.metadata),
        tags=list(draft.tags),
        source=dict(draft.source),
        source_key=draft.source_key,
        input_preview=preview(draft.input, PREVIEW_LENGTH),
        truth_preview=preview(truth, PREVIEW_LENGTH) if draft.has_ground_truth else "",
        **place,
    )
