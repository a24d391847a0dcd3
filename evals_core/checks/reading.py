"""A run as the checks read it: its text and its tool calls, taken out once for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar

from evals_core.messages import get_assistant_message, last_text_part, message_text
from evals_core.run import ABSENT, Run
from evals_core.text import NormalForm, normalised
from evals_core.tool_calls import (
    ToolCall,
    as_tool_call,
    is_error,
    is_recorded_error,
    merge_tool_invocations,
    read_tool_calls,
)

# "whole" reads all text and the worse of two states of a call; "recorded" reads as Mastra does:
# the last text part of a message, the state told in the parts, pending calls not counted as errors.
Manner = Literal["whole", "recorded"]
Found = TypeVar("Found")
MANNERS: Final = ("whole", "recorded")


class Reading:
    """What a run says and which tools it called, read at the first question and then kept."""

    __slots__ = ("_kept", "ground_truth", "output")

    def __init__(self, output: Any, ground_truth: object = ABSENT) -> None:
        self.output, self.ground_truth = output, ground_truth
        self._kept: dict[tuple[object, ...], Any] = {}

    @property
    def is_conversation(self) -> bool:
        """Whether the output is a list of messages rather than a value of its own."""
        output = self.output
        return isinstance(output, list) and all(
            isinstance(message, Mapping) and "role" in message
            for message in output
            if message is not None
        )

    def texts(self, manner: Manner) -> list[str]:
        """The text of each assistant message; of any other output its text as a whole."""
        key = ("texts", manner)
        if key not in self._kept:
            self._kept[key] = self._read_texts(manner)
        found: list[str] = self._kept[key]
        return found

    def _read_texts(self, manner: Manner) -> list[str]:
        if not self.is_conversation:
            text = get_assistant_message(self.output)
            return [] if text is None else [text]
        read = last_text_part if manner == "recorded" else message_text
        return [
            read(message)
            for message in self.output
            if isinstance(message, Mapping) and message.get("role") == "assistant"
        ]

    def text(
        self,
        *,
        is_final: bool = False,
        ignore_case: bool = False,
        normalise: NormalForm = "NFC",
        manner: Manner = "whole",
        joiner: str = " ",
    ) -> str:
        """All assistant text joined by newlines, or only the final one that is not empty.

        `joiner` stands between messages in the recorded manner alone.
        """
        key = ("text", is_final, ignore_case, normalise, manner, joiner)
        if key not in self._kept:
            text = normalised(self._joined(manner, joiner, is_final=is_final), normalise)
            self._kept[key] = text.lower() if ignore_case else text
        found: str = self._kept[key]
        return found

    def _joined(self, manner: Manner, joiner: str, *, is_final: bool) -> str:
        texts = self.texts(manner)
        if manner == "recorded":
            return joiner.join(texts)
        said = [text for text in texts if text]
        return (said[-1] if said else "") if is_final else "\n".join(said)

    def has_text(self) -> bool:
        """Whether the assistant said anything at all."""
        return any(self.texts("whole"))

    def calls(self, manner: Manner = "whole") -> tuple[ToolCall, ...]:
        """Every tool invocation, whether it came to a call or not."""
        key = ("calls", manner)
        if key not in self._kept:
            recorded = manner == "recorded"
            self._kept[key] = _recorded_calls(self.output) if recorded else self._read_calls()
        found: tuple[ToolCall, ...] = self._kept[key]
        return found

    def _read_calls(self) -> tuple[ToolCall, ...]:
        is_messages = isinstance(self.output, (list, Mapping))
        return read_tool_calls(self.output) if is_messages else ()

    def called(self, manner: Manner = "whole") -> list[str]:
        """The names of the tools that were called, in order."""
        key = ("called", manner)
        if key not in self._kept:
            calls = self.calls(manner)
            self._kept[key] = [call.name for call in calls if call.was_made and call.name]
        found: list[str] = self._kept[key]
        return found

    def failed(self, manner: Manner = "whole") -> list[ToolCall]:
        """The tool calls that failed or never finished."""
        if manner == "recorded":
            recorded = _recorded_invocations(self.output)
            return [
                call for call, is_bad in zip(self.calls(manner), recorded, strict=True) if is_bad
            ]
        return [call for call in self.calls() if is_error(call)]

    def finding(self, rule: Callable[[Reading], Found]) -> Found:
        """What the rule finds here, made once however often it is asked."""
        key = ("finding", rule)
        if key not in self._kept:
            self._kept[key] = rule(self)
        found: Found = self._kept[key]
        return found


def _recorded_calls(output: Any) -> tuple[ToolCall, ...]:
    return tuple(
        as_tool_call(invocation, index, place)
        for index, message in enumerate(output if isinstance(output, list) else ())
        for place, invocation in enumerate(merge_tool_invocations(message))
    )


def _recorded_invocations(output: Any) -> list[bool]:
    return [
        is_recorded_error(invocation)
        for message in (output if isinstance(output, list) else ())
        for invocation in merge_tool_invocations(message)
    ]


class _Memo(threading.local):
    """The last run that was read on this thread: its checks follow one another."""

    run: Run | None = None
    reading: Reading | None = None


_memo = _Memo()


def reading_of(run: Run) -> Reading:
    """The reading of a run, shared by the checks that score it one after another."""
    if _memo.run is not run or _memo.reading is None:
        _memo.run, _memo.reading = run, Reading(run.output, run.ground_truth)
    return _memo.reading
