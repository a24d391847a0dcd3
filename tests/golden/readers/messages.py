"""Readers for what is taken out of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evals_core import messages, testing, text, tool_calls
from tests.golden.readers import Json


def _value(function: Callable[..., Any], *names: str) -> Callable[[Json], Json]:
    """A reader that gives the function the named fields of the input."""

    def read(given: Json) -> Json:
        answer = function(*(given.get(name) for name in names))
        return {} if answer is None else {"value": answer}

    return read


def _history(given: Json) -> Json:
    limit = (given.get("options") or {}).get("maxMessages", 10)
    answer = messages.get_conversation_history(given.get("input"), limit)
    return {} if answer is None else {"value": answer}


def _merge(given: Json) -> Json:
    merged = tool_calls.merge_tool_invocations(given.get("message"))
    return {"value": [[c.get("toolCallId"), c.get("toolName"), c.get("state")] for c in merged]}


def _test_message(given: Json) -> Json:
    message = testing.create_test_message(
        given.get("content", ""),
        role=given.get("role", "user"),
        id=given.get("id", "test-message"),
        tool_invocations=given.get("toolInvocations", ()),
        parts=given.get("parts"),
    )
    return message | {"createdAt": "<now>"}  # the recording has these words for what differs


def _agent_run(given: Json) -> Json:
    run = testing.create_agent_test_run(
        input_messages=given.get("inputMessages", ()),
        output=given.get("output"),
        remembered_messages=given.get("rememberedMessages", ()),
        system_messages=given.get("systemMessages", ()),
        tagged_system_messages=given.get("taggedSystemMessages", {}),
        request_context=dict(given.get("requestContext") or ()),
        run_id=given.get("runId"),
    )
    context = [[key, value] for key, value in run.request_context.items()]
    run_id = given.get("runId") or "<uuid>"
    return {
        "input": run.input,
        "output": run.output,
        "runId": run_id,
        "requestContext": context,
    }


READERS = {
    "utils.getUserMessageFromRunInput": _value(messages.get_user_message, "input"),
    "utils.getAssistantMessageFromRunOutput": _value(messages.find_assistant_message, "output"),
    "utils.getSystemMessagesFromRunInput": _value(messages.get_system_messages, "input"),
    "utils.getCombinedSystemPrompt": _value(messages.get_combined_system_prompt, "input"),
    "utils.getConversationHistoryFromRunInput": _history,
    "utils.getReasoningFromRunOutput": _value(messages.get_reasoning, "output"),
    "utils.getTextContentFromMastraDBMessage": _value(messages.last_text_part, "message"),
    "utils.extractInputMessages": _value(messages.extract_input_messages, "input"),
    "utils.extractAgentResponseMessages": _value(
        messages.extract_agent_response_messages, "output"
    ),
    "utils.extractToolCalls": _value(tool_calls.extract_tool_calls, "output"),
    "utils.extractToolResults": _value(tool_calls.extract_tool_results, "output"),
    "utils.mergeToolInvocations": _merge,
    "utils.isScorerRunInputForAgent": _value(messages.is_agent_input, "input"),
    "utils.isScorerRunOutputForAgent": _value(messages.is_agent_output, "output"),
    "utils.createTestMessage": _test_message,
    "utils.createAgentTestRun": _agent_run,
    "utils.roundToTwoDecimals": _value(text.round2, "value"),
}
