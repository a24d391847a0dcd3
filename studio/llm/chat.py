"""Ask a chat-completions API once, with a bounded retry."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from studio.llm.addresses import OutboundError
from studio.llm.http import TOTAL_S, Reply, post_json
from studio.llm.wire import answer_message

RETRIES = 2
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
WORDS = 300  # how much of an error's body is told


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model, and where it goes."""

    base_url: str
    model: str
    messages: list[dict[str, str]]
    key: str = field(default="", repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    total_s: float = TOTAL_S


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What the model said, as messages in the wire shape, and what it used."""

    messages: list[dict[str, Any]]
    model: str
    finish_reason: str
    input_tokens: int | None
    output_tokens: int | None


async def chat(request: ChatRequest) -> ChatAnswer:
    """Ask; raises `OutboundError` of kind timeout, refused_address, http_…, malformed and so on."""
    url = request.base_url.rstrip("/") + "/chat/completions"
    headers = {"Authorization": f"Bearer {request.key}"} if request.key else {}
    payload = {**request.parameters, "model": request.model, "messages": request.messages}
    reply = await patient_post(url, payload | {"stream": False}, headers, request.total_s)
    if reply.status >= 300:
        raise http_error(reply)
    return read_answer(reply.body, request.model)


async def patient_post(
    url: str, payload: Mapping[str, Any], headers: Mapping[str, str], total_s: float
) -> Reply:
    """Post, and again after 429 and 5xx, at most `RETRIES` times and within the time limit."""
    try:
        async with asyncio.timeout(total_s):
            for attempt in range(RETRIES + 1):
                reply = await post_json(url, payload, headers, total_s=total_s)
                if attempt == RETRIES or not (reply.status == 429 or reply.status >= 500):
                    break
                await asyncio.sleep(wait_before(attempt, reply))
            return reply
    except TimeoutError as error:
        raise OutboundError("timeout", f"No full answer within {total_s:g} s.") from error


def wait_before(attempt: int, reply: Reply) -> float:
    """How long to wait before the next attempt: what the host asks for, within reason."""
    asked = reply.headers.get("retry-after", "")
    wait = float(asked) if asked.isascii() and asked.isdigit() else FIRST_WAIT_S * 2**attempt
    return min(wait, LONGEST_WAIT_S)


def http_error(reply: Reply) -> OutboundError:
    """An answer that is an error, in the words of the other host."""
    try:
        body = orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        body = reply.body.decode("utf-8", "replace")
    found = body.get("error", body) if isinstance(body, Mapping) else body
    words = found.get("message", found) if isinstance(found, Mapping) else found
    kind = "rate_limited" if reply.status == 429 else f"http_{reply.status // 100}xx"
    return OutboundError(kind, f"The model's host answered {reply.status}: {str(words)[:WORDS]}")


def read_answer(body: bytes, model: str) -> ChatAnswer:
    """The first choice of an answer; anything else than an answer is `malformed`."""
    try:
        answer = orjson.loads(body)
        choice = answer["choices"][0]
        message = answer_message(choice["message"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise OutboundError("malformed", "The answer is not one of a chat API.") from error
    usage = answer.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return ChatAnswer(
        [message],
        str(answer.get("model") or model),
        str(choice.get("finish_reason") or ""),
        count(usage.get("prompt_tokens")),
        count(usage.get("completion_tokens")),
    )


def count(value: object) -> int | None:
    """A number of tokens, or None where none is told."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
