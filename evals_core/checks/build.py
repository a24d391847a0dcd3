"""Make a check of its kind and arguments, as stored or as given in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evals_core.checks.catalogue import CheckArgumentError, CheckKind, Finding, Rule
from evals_core.checks.reading import reading_of
from evals_core.checks.text_rules import TEXT_CHECKS
from evals_core.checks.tool_rules import TOOL_CHECKS
from evals_core.run import Run
from evals_core.scorer import Scorer, create_scorer

CATALOGUE: Final[Mapping[str, CheckKind]] = {
    each.kind: each for each in (*TEXT_CHECKS, *TOOL_CHECKS)
}


def build(kind: str, arguments: Mapping[str, object] | None = None) -> Scorer:
    """The check of this kind with these arguments; raises CheckArgumentError."""
    known = CATALOGUE.get(kind)
    if known is None:
        raise CheckArgumentError(f"there is no check of the kind {kind!r}")
    settled = known.settle(arguments or {})
    rule = known.prepare(settled)
    return create_scorer(
        known.id_of(settled),
        kind=kind,
        name=known.name,
        description=known.describe(settled),
        spec={"kind": kind, "arguments": settled},
        is_quick=True,
        preprocess=lambda context: _found(rule, context.run).facts,
        generate_score=lambda context: _found(rule, context.run).value,
        generate_reason=lambda context: _found(rule, context.run).reason,
    )


def _found(rule: Rule, run: Run) -> Finding:
    # The three steps of a check tell one finding, so it is made once for the run.
    return reading_of(run).finding(rule)
