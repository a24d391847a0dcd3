"""Reader for what a judge wrote."""

from __future__ import annotations

import asyncio
from typing import Any

from evals_core.judge import Judge, PromptStep
from evals_core.model import ScriptedModel
from evals_core.run import Run
from evals_core.scorer import create_scorer, score_run
from tests.golden.readers import Json

SCHEMA = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string"},
        "count": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
    },
    "required": ["verdict", "count", "tags"],
}


def _read(given: Json) -> Any:
    model = ScriptedModel(lambda _: given["text"])
    scorer = create_scorer(
        "judged",
        judge=Judge(model, "Judge."),
        analyze=PromptStep("reads", lambda _: "What do you say?", SCHEMA),
        generate_score=lambda _: 1,
    )
    score = asyncio.run(score_run(scorer, Run("out")))
    calls = len(model.requests)
    if score.error is not None:
        step = score.error.step
        return {"error": {"failedStep": step, "message": score.error.message}, "calls": calls}
    return {"value": score.steps["analyze"], "attempts": calls, "calls": calls}


READERS = {"llm.judgeParsing": _read}
