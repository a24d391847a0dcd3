"""The engine's scores as rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

import evals_core
from studio.scorers.models import Score, ScorerVersion
from studio.web.text import clean, preview

if TYPE_CHECKING:
    from studio.agents.models import Agent
    from studio.traces.models import Trace

LABEL_LENGTH = 120
ERROR_KIND_LENGTH = 60
Scored = tuple[ScorerVersion, evals_core.Score]


def score_rows(
    scores: Iterable[Scored],
    *,
    trace: Trace,
    agent: Agent | None,
    source: str,
    experiment_id: int | None = None,
    trial_id: int | None = None,
) -> list[Score]:
    """Unsaved rows for a bulk insert: storable text, previews, JSON as it will be read back."""
    return [
        Score(
            project_id=trace.project_id, scorer_id=version.scorer_id, scorer_version=version,
            trace=trace, agent=agent, source=source, experiment_id=experiment_id,
            trial_id=trial_id, **judged(score),
        )
        for version, score in scores
    ]  # fmt: skip


def judged(score: evals_core.Score) -> dict[str, Any]:
    """What the score says, as column values; an error's message is its reason."""
    reason = clean(score.reason or "")
    error_kind = ""
    if score.error is not None:
        where = f"{score.error.step}: " if score.error.step else ""
        reason, error_kind = clean(f"{where}{score.error.message}"), clean(score.error.kind)
    is_scored = score.outcome == evals_core.Outcome.SCORED
    return {
        "outcome": str(score.outcome),
        "value": score.value if is_scored else None,
        "label": clean(score.label or "")[:LABEL_LENGTH],
        "reason": reason,
        "reason_preview": preview(reason),
        "error_kind": error_kind[:ERROR_KIND_LENGTH],
        "steps": storable(score.steps),
        "prompts": storable(score.prompts),
        "judge": storable(score.judge),
        "duration_ms": score.duration_ms,
    }


def storable(value: Any) -> Any:
    """`value` as strict JSON that every database can hold; what JSON cannot hold, as text."""
    value = clean(value)
    options = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_DATACLASS
    try:
        return orjson.loads(orjson.dumps(value, default=as_json, option=options))
    except (TypeError, ValueError, RecursionError):
        return {"text": clean(repr(value))[:10_000]}


def as_json(value: Any) -> Any:
    """What stands in JSON for a value that is none."""
    if isinstance(value, dict | set | frozenset):
        return list(value)
    if hasattr(value, "items"):
        return dict(value)
    return clean(str(value))
