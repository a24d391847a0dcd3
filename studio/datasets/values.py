"""JSON values as the texts of a form, and back without a loss."""

from __future__ import annotations

import json
from typing import Any

from evals_core.run import ABSENT
from studio.datasets.reading import strict_json

TEXT, JSON, NONE = "text", "json", "none"


def as_typed(value: Any) -> tuple[str, str]:
    """How a form shows a value: its type and its text; plain text needs no quotes."""
    if isinstance(value, str):
        return TEXT, value
    return JSON, as_json(value)


def as_json(value: Any) -> str:
    """A value as indented JSON text."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def from_typed(kind: str, text: str, shown: Any) -> Any:
    """What a form's text means; raises `ValueError` that says where it is no JSON.

    `shown` is the value that the form showed: browsers rewrite line ends, so that a text which
    was not edited must give exactly that value again.
    """
    text = unix(text)
    if shown is not ABSENT:
        shown_kind, shown_text = as_typed(shown)
        if (kind, text) == (shown_kind, unix(shown_text)):
            return shown
    return text if kind == TEXT else strict_json(text)


def unix(text: str) -> str:
    """The text with line ends as browsers show them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
