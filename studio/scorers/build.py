"""From a stored scorer version to the engine's scorer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

import evals_core
from evals_core import checks
from studio.scorers.models import ScorerVersion


class UnknownScorer(LookupError):
    """The stored definition makes no scorer in this installation; the message says why."""


def engine_scorer(version: ScorerVersion) -> evals_core.Scorer:
    """The engine's scorer for a stored version; raises UnknownScorer."""
    return from_spec(version.spec)


def from_spec(spec: Mapping[str, Any]) -> evals_core.Scorer:
    """The engine's scorer for a stored definition; raises UnknownScorer."""
    arguments = orjson.dumps(spec.get("arguments", {}), option=orjson.OPT_SORT_KEYS)
    return built(str(spec.get("kind", "")), arguments)


@lru_cache(maxsize=1024)
def built(kind: str, arguments: bytes) -> evals_core.Scorer:
    """One scorer per definition: engine scorers are frozen, so all callers may share it."""
    try:
        return checks.build(kind, orjson.loads(arguments))
    except checks.CheckArgumentError as error:
        raise UnknownScorer(str(error)) from error
