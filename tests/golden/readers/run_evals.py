"""Reader for whole runs of evals over an agent."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from evals_core.cases import DuplicateScorer, InvalidData, InvalidScorers, NoItems, UnknownGroup
from evals_core.checks import build
from evals_core.experiment import EvalsResult, ItemResult, TurnResult, run_evals
from evals_core.gate import InvalidThreshold, Threshold
from evals_core.messages import message_text
from evals_core.run import ABSENT, Item
from evals_core.scorer import Scorer, StepContext, Subject, create_scorer, not_scorable
from evals_core.targets import Answer, agent_input, assistant_message
from tests.golden.readers import Json
from tests.golden.readers.checks import KINDS


class RecordedTarget:
    """Gives the recorded answers, each question of an item its own."""

    def __init__(self, data: list[Json], spans: list[Json]) -> None:
        self.data = data
        self.spans = spans

    async def ask(self, item: Item, history: Any = ()) -> Answer:
        turn = sum(message["role"] == "user" for message in history)
        given = self.data[int(item.id)]["answers"][turn]
        if "throws" in given:
            raise RuntimeError(given["throws"])
        calls = [{"toolName": name, "result": {}} for name in given.get("tools", ())]
        output = [assistant_message(given["text"], calls)]
        return Answer(output, agent_input(item.input), spans=self.spans)


def _custom(spec: Json, context: StepContext) -> Any:
    run: Any = context.run
    if spec.get("countSteps"):
        return len(run.output.steps)
    if spec.get("expected"):
        return run.expected_trajectory is not ABSENT
    text = " ".join(map(message_text, run.output))
    if spec.get("groundTruth"):
        return text == run.ground_truth
    by_text = spec["byText"]
    value = by_text.get(text, by_text.get("*"))
    if isinstance(value, dict):
        if "throws" in value:
            raise RuntimeError(value["throws"])
        return not_scorable(value["notScorable"])
    return value


ARGUMENT = {
    "includes": "expected",
    "excludes": "expected",
    "equals": "expected",
    "similarity": "expected",
    "calledTool": "tool_name",
    "didNotCall": "tool_name",
    "toolOrder": "tool_names",
    "maxToolCalls": "limit",
}


def _scorer(spec: Json) -> Scorer:
    if "check" in spec:
        name = spec["check"]
        values = {ARGUMENT[name]: spec["args"][0]} if spec["args"] else {}
        return build(KINDS[f"checks.{name}"], values)
    is_trajectory = spec.get("type") == "trajectory"
    return create_scorer(
        spec["id"],
        subject=Subject.TRAJECTORY if is_trajectory else Subject.RUN,
        generate_score=partial(_custom, spec),
    )


def _given(spec: Any) -> Any:
    if isinstance(spec, dict) and "scorer" in spec:
        return {**spec, "scorer": _scorer(spec["scorer"])}
    return _scorer(spec)


def _scorers(given: Any) -> Any:
    if isinstance(given, dict):
        return {group: [_given(each) for each in specs] for group, specs in given.items()}
    return [_given(each) for each in given or ()]


def _item(given: Json) -> Json:
    item = {key: value for key, value in given.items() if key != "answers"}
    if "turns" in item:
        item["turns"] = [
            turn | {key: _scorers(turn[key]) for key in ("gates", "scorers") if key in turn}
            for turn in item["turns"]
        ]
    return item


ERRORS: tuple[tuple[type[Exception], str], ...] = (
    (InvalidThreshold, "INVALID_SCORER_THRESHOLD"),
    (NoItems, "RUN_EXPERIMENT_FAILED_NO_DATA_PROVIDED"),
    (InvalidData, "INVALID_DATA_ITEM"),
    (UnknownGroup, "INVALID_AGENT_SCORERS"),
    (DuplicateScorer, "DUPLICATE_SCORER"),
    (InvalidScorers, "NO_SCORERS_PROVIDED"),
)


def _read(given: Json) -> Json:
    completed: list[ItemResult] = []
    try:
        result = asyncio.run(
            run_evals(
                list(map(_item, given["data"])),
                RecordedTarget(given["data"], given.get("spans") or []),
                gates=_scorers(given.get("gates")),
                scorers=_scorers(given.get("scorers")),
                concurrency=given.get("concurrency", 1),
                on_item_complete=completed.append,
            )
        )
    except (InvalidData, InvalidScorers, InvalidThreshold) as error:
        return {"error": {"id": _id_of(error), "message": str(error)}}
    return _told(result, given, len(completed))


def _id_of(error: Exception) -> str:
    return next(name for kind, name in ERRORS if isinstance(error, kind))


def _told(result: EvalsResult, given: Json, completed: int) -> Json:
    given_scorers = given.get("scorers")
    means = {key: mean.value for key, mean in result.scores.items() if mean.value is not None}
    scores: Json = {_kind(key): value for key, value in means.items()}
    keys = sorted(map(_kind, result.scores))
    if isinstance(given_scorers, dict):
        scores, keys = _grouped(given_scorers, scores)
    summary: Json = {"totalItems": result.summary.total_items}
    if result.summary.not_scorable:
        counts = result.summary.not_scorable.items()
        summary["notScorable"] = {_kind(key): count for key, count in counts}
    told: Json = {"scores": scores, "summary": summary}
    told |= {"itemsCompleted": completed, "resultKeys": keys}
    optional = {
        **_assertions(result, _echoes(given_scorers)),
        "turnResults": [_turn(given["data"], each) for each in result.turns],
        "verdict": result.verdict and result.verdict.value,
        "errors": _errors(result),
    }
    return told | {key: value for key, value in optional.items() if value}


def _grouped(groups: Json, scores: Json) -> tuple[Json, list[str]]:
    ids = {
        name: {_scorer(each.get("scorer", each)).kind for each in specs}
        for name, specs in groups.items()
        if specs
    }
    nested = {
        name: {key: value for key, value in scores.items() if key in known}
        for name, known in ids.items()
    }
    return {name: found for name, found in nested.items() if found}, sorted(ids)


def _errors(result: EvalsResult) -> list[str]:
    """What Mastra would have ended at: a target's or a scorer's error, but not a gate's."""
    targets = [item.error.message for item in result.items if item.error]
    gates = {gate.id for gate in result.gates}
    gates |= {gate.id for turn in result.turns for gate in turn.gates}
    scores = [
        score.error.message
        for item in result.items
        for found in (item.by_id, *item.turn_scores)
        for score in found.values()
        if score.error and score.scorer_id not in gates
    ]
    return targets + scores


