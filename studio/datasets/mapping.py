"""Which column of a file becomes what of an item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from evals_core.run import ABSENT
from studio.datasets.draft import MAX_EXTERNAL_ID, ItemDraft
from studio.datasets.reading import Row, strict_json


class Role(StrEnum):
    """What a column becomes."""

    INPUT = "input"
    GROUND_TRUTH = "ground_truth"
    METADATA = "metadata"
    TAGS = "tags"
    EXTERNAL_ID = "external_id"
    IGNORE = "ignore"


class As(StrEnum):
    """How a column's values are read."""

    TEXT = "text"  # exactly as the file has them
    JSON = "json"  # a text is read as JSON


class Take(StrEnum):
    """Which part of a column's text is the ground truth."""

    WHOLE = "whole"
    AFTER = "after"  # what follows the last marker, trimmed


class RowRefused(ValueError):
    """A row cannot become an item; the message says which column and why."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What one column becomes, and how it is read."""

    role: Role = Role.METADATA
    read_as: As = As.TEXT


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The whole choice of whoever imports a file."""

    columns: Mapping[str, ColumnRule] = field(default_factory=dict)
    take: Take = Take.WHOLE
    marker: str = "####"
    tag_separator: str = ""
    blank_is_text: bool = False  # an empty expected cell is "" and not absent

    def named(self, role: Role) -> list[str]:
        """The columns of a role, in file order."""
        return [name for name, rule in self.columns.items() if rule.role is role]


KNOWN = {
    Role.INPUT: ("input", "inputs", "question", "prompt", "query", "turns", "text", "message"),
    Role.GROUND_TRUTH: (
        "groundtruth", "expected", "expectedoutput", "expectedanswer", "answer", "target",
        "reference", "canonicalsolution", "output", "labels", "label",
    ),
    Role.EXTERNAL_ID: ("externalid", "id", "itemid", "questionid", "taskid"),
    Role.TAGS: ("tags",),
}  # fmt: skip


def normal(name: str) -> str:
    """A column name without case, spaces, "-" and "_"."""
    return re.sub(r"[\s_-]", "", name).casefold()


def guess_mapping(columns: Sequence[str]) -> ColumnMapping:
    """What the names of the columns suggest; what they do not name is kept as metadata."""
    rules = {name: ColumnRule() for name in columns}
    for role, names in KNOWN.items():
        found = [(names.index(normal(c)), c) for c in columns if normal(c) in names]
        if found:
            rules[min(found)[1]] = ColumnRule(role)
    guessed = ColumnMapping(rules)
    if not guessed.named(Role.INPUT):
        free = [name for name, rule in rules.items() if rule.role is Role.METADATA] or [*columns]
        rules[free[0]] = ColumnRule(Role.INPUT)
    return ColumnMapping(rules)


def item_draft(row: Row, mapping: ColumnMapping) -> ItemDraft:
    """The item that a row becomes; raises `RowRefused`."""
    asked = gathered(row, mapping, Role.INPUT)
    if asked is ABSENT:
        raise RowRefused("has no input")
    metadata = {
        name: value
        for name in mapping.named(Role.METADATA)
        if (value := cell(row, name, mapping)) is not ABSENT and value != ""
    }
    return ItemDraft(
        input=asked,
        ground_truth=gathered(row, mapping, Role.GROUND_TRUTH),
        metadata=metadata,
        tags=tags_of(row, mapping),
        external_id=external_id_of(row, mapping),
        source={"type": "import", "line": row.line},
    )


def gathered(row: Row, mapping: ColumnMapping, role: Role) -> Any:
    """One column's value, or an object of several columns' values; ABSENT when there is none."""
    names = mapping.named(role)
    if len(names) == 1:
        return cell(row, names[0], mapping)
    values = {name: cell(row, name, mapping) for name in names}
    return {name: v for name, v in values.items() if v is not ABSENT} or ABSENT


def cell(row: Row, name: str, mapping: ColumnMapping) -> Any:
    """The value of one column as its rule reads it."""
    rule = mapping.columns[name]
    value = row.values.get(name, ABSENT)
    if rule.role is Role.GROUND_TRUTH:
        value = expected(value, name, mapping)
    if rule.read_as is As.TEXT or not isinstance(value, str):
        return value
    if not value.strip():
        return ABSENT
    try:
        return strict_json(value)
    except ValueError as error:
        raise RowRefused(f"“{name}” is not JSON: {error}") from error


def expected(value: Any, name: str, mapping: ColumnMapping) -> Any:
    """What is expected, by the rules for blank cells and for a part of the text."""
    if value == "" and isinstance(value, str) and not mapping.blank_is_text:
        return ABSENT
    if mapping.take is Take.WHOLE or not isinstance(value, str):
        return value
    _, marker, after = value.rpartition(mapping.marker)
    if not marker:
        raise RowRefused(f"“{name}” does not contain “{mapping.marker}”")
    return after.strip()


def tags_of(row: Row, mapping: ColumnMapping) -> list[str]:
    """The tags of all tag columns, each once."""
    tags: list[str] = []
    for name in mapping.named(Role.TAGS):
        value = cell(row, name, mapping)
        if value is ABSENT or value is None:
            continue
        if isinstance(value, str) and mapping.tag_separator:
            value = value.split(mapping.tag_separator)
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str | int | float) for each in listed):
            raise RowRefused(f"“{name}” is not a list of tags")
        tags += [text for each in listed if (text := str(each).strip())]
    return list(dict.fromkeys(tags))


def external_id_of(row: Row, mapping: ColumnMapping) -> str:
    """The row's own id as text; 0 is an id, an empty text is none."""
    for name in mapping.named(Role.EXTERNAL_ID):
        value = row.values.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise RowRefused(f"“{name}” is neither text nor a number")
        if len(str(value)) > MAX_EXTERNAL_ID:
            raise RowRefused(f"“{name}” is longer than {MAX_EXTERNAL_ID} characters")
        return str(value)
    return ""


def check_mapping(mapping: ColumnMapping) -> str:
    """What is wrong with a mapping as a whole, or nothing."""
    if not mapping.named(Role.INPUT):
        return "Choose at least one column as input."
    if len(mapping.named(Role.EXTERNAL_ID)) > 1:
        return "Choose one column as external id, not several."
    if mapping.take is Take.AFTER and not mapping.marker:
        return "Give the marker after which the ground truth begins."
    return ""
