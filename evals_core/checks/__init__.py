"""Quick checks: scorers without a model that say yes or no, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evals_core.checks.build import CATALOGUE, build
from evals_core.checks.catalogue import (
    Argument,
    ArgumentType,
    CheckArgumentError,
    CheckKind,
)
from evals_core.checks.ground_truth import GROUND_TRUTH, Expected, GroundTruth
from evals_core.checks.reading import Manner
from evals_core.scorer import Scorer
from evals_core.text import NormalForm

__all__ = [
    "CATALOGUE",
    "GROUND_TRUTH",
    "Argument",
    "ArgumentType",
    "CheckArgumentError",
    "CheckKind",
    "GroundTruth",
    "build",
    "called_tool",
    "did_not_call",
    "equals",
    "excludes",
    "includes",
    "matches",
    "max_tool_calls",
    "no_tool_errors",
    "similarity",
    "tool_order",
    "used_no_tools",
    "valid_json",
]


def includes(
    expected: Expected,
    *,
    ignore_case: bool = True,
    normalise: NormalForm = "NFC",
    reading: Manner = "whole",
) -> Scorer:
    """The text contains `expected`."""
    return build("check-includes", _given(expected, ignore_case, normalise, reading))


def excludes(
    unwanted: Expected,
    *,
    ignore_case: bool = True,
    normalise: NormalForm = "NFC",
    reading: Manner = "whole",
) -> Scorer:
    """The text does not contain `unwanted`."""
    return build("check-excludes", _given(unwanted, ignore_case, normalise, reading))


def equals(
    expected: object,
    *,
    ignore_case: bool = True,
    normalise: NormalForm = "NFC",
    reading: Manner = "whole",
) -> Scorer:
    """The final text is `expected`, or it is the same JSON value where `expected` is not text."""
    return build("check-equals", _given(expected, ignore_case, normalise, reading))


def matches(
    pattern: str | re.Pattern[str],
    *,
    exact: bool = False,
    normalise: NormalForm = "NFC",
    reading: Manner = "whole",
) -> Scorer:
    r"""The text, or with `exact` the whole text, matches a pattern such as `\d+` or `/yes|no/i`."""
    arguments = {"exact": exact, "normalise": normalise, "reading": reading}
    return build("check-matches", {"pattern": _pattern_text(pattern), **arguments})


def similarity(
    expected: Expected,
    *,
    threshold: float | None = None,
    ignore_case: bool = True,
    normalise: NormalForm = "NFC",
    reading: Manner = "whole",
) -> Scorer:
    """How alike the text and `expected` are; with a threshold, whether they are alike enough."""
    given = _given(expected, ignore_case, normalise, reading)
    return build("check-similarity", {**given, "threshold": threshold})


def valid_json(*, contains: bool = False) -> Scorer:
    """The final text is strict JSON, or with `contains` has some in it."""
    return build("check-valid-json", {"contains": contains})


def called_tool(tool_name: str, *, times: int = 1, reading: Manner = "whole") -> Scorer:
    """The agent called the tool at least `times` times."""
    arguments = {"tool_name": tool_name, "times": times, "reading": reading}
    return build("check-called-tool", arguments)


def did_not_call(tool_name: str, *, reading: Manner = "whole") -> Scorer:
    """The agent did not call the tool."""
    return build("check-did-not-call", {"tool_name": tool_name, "reading": reading})


def tool_order(tool_names: Sequence[str], *, reading: Manner = "whole") -> Scorer:
    """The agent called these tools in this order, others between them or not."""
    names = tool_names if isinstance(tool_names, str) else list(tool_names)
    return build("check-tool-order", {"tool_names": names, "reading": reading})


def max_tool_calls(limit: int, *, reading: Manner = "whole") -> Scorer:
    """The agent made at most `limit` tool calls."""
    return build("check-max-tool-calls", {"limit": limit, "reading": reading})


def used_no_tools(*, reading: Manner = "whole") -> Scorer:
    """The agent called no tool."""
    return build("check-used-no-tools", {"reading": reading})


def no_tool_errors(*, reading: Manner = "whole") -> Scorer:
    """Every tool call ended without an error."""
    return build("check-no-tool-errors", {"reading": reading})


def _given(
    expected: object, ignore_case: bool, normalise: NormalForm, reading: Manner
) -> dict[str, object]:
    return {
        "expected": expected,
        "ignore_case": ignore_case,
        "normalise": normalise,
        "reading": reading,
    }


def _pattern_text(pattern: str | re.Pattern[str]) -> str:
    if isinstance(pattern, str):
        return pattern
    known = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))
    flags = "".join(letter for flag, letter in known if pattern.flags & flag)
    return f"/{pattern.pattern}/{flags}u"
