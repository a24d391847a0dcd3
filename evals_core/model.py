"""What a judge may ask of a language model, and a model that answers from a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens that a call used, as far as the model says."""

    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
        )


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A question to a model; `schema` is the JSON Schema of the wanted answer, if it is JSON."""

    prompt: str
    instructions: str = ""
    schema: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered."""

    text: str
    usage: ModelUsage = field(default_factory=ModelUsage)
    finish_reason: str | None = None


@runtime_checkable
class Model(Protocol):
    """A language model, whoever runs it."""

    @property
    def name(self) -> str:
        """What the model is called."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer a request; raises where there is no answer."""
        ...


class ScriptEnded(RuntimeError):
    """A scripted model was asked more often than it has answers."""


Scripted = str | ModelReply | Exception


class ScriptedModel:
    """A model that gives prepared answers in order, or what a function says; it keeps requests."""

    def __init__(
        self,
        answers: Iterable[Scripted] | Callable[[ModelRequest], Scripted],
        *,
        name: str = "scripted",
    ) -> None:
        self._answer = answers if callable(answers) else None
        self._answers = iter(()) if callable(answers) else iter(answers)
        self._name = name
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Give the next answer; an exception among the answers is raised."""
        self.requests.append(request)
        answer = self._answer(request) if self._answer else next(self._answers, None)
        if answer is None:
            raise ScriptEnded(f"the script has no answer number {len(self.requests)}")
        if isinstance(answer, Exception):
            raise answer
        return ModelReply(answer) if isinstance(answer, str) else answer
