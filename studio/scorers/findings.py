"""What a check expected and what it found, taken from its definition and its recorded facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.scorers.models import Score

LONGEST_MARKED = 5_000
SHOWN_SETTINGS = {"ignore_case": "ignoring case", "exact": "the whole text"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, marked where it is what was searched for."""

    text: str
    is_hit: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Expected and found, each as a word and a value; texts in pieces, tool names as a list."""

    expected: str
    found: str
    pieces: Sequence[Piece] = ()
    expected_tools: Sequence[str] = ()
    found_tools: Sequence[str] = ()
    settings: Sequence[str] = ()


def finding_of(score: Score) -> Finding | None:
    """The finding of a check's score, or None where the scorer recorded no such facts."""
    facts, spec = score.steps.get("preprocess"), score.scorer_version.spec
    if not isinstance(facts, Mapping):
        return None
    arguments = spec.get("arguments", {}) if isinstance(spec, Mapping) else {}
    for needed, read in READERS:
        if needed in facts:
            return read(facts, arguments)
    return None


def of_text(facts: Mapping[str, Any], arguments: Mapping[str, Any]) -> Finding:
    """A text that had to include, exclude, equal or resemble another."""
    target = arguments.get("expected")
    if not isinstance(target, str):  # a JSON value, or the item's own ground truth
        target = facts.get("target", target)
    verb = next(words for key, words in TEXT_VERBS if key in facts)
    settings = [words for key, words in SHOWN_SETTINGS.items() if arguments.get(key) is True]
    output = str(facts.get("output", ""))
    likeness = facts.get("score")
    found = "the text below" if output else "no text"
    if likeness is not None:
        found = f"likeness {float(likeness):.2f}"
    pieces = marked(output, str(facts.get("target", "")) if "score" not in facts else "")
    return Finding(f"{verb} {as_words(target)}", found, pieces, settings=settings)


def of_pattern(facts: Mapping[str, Any], arguments: Mapping[str, Any]) -> Finding:
    """A text that had to match a pattern."""
    settings = [words for key, words in SHOWN_SETTINGS.items() if arguments.get(key) is True]
    found = "a match" if facts.get("matched") else "no match"
    pieces = [Piece(str(facts.get("output", "")))]
    return Finding(f"text that matches {facts['pattern']}", found, pieces, settings=settings)


def of_order(facts: Mapping[str, Any], _: Mapping[str, Any]) -> Finding:
    """Tools that had to be called in an order."""
    tools, wanted = names(facts.get("actualTools")), names(facts.get("expectedOrder"))
    found = "these calls" if tools else "no tool call"
    return Finding("these calls, in this order", found, (), wanted, tools)


def of_count(facts: Mapping[str, Any], arguments: Mapping[str, Any]) -> Finding:
    """Calls of one tool, or of any, that had to be few, many or none."""
    count = facts.get("actualCount", facts.get("count"))
    found = "1 call" if count == 1 else f"{count} calls"
    if "expectedTimes" in facts:
        return Finding(f"at least {facts['expectedTimes']} × {facts.get('toolName', '')}", found)
    if "toolName" in facts:
        return Finding(f"no call of {facts['toolName']}", found)
    limit = facts.get("max", arguments.get("limit", 0))
    return Finding(f"at most {limit} tool calls" if limit else "no tool call", found)


def of_errors(facts: Mapping[str, Any], _: Mapping[str, Any]) -> Finding:
    """Tool calls of which none may fail."""
    found = f"{facts['errorCount']} failed of {facts.get('totalCalls', 0)}"
    return Finding("no tool call that fails", found, (), (), names(facts.get("failed")))


def of_json(facts: Mapping[str, Any], _: Mapping[str, Any]) -> Finding:
    """A text that had to be JSON."""
    return Finding("valid JSON", str(facts.get("note") or "valid JSON"))


TEXT_VERBS = (
    ("found", "text that includes"),
    ("excluded", "text without"),
    ("isEqual", "exactly"),
    ("score", "text like"),
)
READERS = (
    ("pattern", of_pattern),
    ("found", of_text),
    ("excluded", of_text),
    ("isEqual", of_text),
    ("target", of_text),
    ("expectedOrder", of_order),
    ("errorCount", of_errors),
    ("actualCount", of_count),
    ("count", of_count),
    ("valid", of_json),
)


def marked(text: str, target: str) -> list[Piece]:
    """The text in pieces, with every place where `target` stands marked."""
    text = text[:LONGEST_MARKED]
    if not target or target not in text:
        return [Piece(text)] if text else []
    parts = text.split(target)
    pieces = [piece for part in parts for piece in (Piece(part), Piece(target, is_hit=True))]
    return [piece for piece in pieces[:-1] if piece.text]


def names(value: Any) -> list[str]:
    """Up to a hundred names."""
    return [str(each) for each in value[:100]] if isinstance(value, list) else []


def as_words(value: Any) -> str:
    """A text in quotes, any other value as it is."""
    return f"“{value}”" if isinstance(value, str) else str(value)
