"""Save what was seen elsewhere as an item that can be run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from studio.datasets.draft import ItemDraft
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.save import add_items, create_dataset

if TYPE_CHECKING:
    from studio.accounts.models import Project


@transaction.atomic
def save_as_item(
    project: Project,
    draft: ItemDraft,
    author: Any = None,
    *,
    dataset: Dataset | None = None,
    new_dataset: str = "",
) -> DatasetItem:
    """Add one item to a dataset, or to a new one of that name; returns the stored item."""
    if dataset is None:
        dataset = create_dataset(project, new_dataset, author=author)
    version = add_items(dataset, [draft], author, note=note_of(draft))
    rows = DatasetItem.objects.filter(dataset=dataset).current().select_related("dataset")
    if draft.external_id:
        return rows.get(external_id=draft.external_id)
    return rows.get(version_from=version.number)


def note_of(draft: ItemDraft) -> str:
    """A note for the version that says where its item came from."""
    kind = draft.source.get("type")
    return f"saved from a {kind}" if kind else "saved from the studio"
