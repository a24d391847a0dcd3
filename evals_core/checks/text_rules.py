"""The checks of what the assistant said."""

from __future__ import annotations

from typing import Any, Final

from evals_core.checks.catalogue import (
    Argument,
    Arguments,
    ArgumentType,
    CheckKind,
    Finding,
    Rule,
)
from evals_core.checks.ground_truth import means_ground_truth
from evals_core.checks.json_text import describe_json, json_in
from evals_core.checks.reading import MANNERS, Reading
from evals_core.patterns import compile_pattern
from evals_core.text import dice, normalised, parse_json, quoted, same_json

LONGEST_FACT = 2000
IGNORE_CASE: Final = Argument(
    "ignore_case",
    "Ignore case",
    ArgumentType.BOOL,
    default=True,
    help="Treat A and a as equal.",
)
NORMALISE: Final = Argument(
    "normalise",
    "Unicode form",
    ArgumentType.CHOICE,
    default="NFC",
    choices=("NFC", "NFKC", "none"),
    help="NFC: what is canonically equal is equal. NFKC: so are look-alike spaces and ligatures.",
)
READING: Final = Argument(
    "reading",
    "Reading",
    ArgumentType.CHOICE,
    default="whole",
    choices=MANNERS,
    help="whole: all text and calls. recorded: as Mastra reads, for scores that must match its.",
)


def _expected(type_: ArgumentType = ArgumentType.TEXT, text: str = "") -> Argument:
    return Argument("expected", "Expected", type_, required=True, help=text, from_ground_truth=True)


def _told(a: Arguments) -> str:
    expected = a["expected"]
    return "the ground truth" if means_ground_truth(expected) else quoted(expected, 10**6)


def _read(reading: Reading, a: Any, *, is_final: bool = False, joiner: str = " ") -> str:
    return reading.text(
        is_final=is_final,
        ignore_case=a.get("ignore_case", False),
        normalise=a["normalise"],
        manner=a["reading"],
        joiner=joiner,
    )


def _target(a: Any) -> str:
    text = normalised(a["expected"], a["normalise"])
    return text.lower() if a["ignore_case"] else text


def _found(reading: Reading, *, is_final: bool = False) -> str:
    """What stands in a reason as found: the text in its own spelling, or that there is none."""
    if not reading.has_text():
        return "no assistant text"
    return quoted(reading.text(is_final=is_final))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FACT else text[: LONGEST_FACT - 1] + "…"


def _includes(a: Arguments) -> Rule:
    target, wanted = _target(a), f"expected text that includes {quoted(a['expected'])}"

    def rule(reading: Reading) -> Finding:
        output = _read(reading, a)
        found = target in output
        facts = {"output": _short(output), "target": target, "found": found}
        words = "found it" if found and reading.has_text() else f"found {_found(reading)}"
        return Finding(float(found), f"{wanted}, {words}", facts)

    return rule


def _excludes(a: Arguments) -> Rule:
    includes, wanted = _includes(a), f"expected text without {quoted(a['expected'])}"

    def rule(reading: Reading) -> Finding:
        opposite = includes(reading)
        excluded = not opposite.value
        facts = {"output": opposite.facts["output"], "target": opposite.facts["target"]}
        words = f"found {_found(reading)}" if excluded or not reading.has_text() else "found it"
        return Finding(float(excluded), f"{wanted}, {words}", {**facts, "excluded": excluded})

    return rule


def _equals(a: Arguments) -> Rule:
    expected = a["expected"]
    if not isinstance(expected, str):
        return _equals_json(expected)
    target, wanted = _target(a), f"expected {quoted(expected)}"

    def rule(reading: Reading) -> Finding:
        output = _read(reading, a, is_final=True, joiner="")
        is_equal = output == target
        facts = {"output": _short(output), "target": target, "isEqual": is_equal}
        found = "found it" if is_equal and target else f"found {_found(reading, is_final=True)}"
        return Finding(float(is_equal), f"{wanted}, {found}", facts)

    return rule


def _equals_json(expected: object) -> Rule:
    def rule(reading: Reading) -> Finding:
        value = reading.output
        if isinstance(value, str) or reading.is_conversation:
            text = reading.text(is_final=True)
            try:
                value = parse_json(text)
            except ValueError:  # a text that is not JSON is a text, and equals no other kind
                value = text
        is_equal = same_json(expected, value)
        says_nothing = reading.is_conversation and not reading.has_text()
        found = "no assistant text" if says_nothing else quoted(value)
        facts = {"output": _short(quoted(value, LONGEST_FACT)), "target": expected}
        reason = f"expected the JSON value {quoted(expected)}, found {found}"
        return Finding(float(is_equal), reason, {**facts, "isEqual": is_equal})

    return rule


