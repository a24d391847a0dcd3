"""The form of an import's second step: how the file is read and what its columns become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from studio.datasets.cells import DELIMITERS
from studio.datasets.mapping import As, ColumnMapping, ColumnRule, Role, Take
from studio.datasets.reading import ENCODINGS, KINDS, Format, Table

ROLES = [
    (Role.INPUT, "Input"),
    (Role.GROUND_TRUTH, "Ground truth"),
    (Role.METADATA, "Metadata"),
    (Role.TAGS, "Tags"),
    (Role.EXTERNAL_ID, "External id"),
    (Role.IGNORE, "Ignore"),
]
READ_AS = [(As.TEXT, "As it is"), (As.JSON, "JSON")]
TAKES = [(Take.WHOLE, "The whole value"), (Take.AFTER, "The text after a marker")]
SEPARATORS = [("", "Do not split"), (",", "Comma"), (";", "Semicolon"), ("|", "Bar")]
POLICIES = [("all", "All rows or none"), ("good", "The good rows")]


class FormatForm(forms.Form):
    """How the bytes are read; what was detected is chosen, and can be changed."""

    kind = forms.ChoiceField(choices=list(KINDS.items()), label="Format")
    encoding = forms.ChoiceField(choices=list(ENCODINGS.items()))
    delimiter = forms.ChoiceField(choices=list(DELIMITERS.items()))

    @classmethod
    def of(cls, form: Format) -> FormatForm:
        """The form that shows a detected format."""
        shown = {"kind": form.kind, "encoding": form.encoding, "delimiter": form.delimiter}
        return cls(initial=shown)

    def format(self, detected: Format) -> Format:
        """The chosen format; what is missing or unknown stays as detected."""
        self.is_valid()
        said = self.cleaned_data
        return Format(
            said.get("kind", detected.kind),
            said.get("encoding", detected.encoding),
            said.get("delimiter", detected.delimiter),
            detected.has_mark,
        )


class MappingForm(forms.Form):
    """What each column becomes; fields are numbered, for names may be anything."""

    take = forms.ChoiceField(choices=TAKES, label="Ground truth is", initial=Take.WHOLE)
    marker = forms.CharField(
        required=False, max_length=80, strip=False, initial="####",
        help_text="“#### 18” after the marker #### gives 18.",
    )  # fmt: skip
    tag_separator = forms.ChoiceField(choices=SEPARATORS, required=False, label="Split tags at")
    blank_is_text = forms.BooleanField(
        required=False, label="An empty ground truth cell is empty text, not absent"
    )
    skip_duplicates = forms.BooleanField(required=False, label="Skip exact duplicates in the file")
    policy = forms.ChoiceField(choices=POLICIES, label="Import", initial="all")

    def __init__(self, table: Table, guess: ColumnMapping, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = table
        for place, name in enumerate(table.columns):
            rule = guess.columns[name]
            self.fields[f"role-{place}"] = forms.ChoiceField(
                choices=ROLES, initial=rule.role, label=f"“{name}” becomes"
            )
            self.fields[f"as-{place}"] = forms.ChoiceField(
                choices=READ_AS, initial=rule.read_as, label=f"“{name}” is read as"
            )

    def mapping(self, guess: ColumnMapping) -> ColumnMapping:
        """The chosen mapping of a valid form; the guess of one not sent yet."""
        if not self.is_bound:
            return guess
        said: Mapping[str, Any] = self.cleaned_data
        rules = {
            name: ColumnRule(Role(said[f"role-{place}"]), As(said[f"as-{place}"]))
            for place, name in enumerate(self.table.columns)
        }
        take = Take(said["take"])
        options = {"tag_separator": said["tag_separator"], "blank_is_text": said["blank_is_text"]}
        return ColumnMapping(rules, take, said["marker"], **options)

    def columns(self) -> list[Column]:
        """The rows of the mapping table."""
        return [
            Column(name, samples(self.table, name), self[f"role-{place}"], self[f"as-{place}"])
            for place, name in enumerate(self.table.columns)
        ]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file beside its choices."""

    name: str
    samples: list[Any]
    role: forms.BoundField
    read_as: forms.BoundField


def samples(table: Table, name: str) -> list[Any]:
    """The first values that a column has."""
    rows = (row.values[name] for row in table.rows[:50] if name in row.values)
    return [value for value in rows if value not in ("", None)][:2]
