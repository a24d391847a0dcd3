"""The fields by which people write an item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms

from evals_core.run import ABSENT
from studio.datasets.draft import MAX_EXTERNAL_ID, ItemDraft
from studio.datasets.values import JSON, NONE, TEXT, as_json, as_typed, from_typed

MAX_TEXT = 2_000_000
KINDS = [(TEXT, "Text"), (JSON, "JSON")]
TRUTH_KINDS = [(NONE, "Nothing is expected"), *KINDS]
NEW_ITEM = ItemDraft(input="")


def area(rows: int) -> forms.Textarea:
    """A text area for values."""
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})


def json_field(label: str, help_text: str) -> forms.CharField:
    """An optional field for JSON."""
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=False,
        strip=False,
        max_length=MAX_TEXT,
        widget=area(4),
    )


class ItemForm(forms.Form):
    """An item: plain text needs no quotes, JSON is chosen and then checked."""

    input_type = forms.ChoiceField(choices=KINDS, label="The input is", initial=TEXT)
    input = forms.CharField(required=False, strip=False, max_length=MAX_TEXT, widget=area(6))
    truth_type = forms.ChoiceField(choices=TRUTH_KINDS, label="Ground truth is", initial=NONE)
    truth = forms.CharField(
        label="Ground truth",
        required=False,
        strip=False,
        max_length=MAX_TEXT,
        widget=area(4),
        help_text="What a right answer says; leave the type at “Nothing is expected” for none.",
    )
    expected_trajectory = json_field(
        "Expected trajectory", "JSON: the steps that the agent should take."
    )
    tool_mocks = json_field(
        "Tool mocks", "A JSON list of {“toolName”, “args”, “output”, “matchArgs”}."
    )
    request_context = json_field("Request context", "A JSON object that goes with the request.")
    metadata = json_field("Metadata", "A JSON object, such as {“topic”: “refunds”}.")
    tags = forms.CharField(required=False, max_length=1000, help_text="Separated by commas.")
    external_id = forms.CharField(
        label="External id",
        required=False,
        max_length=MAX_EXTERNAL_ID,
        help_text="Your own id; importing it again updates this item.",
    )

    def __init__(self, draft: ItemDraft = NEW_ITEM, data: Any = None) -> None:
        self.shown = draft
        super().__init__(data, initial=initial_of(draft))

    def clean(self) -> dict[str, Any]:
        """Every value read as what it was said to be; errors say where."""
        said = super().clean() or {}
        self.read("input", said.get("input_type", TEXT), self.shown.input)
        if said.get("truth_type", NONE) != NONE:
            self.read("truth", said["truth_type"], self.shown.ground_truth)
        elif said.get("truth", "").strip():
            self.add_error("truth_type", "Choose text or JSON, or empty the ground truth.")
        else:
            said["truth"] = ABSENT
        self.read_json("expected_trajectory", self.shown.expected_trajectory, dict | list, None)
        self.read_json("tool_mocks", self.shown.tool_mocks, list, [])
        self.read_json("request_context", self.shown.request_context, dict, {})
        self.read_json("metadata", self.shown.metadata, dict, {})
        said["tags"] = tags_in(said.get("tags", ""), self.shown.tags)
        return said

    def read(self, name: str, kind: str, shown: Any) -> None:
        """Put the value of one field in the place of its text."""
        try:
            value = from_typed(kind, self.cleaned_data.get(name, ""), shown)
        except ValueError as error:
            self.add_error(name, f"This is not JSON: {error}.")
        else:
            self.cleaned_data[name] = value

    def read_json(self, name: str, shown: Any, kinds: Any, empty: Any) -> None:
        """The same for a field that is JSON of some kind or empty."""
        if not self.cleaned_data.get(name, "").strip():
            self.cleaned_data[name] = empty
            return
        self.read(name, JSON, shown)
        if name in self.cleaned_data and not isinstance(self.cleaned_data[name], kinds):
            wanted = {dict: "object", list: "list"}.get(kinds, "object or list")
            self.add_error(name, f"Give a JSON {wanted}.")

    def draft(self) -> ItemDraft:
        """What the form says; where the item came from is kept."""
        said = self.cleaned_data
        return replace(
            self.shown,
            input=said["input"],
            ground_truth=said["truth"],
            expected_trajectory=said["expected_trajectory"],
            tool_mocks=said["tool_mocks"],
            request_context=said["request_context"],
            metadata=said["metadata"],
            tags=said["tags"],
            external_id=said["external_id"],
        )


def initial_of(draft: ItemDraft) -> dict[str, Any]:
    """A draft as the texts of the form."""
    input_type, text = as_typed(draft.input)
    truth_type, truth = as_typed(draft.ground_truth) if draft.has_ground_truth else (NONE, "")
    trajectory = draft.expected_trajectory
    return {
        "input_type": input_type,
        "input": text,
        "truth_type": truth_type,
        "truth": truth,
        "expected_trajectory": "" if trajectory is None else as_json(trajectory),
        "tool_mocks": as_json(list(draft.tool_mocks)) if draft.tool_mocks else "",
        "request_context": as_json(dict(draft.request_context)) if draft.request_context else "",
        "metadata": as_json(dict(draft.metadata)) if draft.metadata else "",
        "tags": ", ".join(draft.tags),
        "external_id": draft.external_id,
    }


def tags_in(text: str, shown: Any = ()) -> list[str]:
    """Tags separated by commas, each once; unedited ones stay as they are, commas and all."""
    if text == ", ".join(shown):
        return list(shown)
    return list(dict.fromkeys(tag for part in text.split(",") if (tag := part.strip())))
