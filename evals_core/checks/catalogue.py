"""What a check is made of: its kind, its arguments, and the rule that a run is held against."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from evals_core.checks.ground_truth import (
    NAME,
    ground_truth_as,
    means_ground_truth,
    stored_ground_truth,
)
from evals_core.checks.reading import Reading
from evals_core.patterns import PatternError, compile_pattern
from evals_core.run import ABSENT
from evals_core.steps import NotScorable
from evals_core.text import compact_json, is_json, is_storable

Arguments = Mapping[str, object]
LONGEST_NAME: Final = 60
JSON_PREFIX: Final = "json:"
AMBIGUOUS: Final = ";"  # a spelling that is never plain, so that a digest takes its place


class CheckArgumentError(ValueError):
    """A check was asked for with arguments it cannot have; the message says which and why."""


class Finding(NamedTuple):
    """What a check found: its score, the reason in words, and the facts behind it."""

    value: float
    reason: str
    facts: Mapping[str, object]


Rule = Callable[[Reading], Finding]
RunRule = Callable[[Reading], Finding | NotScorable]


class ArgumentType(StrEnum):
    """What kind of value an argument takes, and so which field a form gives it."""

    TEXT = "text"
    LIST = "list"
    INTEGER = "integer"
    NUMBER = "number"
    BOOL = "bool"
    PATTERN = "pattern"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a check, described so that a form can be made of it."""

    name: str
    label: str
    type: ArgumentType
    required: bool = False
    default: object = None
    help: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_optional: bool = False  # None is a value of its own
    from_ground_truth: bool = False  # may be GROUND_TRUTH, so that each item says what it is

    def settle(self, value: object) -> object:
        """The value as the check uses it; raises CheckArgumentError."""
        if value is None and self.is_optional:
            return None
        if self.from_ground_truth and means_ground_truth(value):
            return stored_ground_truth()
        problem = _PROBLEMS[self.type](self, value)
        if problem:
            raise CheckArgumentError(f"{self.name} {problem}")
        return list(value) if isinstance(value, tuple) else value

    def is_told_by_item(self, value: object) -> bool:
        """Whether this value of the argument stands for the item's ground truth."""
        return self.from_ground_truth and means_ground_truth(value)


@dataclass(frozen=True, slots=True)
class CheckKind:
    """One kind of check, from which any number of checks is made."""

    kind: str
    name: str
    help: str
    arguments: tuple[Argument, ...]
    describe: Callable[[Arguments], str]
    prepare: Callable[[Arguments], Rule]

    def settle(self, given: Arguments) -> dict[str, object]:
        """All arguments, the given ones checked and the others by default."""
        known = {argument.name for argument in self.arguments}
        unknown = sorted(set(given) - known)
        if unknown:
            raise CheckArgumentError(f"{self.kind} has no argument {', '.join(unknown)}")
        settled: dict[str, object] = {}
        for argument in self.arguments:
            value = given.get(argument.name, ABSENT)
            if value is ABSENT and argument.required:
                raise CheckArgumentError(f"{self.kind} needs {argument.name}")
            settled[argument.name] = argument.default if value is ABSENT else argument.settle(value)
        return settled

    def rule(self, settled: Arguments) -> RunRule:
        """What a run is held against; the ground truth is put in its place run by run."""
        told = [each for each in self.arguments if each.is_told_by_item(settled[each.name])]
        if not told:
            return self.prepare(settled)
        argument = told[0]
        is_text = argument.type is ArgumentType.TEXT

        def rule(reading: Reading) -> Finding | NotScorable:
            truth = ground_truth_as(reading.ground_truth, is_text=is_text)
            if isinstance(truth, NotScorable):
                return truth
            return self.prepare({**settled, argument.name: truth})(reading)

        return rule

    def id_of(self, settled: Arguments) -> str:
        """A name that differs between two checks exactly where they differ."""
        words = []
        for argument in self.arguments:
            value = settled[argument.name]
            if argument.required:
                words.append(_spelled(argument, value))
            elif value != argument.default:
                words.append(f"{argument.name}={_spelled(argument, value)}")
        name = ";".join(words)
        if len(name) > LONGEST_NAME or not all(_is_plain(word) for word in words[:1]):
            canonical = compact_json([settled[argument.name] for argument in self.arguments])
            name = "#" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{self.kind}:{name}" if words else self.kind


def _spelled(argument: Argument, value: object) -> str:
    if argument.is_told_by_item(value):
        return NAME
    if isinstance(value, str):
        is_ambiguous = argument.type is ArgumentType.JSON and value.startswith(JSON_PREFIX)
        is_ambiguous |= argument.from_ground_truth and value == NAME
        return AMBIGUOUS if is_ambiguous else value
    if argument.type is ArgumentType.LIST and isinstance(value, list):
        return "→".join(value) if all("→" not in name for name in value) else AMBIGUOUS
    text = compact_json(value)
    return f"{JSON_PREFIX}{text}" if argument.type is ArgumentType.JSON else text


def _is_plain(word: str) -> bool:
    # What could be taken for something else is spelled by its digest instead.
    return bool(word) and word.isprintable() and not set(word) & set(";#") and word == word.strip()


def _text_problem(_: Argument, value: object) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    return None if is_storable(value) else "must not hold NUL or half a character"


def _list_problem(_: Argument, value: object) -> str | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
        return "must be a list of names"
    return None if all(map(is_storable, value)) else "must not hold NUL or half a character"


def _number_problem(argument: Argument, value: object) -> str | None:
    is_whole = argument.type is ArgumentType.INTEGER
    if isinstance(value, bool) or not isinstance(value, int if is_whole else (int, float)):
        return "must be a whole number" if is_whole else "must be a number"
    low, high = argument.minimum, argument.maximum
    if math.isnan(value):
        return "must be a number"
    if low is not None and value < low:
        return f"must be at least {low:g}"
    return f"must be at most {high:g}" if high is not None and value > high else None


def _bool_problem(_: Argument, value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _choice_problem(argument: Argument, value: object) -> str | None:
    return None if value in argument.choices else f"must be one of {', '.join(argument.choices)}"


def _pattern_problem(_: Argument, value: object) -> str | None:
    if not isinstance(value, str):
        return "must be text"
    if not is_storable(value):
        return "must not hold NUL or half a character"
    try:
        compile_pattern(value)
    except PatternError as error:
        return f"cannot be used: {error}"
    return None


def _json_problem(_: Argument, value: object) -> str | None:
    return None if is_json(value) else "must be a JSON value"


_PROBLEMS: Mapping[ArgumentType, Callable[[Argument, object], str | None]] = {
    ArgumentType.TEXT: _text_problem,
    ArgumentType.LIST: _list_problem,
    ArgumentType.INTEGER: _number_problem,
    ArgumentType.NUMBER: _number_problem,
    ArgumentType.BOOL: _bool_problem,
    ArgumentType.CHOICE: _choice_problem,
    ArgumentType.PATTERN: _pattern_problem,
    ArgumentType.JSON: _json_problem,
}
