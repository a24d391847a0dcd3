"""A model behind an OpenAI-compatible address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evals_core.model import ModelReply, ModelRequest, ModelUsage

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class NoAnswer(RuntimeError):
    """The model answered with nothing that can be read."""


@dataclass(slots=True)
class OpenAIModel:
    """A chat model of any provider that speaks OpenAI's protocol.

    `http_client` is used for every call, so that whoever gives it decides where calls may go.
    """

    model: str
    api_key: str = field(default="", repr=False)
    base_url: str | None = None
    http_client: Any = field(default=None, repr=False)  # of the kind the installed client takes
    timeout: float = 60.0
    max_retries: int = 2
    parameters: Mapping[str, Any] = field(default_factory=dict)
    _client: AsyncOpenAI | None = field(default=None, repr=False, init=False)

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.model

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask the model once; raises what the client raises, and NoAnswer for an empty choice."""
        messages = [{"role": "user", "content": request.prompt}]
        if request.instructions:
            messages.insert(0, {"role": "system", "content": request.instructions})
        completion = await self._opened().chat.completions.create(
            model=self.model,
            messages=messages,  # type: ignore[arg-type]  # plain dictionaries are what is sent
            **{**self.parameters, **request.parameters},
        )
        if not completion.choices:
            raise NoAnswer("the model gave no choice")
        choice, usage = completion.choices[0], completion.usage
        return ModelReply(
            text=choice.message.content or "",
            usage=ModelUsage(usage.prompt_tokens, usage.completion_tokens)
            if usage
            else ModelUsage(),
            finish_reason=choice.finish_reason,
        )

    def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                api_key=self.api_key or "none",  # local servers want none, the client wants one
                base_url=self.base_url,
                http_client=self.http_client,
                timeout=self.timeout,
                max_retries=self.max_retries,
            )
        return self._client
