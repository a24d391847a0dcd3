"""What is scored: one run of an agent, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from uuid import uuid4


class Absent(Enum):
    """The type of a value that was never given, which is not the same as None."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Item:
    """One row that a target is asked about, with what is expected of it."""

    input: object
    ground_truth: object = ABSENT
    expected_trajectory: object = ABSENT
    request_context: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of an agent received and did, and what was expected of it.

    `input` and `output` hold any JSON value: agent input and message lists in the wire shape,
    plain text, or whatever a function returned.
    """

    output: object = None
    input: object = None
    ground_truth: object = ABSENT
    expected_trajectory: object = ABSENT
    request_context: Mapping[str, object] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    run_id: str = field(default_factory=lambda: str(uuid4()))
    trace_id: str | None = None
