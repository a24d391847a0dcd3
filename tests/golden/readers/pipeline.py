"""Readers for the steps of a scorer and for the filter of runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

from evals_core.filter_run import filter_run
from evals_core.run import ABSENT, Run
from evals_core.steps import (
    MissingGenerateScore,
    NotScorable,
    PipelineResult,
    StepContext,
    StepName,
    run_pipeline,
)
from tests.golden.readers import Json

STEPS = {
    "preprocess": StepName.PREPROCESS,
    "analyze": StepName.ANALYZE,
    "generateScore": StepName.GENERATE_SCORE,
    "generateReason": StepName.GENERATE_REASON,
}
WIRE = {name.value: f"{wire}StepResult" for wire, name in STEPS.items()}
NAMES = {name: wire for wire, name in STEPS.items()}
FIELDS = {"groundTruth": "ground_truth", "expectedTrajectory": "expected_trajectory"}
PROMPTS = ("preprocessPrompt", "analyzePrompt", "generateScorePrompt", "generateReasonPrompt")


def run_of(given: Json) -> Run:
    run = Run(output=given.get("output"), input=given.get("input"))
    named = {name: given[wire] for wire, name in FIELDS.items() if wire in given}
    return replace(run, **named, request_context=given.get("requestContext") or {})


def _step(spec: Json, calls: list[Json], context: StepContext) -> Any:
    results = {WIRE[name]: value for name, value in context.results.items()}
    call = {"step": spec["name"], "keys": list(results)}
    if spec["name"] == "generateReason" and context.score is not ABSENT:
        call["score"] = context.score
    calls.append(call)
    if "throws" in spec:
        raise RuntimeError(spec["throws"])
    if "notScorable" in spec:
        return NotScorable(spec["notScorable"])
    if "echo" not in spec:
        return spec.get("returns", ABSENT)
    score = None if context.score is ABSENT else context.score
    run = {key: getattr(context.run, name) for key, name in RUN_FIELDS.items()}
    return {"run": run, "results": dict(results), "score": score}[spec["echo"]]


RUN_FIELDS = {"input": "input", "output": "output", "groundTruth": "ground_truth"}


def _run(given: Json) -> Json:
    calls: list[Json] = []
    steps = tuple((STEPS[each["name"]], partial(_step, each, calls)) for each in given["steps"])
    try:
        done = asyncio.run(run_pipeline(steps, run_of(given["run"])))
    except MissingGenerateScore:
        error = {"id": "MASTR_SCORER_FAILED_TO_RUN_MISSING_GENERATE_SCORE"}
        return {"error": error, "calls": calls}
    told = _present(given["run"] | _told(done))
    if done.failure is None:
        return {"keys": _keys(given["run"], done), "result": told, "calls": calls}
    completed = [NAMES[name] for name in dict.fromkeys(done.completed)]
    error = {
        "id": "MASTR_SCORER_FAILED_TO_RUN_WORKFLOW_FAILED",
        "failedStep": NAMES[done.failure.step],
    }
    partial_result = {"partial": told} if completed else {}
    return {"error": error, "completedSteps": completed, "calls": calls} | partial_result


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not ABSENT}
    return value


def _told(done: PipelineResult) -> Json:
    names = {"generate_score": "score", "generate_reason": "reason"}
    told = {names.get(name, WIRE[name]): value for name, value in done.results.items()}
    if done.not_scorable is None:
        return told
    reason = ABSENT if done.not_scorable.reason is None else done.not_scorable.reason
    told.pop("score", None)
    step = NAMES[done.stopped_at] if done.stopped_at else None
    return told | {"notScorable": {"step": step, "reason": reason}}


def _keys(run: Json, done: PipelineResult) -> list[str]:
    ending = "score" if done.not_scorable is None else "notScorable"
    steps = ("preprocessStepResult", "analyzeStepResult", "reason")
    return sorted({*run, *PROMPTS, *steps, ending})


OPTIONS = {
    "partTypes": "part_types",
    "toolNames": "tool_names",
    "maxRememberedMessages": "max_remembered_messages",
    "maxOutputMessages": "max_output_messages",
    "dropRequestContext": "drop_request_context",
    "dropExpectedTrajectory": "drop_expected_trajectory",
    "dropGroundTruth": "drop_ground_truth",
}


def _filter(given: Json) -> Json:
    options = {OPTIONS[key]: value for key, value in given["options"].items()}
    run = filter_run(**options)(run_of(given["run"]))
    remembered = run.input.get("rememberedMessages") if isinstance(run.input, dict) else None
    told = {
        "remembered": _ids(remembered),
        "outputIds": _ids(run.output),
        "groundTruth": run.ground_truth,
        "requestContext": run.request_context or ABSENT,
        "expectedTrajectory": run.expected_trajectory,
    }
    return {key: value for key, value in told.items() if value is not ABSENT}


def _ids(messages: Any) -> Any:
    if isinstance(messages, list):
        return [each.get("id") for each in messages]
    return ABSENT if messages is None else messages


READERS = {"pipeline.run": _run, "pipeline.filterRun": _filter}
