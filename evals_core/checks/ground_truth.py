"""Checks that expect what the item says is true, whatever that is for each run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, Literal, TypeAlias

from evals_core.run import ABSENT
from evals_core.steps import not_scorable
from evals_core.text import compact_json, is_json


class GroundTruth(Enum):
    """The type of the value that stands for the item's ground truth."""

    GROUND_TRUTH = {"ground_truth": True}  # as it stands in a stored spec


GROUND_TRUTH: Final = GroundTruth.GROUND_TRUTH
Expected: TypeAlias = "str | Literal[GroundTruth.GROUND_TRUTH]"
NAME: Final = "ground_truth"  # how it is spelled in an id


def stored_ground_truth() -> dict[str, object]:
    """What stands in a spec where the item's ground truth is expected."""
    return dict(GROUND_TRUTH.value)


def means_ground_truth(value: object) -> bool:
    """Whether a value, given in code or stored, stands for the item's ground truth."""
    if value is GROUND_TRUTH:
        return True
    return isinstance(value, Mapping) and len(value) == 1 and value.get(NAME) is True


def ground_truth_as(value: object, *, is_text: bool) -> object:
    """The ground truth as a check compares it, or NotScorable where it cannot."""
    if value is ABSENT:
        return not_scorable("no ground truth")
    if not is_text:
        return value if is_json(value) else not_scorable("the ground truth is not a JSON value")
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)) and is_json(value):
        return compact_json(value)
    return not_scorable("the ground truth is neither text nor a number")
