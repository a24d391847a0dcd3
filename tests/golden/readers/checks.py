"""Readers for the quick checks."""

from __future__ import annotations

from functools import partial

from evals_core.checks import CATALOGUE, CheckArgumentError
from evals_core.checks.catalogue import CheckKind
from evals_core.checks.reading import Reading
from tests.golden.readers import Json

NAMES = {
    "expected": "expected",
    "ignoreCase": "ignore_case",
    "exact": "exact",
    "threshold": "threshold",
    "toolName": "tool_name",
    "times": "times",
    "expectedOrder": "tool_names",
    "max": "limit",
}
KINDS = {
    "checks.includes": "check-includes",
    "checks.excludes": "check-excludes",
    "checks.equals": "check-equals",
    "checks.matches": "check-matches",
    "checks.similarity": "check-similarity",
    "checks.calledTool": "check-called-tool",
    "checks.didNotCall": "check-did-not-call",
    "checks.toolOrder": "check-tool-order",
    "checks.maxToolCalls": "check-max-tool-calls",
    "checks.usedNoTools": "check-used-no-tools",
    "checks.noToolErrors": "check-no-tool-errors",
}


def _arguments(given: Json) -> Json:
    named = {key: value for key, value in given.items() if key != "options"}
    named |= given.get("options") or {}
    arguments = {NAMES[key]: value for key, value in named.items() if key in NAMES}
    if "pattern" in given:
        arguments["pattern"] = "/{source}/{flags}".format(**given["pattern"])
    return arguments


def _read(kind: CheckKind, options: Json, given: Json) -> Json:
    settled = None
    known = {argument.name for argument in kind.arguments}
    options = {name: value for name, value in options.items() if name in known}
    try:
        settled = kind.settle(_arguments(given) | options)
    except CheckArgumentError as error:
        return {"refused": str(error)}
    value, _, facts = kind.prepare(settled)(Reading(given.get("output")))
    described = {
        "scorerId": kind.kind,
        "name": kind.name,
        "description": kind.describe(settled),
    }
    return {**described, "score": value, "preprocess": facts}


def _deviation(given: Json, answer: Json) -> str | None:
    if "back" in str(answer.get("refused")):
        return "B8 patterns run in linear time"
    return None


RECORDED_OPTIONS = {"reading": "recorded", "normalise": "none"}
READERS = {name: partial(_read, CATALOGUE[kind], {}) for name, kind in KINDS.items()}
RECORDED = {name: partial(_read, CATALOGUE[kind], RECORDED_OPTIONS) for name, kind in KINDS.items()}
DEVIATIONS = dict.fromkeys(KINDS, _deviation)
