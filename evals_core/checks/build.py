"""Make a check of its kind and arguments, as stored or as given in code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from evals_core.checks.catalogue import CheckArgumentError, CheckKind, Finding, RunRule
from evals_core.checks.reading import reading_of
from evals_core.checks.text_rules import TEXT_CHECKS
from evals_core.checks.tool_rules import TOOL_CHECKS
from evals_core.run import Run
from evals_core.scorer import NotScorable, Scorer, StepContext, create_scorer

CATALOGUE: Final[Mapping[str, CheckKind]] = {
    each.kind: each for each in (*TEXT_CHECKS, *TOOL_CHECKS)
}


def build(kind: str, arguments: Mapping[str, object] | None = None) -> Scorer:
    """The check of this kind with these arguments; raises CheckArgumentError."""
    known = CATALOGUE.get(kind)
    if known is None:
        raise CheckArgumentError(f"there is no check of the kind {kind!r}")
    settled = known.settle(arguments or {})
    rule = known.rule(settled)
    return create_scorer(
        known.id_of(settled),
        kind=kind,
        name=known.name,
        description=known.describe(settled),
        spec={"kind": kind, "arguments": settled},
        is_quick=True,
        preprocess=_facts(rule),
        generate_score=lambda context: _finding(rule, context.run).value,
        generate_reason=lambda context: _finding(rule, context.run).reason,
    )


def _facts(rule: RunRule) -> Callable[[StepContext], object]:
    def facts(context: StepContext) -> object:
        found = _found(rule, context.run)
        return found if isinstance(found, NotScorable) else found.facts

    return facts


def _finding(rule: RunRule, run: Run) -> Finding:
    found = _found(rule, run)
    if isinstance(found, NotScorable):  # the first step ended the scoring, so none follows
        raise TypeError("a run that cannot be scored has no finding")
    return found


def _found(rule: RunRule, run: Run) -> Finding | NotScorable:
    # The three steps of a check tell one finding, so it is made once for the run.
    return reading_of(run).finding(rule)
