"""What run_evals is given: items with their turns, scorers with their thresholds, all checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evals_core.gate import Threshold, read_threshold
from evals_core.run import ABSENT, Item
from evals_core.scorer import Scorer, Subject

Json = Any


class InvalidData(ValueError):
    """An item cannot be asked as it is given; the message says which and why."""


class InvalidScorers(ValueError):
    """The scorers cannot be used together as they are given; the message says why."""


class NoItems(InvalidData):
    """There is nothing to run."""


class NoScorers(InvalidScorers):
    """There is nothing to score with."""


class DuplicateScorer(InvalidScorers):
    """Two scorers share an id, so that their scores could not be told apart."""


class UnknownGroup(InvalidScorers):
    """Scorers are given in groups that do not exist."""


@dataclass(frozen=True, slots=True)
class Assertions:
    """Gates and scorers, and the thresholds of those that have one."""

    gates: tuple[Scorer, ...] = ()
    scorers: tuple[Scorer, ...] = ()
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Scorer, ...]:
        """Gates and scorers in this order, each once."""
        return tuple({each.id: each for each in self.gates + self.scorers}.values())


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation, with what is asserted of its answer alone."""

    input: Json
    assertions: Assertions = field(default_factory=Assertions)


@dataclass(frozen=True, slots=True)
class Case:
    """An item with its turns; a single question is a case of one turn."""

    item: Item
    turns: tuple[Turn, ...]
    is_conversation: bool = False


def read_assertions(gates: Json, scorers: Json) -> Assertions:
    """Read gates and scorers in all the ways they may be given; refuses two of one id."""
    gate_scorers, gate_thresholds = _read_list(gates or ())
    if isinstance(scorers, Mapping):
        plain, thresholds = _read_groups(scorers)
    else:
        plain, thresholds = _read_list(scorers or ())
    _refuse_twice(gate_scorers)
    _refuse_twice(plain)
    by_id = {each.id: each for each in gate_scorers}
    # One scorer may be a gate and have a threshold; two different ones may not share an id.
    _refuse_twice([each for each in plain if _differs(each, by_id.get(each.id, each))] * 2)
    return Assertions(gate_scorers, plain, gate_thresholds | thresholds)


def _differs(scorer: Scorer, other: Scorer) -> bool:
    return scorer is not other and scorer.version != other.version


def _refuse_twice(scorers: Sequence[Scorer]) -> None:
    twice = [key for key, count in Counter(each.id for each in scorers).items() if count > 1]
    if twice:
        raise DuplicateScorer(
            f"the scorer id {', '.join(twice)} is given more than once; "
            "every gate and scorer needs an id of its own"
        )


def _read_groups(groups: Mapping[str, Json]) -> tuple[tuple[Scorer, ...], dict[str, Threshold]]:
    unknown = set(groups) - {"agent", "trajectory"}
    if unknown or not groups:
        raise UnknownGroup("scorers are a list, or lists named agent and trajectory")
    plain, thresholds = _read_list(groups.get("agent") or ())
    others, more = _read_list(groups.get("trajectory") or ())
    routed = tuple(replace(each, subject=Subject.TRAJECTORY) for each in others)
    return plain + routed, thresholds | more


def _read_list(given: Iterable[Json]) -> tuple[tuple[Scorer, ...], dict[str, Threshold]]:
    scorers: list[Scorer] = []
    thresholds: dict[str, Threshold] = {}
    for each in given:
        scorer, bounds = _pair(each)
        if not isinstance(scorer, Scorer):
            raise InvalidScorers(f"a scorer is expected, not {type(scorer).__name__}")
        scorers.append(scorer)
        if bounds is not None:
            thresholds[scorer.id] = read_threshold(
                bounds, name=scorer.id, low=scorer.scale_min, high=scorer.scale_max
            )
    return tuple(scorers), thresholds


def _pair(given: Json) -> tuple[Json, Json]:
    if isinstance(given, Mapping) and "scorer" in given:
        return given["scorer"], given.get("threshold")
    if isinstance(given, tuple) and len(given) == 2:
        return given
    return given, None


_FIELDS = {
    "ground_truth": "groundTruth",
    "expected_trajectory": "expectedTrajectory",
    "request_context": "requestContext",
    "metadata": "metadata",
    "tags": "tags",
    "id": "id",
}


def read_case(given: Json, place: int) -> Case:
    """Read one item: an Item, or an object with input, inputs or turns."""
    if isinstance(given, Item):
        return Case(replace(given, id=given.id or str(place)), (Turn(given.input),))
    if not isinstance(given, Mapping):
        raise InvalidData(f"item {place} is not an object")
    turns = _turns(given, place)
    known = {name: given.get(name, given.get(wire, ABSENT)) for name, wire in _FIELDS.items()}
    kept: dict[str, Any] = {name: each for name, each in known.items() if each is not ABSENT}
    kept["id"] = str(kept.get("id") or place)
    kept["tags"] = tuple(kept.get("tags") or ())
    item = Item(input=turns[0].input, **kept)
    return Case(item, turns, is_conversation="turns" in given or "inputs" in given)


def _turns(given: Mapping[str, Json], place: int) -> tuple[Turn, ...]:
    if "turns" in given:
        if "input" in given or "inputs" in given:
            raise InvalidData(f"item {place} has turns, so it cannot have input or inputs")
        return tuple(_turn(each, place) for each in _filled(given, "turns", place))
    if "inputs" in given:
        return tuple(Turn(each) for each in _filled(given, "inputs", place))
    if "input" in given:
        return (Turn(given["input"]),)
    raise InvalidData(f"item {place} has neither input, inputs nor turns")


def _filled(given: Mapping[str, Json], name: str, place: int) -> Sequence[Json]:
    found = given[name]
    if not isinstance(found, (list, tuple)) or not found:
        raise InvalidData(f"item {place}: {name} must be a list of at least one")
    return found


def _turn(given: Json, place: int) -> Turn:
    if isinstance(given, Turn):
        return given
    if not isinstance(given, Mapping) or "input" not in given:
        raise InvalidData(f"item {place} has a turn without input")
    return Turn(given["input"], read_assertions(given.get("gates"), given.get("scorers")))