def _matches(a: Any) -> Rule:
    pattern = compile_pattern(
        a["pattern"],
        exact=a["exact"],
        sticky=a["reading"] == "recorded",
        normalise=a["normalise"],
    )
    wanted = f"expected text that {'as a whole ' if a['exact'] else ''}matches {pattern}"

    def rule(reading: Reading) -> Finding:
        output = _read(reading, a, joiner="")
        matched = pattern.found_in(output)
        facts = {"output": _short(output), "pattern": str(pattern), "matched": matched}
        words = "found a match" if matched and reading.has_text() else f"found {_found(reading)}"
        return Finding(float(matched), f"{wanted}, {words}", facts)

    return rule


def _similarity(a: Any) -> Rule:
    target, threshold = _target(a), a["threshold"]
    wanted = f"expected text like {quoted(a['expected'])}"
    wanted += "" if threshold is None else f" (at least {threshold:g})"

    def rule(reading: Reading) -> Finding:
        output = _read(reading, a)
        score = dice(output, target)
        facts = {"output": _short(output), "target": target, "score": score}
        if threshold is not None:
            facts["threshold"] = threshold
        value = score if threshold is None else float(score >= threshold)
        reason = f"{wanted}, found {_found(reading)}: likeness {score:.2f}"
        return Finding(value, reason, facts)

    return rule


def _valid_json(a: Any) -> Rule:
    wanted = f"expected text that {'contains' if a['contains'] else 'is'} valid JSON"

    def rule(reading: Reading) -> Finding:
        value, note = json_in(reading.text(is_final=True), contains=a["contains"])
        is_valid = value is not None
        found = describe_json(value) if value is not None else _found(reading, is_final=True)
        reason = f"{wanted}, found {found}" + (f" ({note})" if note else "")
        return Finding(float(is_valid), reason, {"valid": is_valid, "note": note})

    return rule


_PATTERN: Final = Argument(
    "pattern",
    "Pattern",
    ArgumentType.PATTERN,
    required=True,
    help=r"Such as \d+ or /yes|no/i. Runs in linear time: no look-around, no back-references.",
)
_EXACT: Final = Argument(
    "exact",
    "Whole text",
    ArgumentType.BOOL,
    default=False,
    help="The whole text must match.",
)
_THRESHOLD: Final = Argument(
    "threshold",
    "Threshold",
    ArgumentType.NUMBER,
    default=None,
    help="From this likeness on the score is 1, below it 0. Empty: the score is the likeness.",
    is_optional=True,
)
_CONTAINS: Final = Argument(
    "contains",
    "Anywhere",
    ArgumentType.BOOL,
    default=False,
    help="JSON within other text counts.",
)
_TEXT: Final = (IGNORE_CASE, NORMALISE, READING)

TEXT_CHECKS: Final = (
    CheckKind(
        "check-includes",
        "Includes Check",
        "The text contains the expected text.",
        (_expected(), *_TEXT),
        lambda a: f"Checks if output includes {_told(a)}",
        _includes,
    ),
    CheckKind(
        "check-excludes",
        "Excludes Check",
        "The text does not contain the given text.",
        (_expected(text="The text that must not occur."), *_TEXT),
        lambda a: f"Checks that output does not include {_told(a)}",
        _excludes,
    ),
    CheckKind(
        "check-equals",
        "Equals Check",
        "The final text, or JSON value, is exactly the expected one.",
        (_expected(ArgumentType.JSON, "A text, or any JSON value."), *_TEXT),
        lambda a: f"Checks if output equals {_told(a)}",
        _equals,
    ),
    CheckKind(
        "check-matches",
        "Matches Check",
        "The text matches a pattern.",
        (_PATTERN, _EXACT, NORMALISE, READING),
        lambda a: f"Checks if output matches pattern {compile_pattern(str(a['pattern']))}",
        _matches,
    ),
    CheckKind(
        "check-similarity",
        "Similarity Check",
        "How alike the text and the expected one are, by pairs of characters.",
        (_expected(), _THRESHOLD, *_TEXT),
        lambda a: f"Checks string similarity to {_told(a)}",
        _similarity,
    ),
    CheckKind(
        "check-valid-json",
        "Valid JSON Check",
        "The final text is valid JSON.",
        (_CONTAINS,),
        lambda a: f"Checks that output {'contains' if a['contains'] else 'is'} valid JSON",
        _valid_json,
    ),
)
