"""An answer in the making: what an agent thought, which tools it called, what it said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4


class ToolFailed(Exception):
    """A tool that could not do what it was asked."""


class Answer:
    """Gathers the parts of one assistant message in the order in which they happen."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.calls = 0

    def think(self, text: str) -> None:
        """Keep a thought."""
        self.parts.append({"type": "reasoning", "reasoning": text})

    def call(self, tool: Callable[..., Any], **args: Any) -> Any:
        """Call a tool and keep the call; its failure is kept too, and raised again."""
        self.calls += 1
        invocation: dict[str, Any] = {
            "toolCallId": f"call-{self.calls}",
            "toolName": tool.__name__,
            "args": args,
        }
        self.parts.append({"type": "tool-invocation", "toolInvocation": invocation})
        try:
            result = tool(**args)
        except ToolFailed as error:
            invocation |= {"state": "output-error", "errorText": str(error), "isError": True}
            raise
        invocation |= {"state": "result", "result": result}
        return result

    def say(self, text: str) -> list[dict[str, Any]]:
        """The finished answer, as the one message it is."""
        self.parts.append({"type": "text", "text": text})
        content = {"format": 2, "parts": self.parts, "content": text}
        now = datetime.now(UTC).isoformat()
        return [{"id": str(uuid4()), "role": "assistant", "content": content, "createdAt": now}]


def question_in(source: Any) -> str:
    """The text of the last thing the user said, in any of the shapes an input has."""
    if isinstance(source, str):
        return source
    if isinstance(source, Mapping):
        for key in ("inputMessages", "messages"):
            if isinstance(source.get(key), list):
                return question_in(source[key])
        for key in ("question", "prompt", "text", "input", "content"):
            if source.get(key):
                return question_in(source[key])
        if isinstance(source.get("parts"), list):
            return question_in(source["parts"])
    if isinstance(source, list) and source:
        return question_in(source[-1])
    return "" if source is None else str(source)
