"""run_evals: ask a target about every item, score the answers, and come to a verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evals_core.cases import (
    Assertions,
    Case,
    NoItems,
    NoScorers,
    read_assertions,
    read_case,
)
from evals_core.conversation import ItemResult, run_case
from evals_core.gate import (
    GateResult,
    ScoresOfItem,
    Threshold,
    ThresholdResult,
    Verdict,
    VerdictReport,
    combine_verdict,
    judge_verdict,
    mean_over,
)
from evals_core.stats import Mean
from evals_core.targets import target_from
from evals_core.trials import TrialPlan, TrialResult, run_one, run_trials, spread, tell

__all__ = [
    "EvalsResult",
    "ItemResult",
    "Summary",
    "TrialPlan",
    "TrialResult",
    "TurnResult",
    "means",
    "run_evals",
    "run_evals_sync",
    "run_one",
    "run_trials",
]


@dataclass(frozen=True, slots=True)
class Summary:
    """How many items were asked, and what became of them."""

    total_items: int
    errors: int = 0  # items whose target failed
    not_scorable: Mapping[str, int] = field(default_factory=dict)  # scorer id → items


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What was asserted of one turn of the conversations, over all items that have it."""

    index: int
    gates: tuple[GateResult, ...] = ()
    thresholds: tuple[ThresholdResult, ...] = ()
    scores: Mapping[str, Mean] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvalsResult:
    """Means with their coverage, the verdict and what it rests on, and every item."""

    scores: Mapping[str, Mean]
    summary: Summary
    items: tuple[ItemResult, ...]
    gates: tuple[GateResult, ...] = ()
    thresholds: tuple[ThresholdResult, ...] = ()
    turns: tuple[TurnResult, ...] = ()
    verdict: Verdict | None = None


async def run_evals(
    data: Iterable[object],
    target: object,
    *,
    gates: Iterable[object] = (),
    scorers: object = (),
    concurrency: int = 1,
    trials: int = 1,
    item_timeout: float | None = None,
    scorer_timeout: float | None = None,
    on_item_complete: Callable[[ItemResult], Awaitable[None] | None] | None = None,
) -> EvalsResult:
    """Ask the target about every item and score the answers; a failure costs its item only."""
    asked, assertions = target_from(target), read_assertions(gates, scorers)
    cases = [read_case(each, place) for place, each in enumerate(data)]
    _check(cases, assertions, concurrency, trials)
    results: dict[int, ItemResult] = {}

    async def work(place: int) -> None:
        case, trial = cases[place // trials], place % trials
        result = await run_case(
            case,
            asked,
            assertions.all,
            trial,
            item_timeout=item_timeout,
            scorer_timeout=scorer_timeout,
        )
        results[place] = result
        if on_item_complete is not None:
            await tell(on_item_complete, result)

    await spread(range(len(cases) * trials), work, concurrency)
    ordered = tuple(results[place] for place in sorted(results))
    return _conclude(cases, ordered, assertions)


def run_evals_sync(data: Iterable[object], target: object, **options: Any) -> EvalsResult:
    """`run_evals` for scripts, where no event loop is running."""
    kept: list[EvalsResult] = []

    async def run() -> None:
        # Kept here, not returned: asyncio.run writes out the whole result of its task as text
        # when it takes its signal handler away (through the repr of a partial in `signal`).
        kept.append(await run_evals(data, target, **options))

    asyncio.run(run())
    return kept[0]


def _check(cases: Sequence[Case], assertions: Assertions, concurrency: int, trials: int) -> None:
    if not cases:
        raise NoItems("there are no items to run")
    turns = [turn for case in cases for turn in case.turns]
    if not assertions.all and not any(turn.assertions.all for turn in turns):
        raise NoScorers("at least one scorer or gate is needed")
    for name, number in (("concurrency", concurrency), ("trials", trials)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}")


def _conclude(
    cases: Sequence[Case], items: tuple[ItemResult, ...], assertions: Assertions
) -> EvalsResult:
    by_item = [item.by_id for item in items]
    report = judge_verdict((gate.id for gate in assertions.gates), assertions.thresholds, by_item)
    turns = _conclude_turns(cases, items)
    every = (report, *(VerdictReport(None, turn.gates, turn.thresholds) for turn in turns))
    return EvalsResult(
        scores=means(assertions.scorers, by_item),
        summary=_summarise(assertions, items, by_item),
        items=items,
        gates=report.gates,
        thresholds=report.thresholds,
        turns=turns,
        verdict=combine_verdict(
            [gate for each in every for gate in each.gates],
            [threshold for each in every for threshold in each.thresholds],
        ),
    )


def means(scorers: Iterable[Any], scores_by_item: Sequence[ScoresOfItem]) -> dict[str, Mean]:
    """The mean of every scorer, given as scorers or as ids."""
    ids = (each if isinstance(each, str) else each.id for each in scorers)
    return {scorer_id: mean_over(scorer_id, scores_by_item) for scorer_id in ids}


def _summarise(
    assertions: Assertions, items: Sequence[ItemResult], by_item: Sequence[ScoresOfItem]
) -> Summary:
    counts = {key: mean.not_scorable for key, mean in means(assertions.all, by_item).items()}
    return Summary(
        total_items=len(items),
        errors=sum(item.error is not None for item in items),
        not_scorable={key: count for key, count in counts.items() if count},
    )


def _conclude_turns(cases: Sequence[Case], items: Sequence[ItemResult]) -> tuple[TurnResult, ...]:
    if not any(turn.assertions.all for case in cases for turn in case.turns):
        return ()
    longest = max(len(case.turns) for case in cases)
    return tuple(map(partial(_conclude_turn, items), range(longest)))


def _conclude_turn(items: Sequence[ItemResult], index: int) -> TurnResult:
    having = [item for item in items if index < len(item.case.turns)]
    gates: dict[str, list[ScoresOfItem]] = {}
    scores: dict[str, list[ScoresOfItem]] = {}
    thresholds: dict[str, Threshold] = {}
    for item in having:
        assertions = item.case.turns[index].assertions
        found = item.turn_scores[index] if index < len(item.turn_scores) else {}
        for gate in assertions.gates:
            gates.setdefault(gate.id, []).append(found)
        for scorer in assertions.scorers:
            scores.setdefault(scorer.id, []).append(found)
        for key, threshold in assertions.thresholds.items():
            thresholds.setdefault(key, threshold)
    held = [judge_verdict([key], {}, rows) for key, rows in gates.items()]
    reached = [judge_verdict([], {key: each}, scores[key]) for key, each in thresholds.items()]
    return TurnResult(
        index,
        tuple(gate for report in held for gate in report.gates),
        tuple(threshold for report in reached for threshold in report.thresholds),
        {key: mean_over(key, rows) for key, rows in scores.items()},
    )