def _turn(data: list[Json], turn: TurnResult) -> Json:
    turns = [item["turns"][turn.index] for item in data if turn.index < len(item.get("turns", ()))]
    echoes = _echoes([each for given in turns for each in given.get("scorers", ())])
    scores = {_kind(key): mean.value for key, mean in turn.scores.items() if mean.scored}
    return {
        "index": turn.index,
        **_assertions(turn, echoes),
        **({"scores": scores} if scores else {}),
    }


def _assertions(result: EvalsResult | TurnResult, echoes: Json) -> Json:
    gates = [
        {"id": _kind(gate.id), "passed": gate.passed, "score": gate.mean.errors_as_zero}
        for gate in result.gates
    ]
    thresholds = [
        {
            "id": _kind(each.id),
            "passed": each.passed,
            "averageScore": each.mean.value,
            "threshold": _bounds(each.threshold, echoes.get(_kind(each.id))),
        }
        for each in result.thresholds
    ]
    told = {"gateResults": gates, "thresholdResults": thresholds}
    return {key: value for key, value in told.items() if value}


def _echoes(scorers: Any) -> Json:
    """The thresholds as they were given, by the kind of their scorer; of two the first."""
    lists = scorers.values() if isinstance(scorers, dict) else [scorers or ()]
    given = [each for specs in lists for each in specs if "threshold" in each]
    return {_scorer(each["scorer"]).kind: each["threshold"] for each in reversed(given)}


def _kind(scorer_id: str) -> str:
    return scorer_id.partition(":")[0]


def _bounds(threshold: Threshold, echo: Any) -> Any:
    """A lone minimum in the spelling in which it was given; the engine knows only one."""
    bounds = {"min": threshold.min, "max": threshold.max}
    known = {key: value for key, value in bounds.items() if value is not None}
    return known["min"] if known.keys() == {"min"} and not isinstance(echo, dict) else known


RESERVED = {"agent", "trajectory", "workflow", "steps"}


def _deviation(given: Json, answer: Json) -> str | None:
    scorers = given.get("scorers") or []
    if answer.get("errors"):
        return "Q29 an error costs its own item or score only"
    if isinstance(scorers, dict):
        if _echoes(scorers):
            return "Q28 thresholds hold in groups as well"
    elif any(each.get("type") == "trajectory" or each.get("expected") for each in scorers):
        return "Q30 trajectory and expectation reach every scorer"
    elif RESERVED & {each.get("id") for each in scorers}:
        return "Q20 no scorer id is taken for a group"
    gates = answer.get("gateResults", ())
    if any(gate["score"] >= 1 and not gate["passed"] for gate in gates):
        return "Q28 a gate holds where every item reaches 1"
    return None


READERS = {"runEvals.agent": _read}
DEVIATIONS = {"runEvals.agent": _deviation}
