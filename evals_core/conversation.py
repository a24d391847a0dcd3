"""Run one case: ask each of its turns in order, then score turns and whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from evals_core.cases import Case
from evals_core.run import Run
from evals_core.score import Score
from evals_core.scorer import Scorer
from evals_core.targets import Answer, Target, TargetError, input_messages, is_message_list
from evals_core.trials import as_run, ask, score_all


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item: its run and scores, or the error of the target."""

    case: Case
    trial: int = 0
    run: Run | None = None
    error: TargetError | None = None
    scores: tuple[Score, ...] = ()
    turn_scores: tuple[Mapping[str, Score], ...] = ()
    duration_ms: float = 0.0

    @property
    def by_id(self) -> dict[str, Score]:
        """The scores by the id of their scorer; empty where the target failed."""
        return {score.scorer_id: score for score in self.scores}


@dataclass(slots=True)
class _Talk:
    """A conversation as it goes on: what was said, and what each turn was answered."""

    said: list[Any] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    spans: list[Any] = field(default_factory=list)
    turn_scores: list[Mapping[str, Score]] = field(default_factory=list)


async def run_case(
    case: Case,
    target: Target,
    scorers: Sequence[Scorer],
    trial: int = 0,
    *,
    item_timeout: float | None = None,
    scorer_timeout: float | None = None,
) -> ItemResult:
    """Ask every turn of a case and score it; a failing target ends the case, not the run."""
    started = perf_counter()
    talk = _Talk()
    for turn in case.turns:
        item = replace(case.item, input=turn.input)
        answer = await ask(target, item, item_timeout, talk.said)
        if isinstance(answer, TargetError):
            return _ended(case, trial, talk, started, error=answer)
        _note(talk, turn.input, answer)
        scored = await score_all(
            turn.assertions.all, as_run(item, answer), answer.spans, seconds=scorer_timeout
        )
        talk.turn_scores.append({score.scorer_id: score for score in scored})
    run = _whole(case, talk)
    scores = await score_all(scorers, run, talk.spans, seconds=scorer_timeout)
    return _ended(case, trial, talk, started, run=run, scores=scores)


def _note(talk: _Talk, asked: Any, answer: Answer) -> None:
    output = answer.output
    talk.answers.append(answer)
    messages = list(output) if is_message_list(output) else []
    talk.said += [*input_messages(asked), *messages]
    talk.outputs += messages or ([] if output == [] else [output])
    talk.spans += answer.spans


def _whole(case: Case, talk: _Talk) -> Run:
    run = as_run(case.item, talk.answers[-1])
    if len(case.turns) == 1 and not case.is_conversation:
        return run
    return replace(run, input=case.turns[0].input, output=talk.outputs)


def _ended(
    case: Case,
    trial: int,
    talk: _Talk,
    started: float,
    *,
    run: Run | None = None,
    scores: tuple[Score, ...] = (),
    error: TargetError | None = None,
) -> ItemResult:
    return ItemResult(
        case,
        trial,
        run,
        error,
        scores,
        tuple(talk.turn_scores),
        (perf_counter() - started) * 1000,
    )
