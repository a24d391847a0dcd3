"""A model is asked over the guarded client."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from studio.llm import chat as chat_module
from studio.llm.addresses import OutboundError
from studio.llm.chat import ChatAnswer, ChatRequest, chat
from tests.studio.llm.host import Host, saying


def ask(host: Host, **changes: Any) -> ChatAnswer:
    """One question to the host."""
    given: dict[str, Any] = {
        "base_url": host.base_url,
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hello?"}],
        "key": "sk-secret-1234",
    }
    return asyncio.run(chat(ChatRequest(**given | changes)))


def failure(host: Host, **changes: Any) -> OutboundError:
    """The error that a question ends in."""
    with pytest.raises(OutboundError) as caught:
        ask(host, **changes)
    return caught.value


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_module, "FIRST_WAIT_S", 0.0)


def test_it_asks_and_reads_text_and_usage(host: Host) -> None:
    host.answers = [saying("Hello!")]
    answer = ask(host, parameters={"temperature": 0})
    assert answer.messages[0]["content"]["parts"] == [{"type": "text", "text": "Hello!"}]
    assert (answer.input_tokens, answer.output_tokens, answer.model) == (11, 7, "tiny-1")
    asked = host.asked[0]
    assert asked["path"] == "/v1/chat/completions"
    assert asked["headers"]["Authorization"] == "Bearer sk-secret-1234"
    assert asked["body"]["temperature"] == 0


def test_parameters_never_replace_model_and_messages(host: Host) -> None:
    host.answers = [saying("Hello!")]
    ask(host, parameters={"model": "other", "messages": [], "stream": True})
    body = host.asked[0]["body"]
    assert (body["model"], body["stream"], len(body["messages"])) == ("tiny", False, 1)


def test_it_keeps_tool_calls_and_reasoning(host: Host) -> None:
    call = {"id": "c1", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
    host.answers = [saying("", tool_calls=[call], reasoning_content="I need the weather.")]
    parts = ask(host).messages[0]["content"]["parts"]
    assert parts[0] == {"type": "reasoning", "reasoning": "I need the weather."}
    assert parts[1]["toolInvocation"] == {
        "toolCallId": "c1", "toolName": "get_weather", "args": {"city": "Oslo"}, "state": "call",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "http_4xx"), (404, "http_4xx"), (500, "http_5xx"), (429, "rate_limited")],
)
def test_it_names_errors_in_the_hosts_words(host: Host, status: int, kind: str) -> None:
    host.answers = [(status, {"error": {"message": "No such thing"}}, {})]
    error = failure(host)
    assert error.kind == kind
    assert "No such thing" in error.message
    assert "sk-secret" not in error.message


def test_it_tries_again_after_a_busy_host(host: Host) -> None:
    host.answers = [(503, {}, {}), (429, {}, {"Retry-After": "0"}), saying("At last")]
    assert ask(host).messages[0]["content"]["content"] == "At last"
    assert len(host.asked) == 3


def test_it_gives_up_after_three_attempts(host: Host) -> None:
    host.answers = [(503, {}, {})]
    assert failure(host).kind == "http_5xx"
    assert len(host.asked) == 3


@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b'{"choices": []}', b"[1]", b'{"choices":[{"message":3}]}']
)
def test_an_answer_of_another_shape_is_malformed(host: Host, body: bytes) -> None:
    host.answers = [(200, body, {})]
    assert failure(host).kind == "malformed"


def test_a_slow_host_ends_in_a_timeout(host: Host) -> None:
    host.answers, host.is_slow = [saying("late")], True
    assert failure(host, total_s=0.2).kind == "timeout"
