"""Make items of a file's rows: look first, then take the good rows or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import transaction

from studio.datasets.draft import ItemDraft, is_storable
from studio.datasets.mapping import ColumnMapping, RowRefused, check_mapping, item_draft
from studio.datasets.models import Dataset, DatasetVersion
from studio.datasets.reading import Row, Table
from studio.datasets.save import add_items, create_dataset

if TYPE_CHECKING:
    from studio.accounts.models import Project


class ImportRefused(ValueError):
    """Nothing was imported; the message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that cannot be imported: where it is and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """What an import would do."""

    drafts: list[ItemDraft]
    faults: list[Fault]
    skipped: int = 0  # exact duplicates left out
    warnings: list[Fault] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Summary:
    """What an import did."""

    version: DatasetVersion
    added: int
    changed: int
    same: int
    skipped: int
    faults: Sequence[Fault]
    warnings: Sequence[Fault]


@dataclass
class Reader:
    """Rows on their way to drafts."""

    mapping: ColumnMapping
    skip_duplicates: bool
    drafts: list[ItemDraft] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    contents: set[str] = field(default_factory=set)
    skipped: int = 0

    def take(self, row: Row) -> None:
        """One row becomes a draft, a fault or a skipped duplicate."""
        if row.fault:
            self.faults.append(Fault(row.line, row.fault))
            return
        try:
            draft = item_draft(row, self.mapping)
        except RowRefused as error:
            self.faults.append(Fault(row.line, str(error)))
            return
        if self.skip_duplicates and self.is_repeat(draft):
            self.skipped += 1
        elif draft.external_id in self.ids:
            first = self.ids[draft.external_id]
            words = f"has the external id “{draft.external_id}” of line {first}"
            self.faults.append(Fault(row.line, words))
        else:
            self.add(row, draft)

    def is_repeat(self, draft: ItemDraft) -> bool:
        """An earlier row made exactly this item."""
        content = draft.content()
        known = content in self.contents
        self.contents.add(content)
        return known

    def add(self, row: Row, draft: ItemDraft) -> None:
        """Keep a good draft, and a warning where its text had to be replaced."""
        if draft.external_id:
            self.ids[draft.external_id] = row.line
        if not is_storable(draft):
            words = "holds characters that cannot be stored; they are shown as �"
            self.warnings.append(Fault(row.line, words))
        self.drafts.append(draft)


def plan_import(table: Table, mapping: ColumnMapping, *, skip_duplicates: bool = False) -> Plan:
    """Every row of a table as a draft or a fault; raises `ImportRefused` for a bad mapping."""
    wrong = check_mapping(mapping)
    if wrong:
        raise ImportRefused(wrong)
    unknown = [name for name in mapping.columns if name not in table.columns]
    if unknown:
        raise ImportRefused(f"The file has no column “{unknown[0]}”.")
    reader = Reader(mapping, skip_duplicates)
    for row in table.rows:
        reader.take(row)
    return Plan(reader.drafts, reader.faults, reader.skipped, reader.warnings)


@transaction.atomic
def import_into(
    project: Project,
    plan: Plan,
    author: Any,
    *,
    dataset_slug: str,
    new_name: str,
    good_rows_only: bool,
    note: str,
) -> Summary:
    """Import into a dataset of the project, or into a new one that a refusal takes back."""
    dataset = project.datasets.filter(slug=dataset_slug).first()
    if dataset is None and not new_name:
        raise ImportRefused("The dataset is gone. Upload the file again and choose another.")
    if dataset is None:
        dataset = create_dataset(project, new_name, author=author)
    return run_import(dataset, plan, author, good_rows_only=good_rows_only, note=note)


def run_import(
    dataset: Dataset, plan: Plan, author: Any, *, good_rows_only: bool, note: str = ""
) -> Summary:
    """Write a plan as one version: the good rows, or none if a row is bad; a known id updates."""
    if plan.faults and not good_rows_only:
        first = plan.faults[0]
        count = f"{len(plan.faults)} row{'s' * (len(plan.faults) != 1)} cannot be imported"
        raise ImportRefused(f"Nothing was imported: {count}. Line {first.line} {first.reason}.")
    if not plan.drafts:
        raise ImportRefused("Nothing was imported: no row of the file is good.")
    before = dataset.version_number
    version = add_items(dataset, plan.drafts, author, note, update_known=True)
    made = version.number != before
    added, changed = (version.added, version.changed) if made else (0, 0)
    same = len(plan.drafts) - added - changed
    return Summary(version, added, changed, same, plan.skipped, plan.faults, plan.warnings)
