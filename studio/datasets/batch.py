"""What a batch of drafts would change, decided by external ids before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from studio.datasets.draft import MAX_EXTERNAL_ID, MAX_SOURCE_KEY, ItemDraft, draft_of
from studio.datasets.models import Dataset, DatasetItem

CHUNK = 500


class DatasetRefused(ValueError):
    """The change cannot be made; the message says why."""


class IdentityConflict(DatasetRefused):
    """External ids that stand for other items; `details` says which draft by its index."""

    def __init__(self, message: str, details: dict[int, str]) -> None:
        super().__init__(message)
        self.details = details


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows that a version adds, changes (a closed row comes back) and removes."""

    added: Sequence[ItemDraft] = ()
    changed: Sequence[tuple[DatasetItem, ItemDraft]] = ()
    removed: Sequence[DatasetItem] = ()


@dataclass
class Sorting:
    """A batch being sorted into what is new, what changes, and what is refused."""

    known: dict[str, DatasetItem]
    update_known: bool
    added: list[ItemDraft] = field(default_factory=list)
    changed: list[tuple[DatasetItem, ItemDraft]] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def take(self, index: int, draft: ItemDraft) -> None:
        """Put one draft where it belongs."""
        reason = self.reason_against(draft)
        row = self.known.get(draft.external_id) if draft.external_id else None
        if reason:
            self.refused[index] = reason
        elif draft.external_id in self.seen:
            return
        elif row is None:
            self.added.append(draft)
        elif row.version_to is not None or draft_of(row).content() != draft.content():
            self.changed.append((row, draft))
        if draft.external_id:
            self.seen.setdefault(draft.external_id, draft.content())

    def reason_against(self, draft: ItemDraft) -> str:
        """Why this draft cannot be taken, or nothing."""
        name = draft.external_id
        if len(name) > MAX_EXTERNAL_ID or len(draft.source_key) > MAX_SOURCE_KEY:
            return f"An external id has at most {MAX_EXTERNAL_ID} characters."
        if not name:
            return ""
        if self.seen.get(name, draft.content()) != draft.content():
            return f"The external id “{name}” is twice in this batch, with different content."
        row = self.known.get(name)
        if row is None or self.update_known:
            return ""
        if row.version_to is not None:
            return f"The item with the external id “{name}” was deleted."
        if draft_of(row).content() != draft.content():
            return f"The external id “{name}” belongs to an item with other content."
        return ""


def plan_batch(dataset: Dataset, drafts: Sequence[ItemDraft], *, update_known: bool) -> Batch:
    """Sort a batch of cleaned drafts; raises `IdentityConflict` with every draft's reason."""
    names = {draft.external_id for draft in drafts if draft.external_id}
    sorting = Sorting(known_rows(dataset, sorted(names)), update_known)
    for index, draft in enumerate(drafts):
        sorting.take(index, draft)
    if sorting.refused:
        first = next(iter(sorting.refused.values()))
        raise IdentityConflict(f"Nothing was added. {first}", sorting.refused)
    return Batch(sorting.added, sorting.changed)


def known_rows(dataset: Dataset, names: Sequence[str]) -> dict[str, DatasetItem]:
    """The newest row of each external id: the open one, else the last that was closed."""
    known: dict[str, DatasetItem] = {}
    for start in range(0, len(names), CHUNK):
        part = names[start : start + CHUNK]
        rows = DatasetItem.objects.filter(dataset=dataset, external_id__in=part)
        for row in rows.select_related("dataset").order_by("version_from", "pk"):
            before = known.get(row.external_id)
            if before is None or before.version_to is not None:
                known[row.external_id] = row
    return ended_only_if_gone(dataset, known)


def ended_only_if_gone(dataset: Dataset, known: dict[str, DatasetItem]) -> dict[str, DatasetItem]:
    """Leave out closed rows whose item lives on under another external id."""
    closed = [row.item_id for row in known.values() if row.version_to is not None]
    alive: set[str] = set()
    for start in range(0, len(closed), CHUNK):
        rows = DatasetItem.objects.filter(dataset=dataset).current()
        part = rows.filter(item_id__in=closed[start : start + CHUNK])
        alive.update(part.values_list("item_id", flat=True))
    return {n: r for n, r in known.items() if r.version_to is None or r.item_id not in alive}
