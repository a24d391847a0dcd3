"""An agent's version as what the engine asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.agents.errors import AgentUnavailable
from studio.agents.found import resolve
from studio.agents.keys import decrypt
from studio.agents.models import Agent, AgentVersion
from studio.llm.chat import ChatRequest, chat
from studio.llm.wire import chat_messages

__all__ = ["AgentUnavailable", "OpenAIAgent", "target_for"]


@dataclass(frozen=True, slots=True)
class OpenAIAgent:
    """A model behind an OpenAI-compatible API, asked with fixed instructions."""

    name: str
    base_url: str
    model: str
    instructions: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    key: str = field(default="", repr=False)

    async def generate(
        self, input: Any, *, request_context: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """Ask once; the answer's messages and what it used."""
        request = ChatRequest(
            base_url=self.base_url,
            model=self.model,
            messages=chat_messages(input, self.instructions),
            key=self.key,
            parameters=self.parameters,
        )
        answer = await chat(request)
        usage = {"inputTokens": answer.input_tokens, "outputTokens": answer.output_tokens}
        return {"messages": answer.messages, "usage": usage}


def target_for(version: AgentVersion) -> Any:
    """What the engine asks for this version; raises `AgentUnavailable` with the reason."""
    agent = version.agent
    if agent.kind == Agent.Kind.PYTHON:
        return python_target(version)
    if agent.kind == Agent.Kind.OPENAI:
        return openai_target(version)
    raise AgentUnavailable(f"Agents of kind {agent.get_kind_display()} cannot be asked from here.")


def python_target(version: AgentVersion) -> Any:
    """The Python object of a version; another source than the version's is not asked for it."""
    found = resolve(version.spec["entry"])
    if found.spec()["source"] != version.spec.get("source"):
        words = "The source of this agent has changed since this version; ask its newest version."
        raise AgentUnavailable(words)
    return found.target


def openai_target(version: AgentVersion) -> OpenAIAgent:
    """The model of a version; the key only ever goes to the address it was entered for."""
    connection = version.agent.connection
    if connection is None:
        raise AgentUnavailable("This agent has no connection.")
    spec = version.spec
    if connection.base_url != spec["base_url"]:
        raise AgentUnavailable(
            f"This version was asked at {spec['base_url']}, the connection is at "
            f"{connection.base_url} now; ask the newest version."
        )
    return OpenAIAgent(
        name=version.agent.name,
        base_url=spec["base_url"],
        model=spec["model"],
        instructions=spec.get("instructions", ""),
        parameters=spec.get("parameters", {}),
        key=decrypt(connection.encrypted_key),
    )
