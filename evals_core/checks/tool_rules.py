"""The checks of which tools the agent called, and how that went."""

from __future__ import annotations

from typing import Any, Final

from evals_core.checks.catalogue import (
    Argument,
    Arguments,
    ArgumentType,
    CheckKind,
    Finding,
    Rule,
)
from evals_core.checks.reading import Reading
from evals_core.checks.text_rules import READING
from evals_core.text import listed, quoted


def _times(count: int) -> str:
    return {0: "no call", 1: "1 call"}.get(count, f"{count} calls")


def _calls_words(tools: list[str]) -> str:
    return f"found {_times(len(tools))}" + (f": {listed(tools[:20])}" if tools else "")


def _called_tool(a: Any) -> Rule:
    name, times = a["tool_name"], a["times"]
    wanted = f"expected {quoted(name)} to be called"
    wanted += f" at least {times} times" if times > 1 else ""

    def rule(reading: Reading) -> Finding:
        tools = reading.called(a["reading"])
        count = tools.count(name)
        passed = count >= times
        facts = {"toolName": name, "expectedTimes": times, "actualCount": count}
        found = f"found {_times(count)}" if passed else f"{_calls_words(tools)}"
        return Finding(float(passed), f"{wanted}, {found}", {**facts, "passed": passed})

    return rule


def _did_not_call(a: Arguments) -> Rule:
    name = a["tool_name"]
    called, wanted = (
        _called_tool({**a, "times": 1}),
        f"expected {quoted(name)} not to be called",
    )

    def rule(reading: Reading) -> Finding:
        opposite = called(reading)
        passed, count = not opposite.value, opposite.facts["actualCount"]
        facts = {"toolName": name, "count": count, "passed": passed}
        found = _times(count) if isinstance(count, int) else ""
        return Finding(float(passed), f"{wanted}, found {found}", facts)

    return rule


def _tool_order(a: Any) -> Rule:
    names = a["tool_names"]
    wanted = f"expected the calls {' → '.join(names) or '(none)'} in this order"

    def rule(reading: Reading) -> Finding:
        tools = reading.called(a["reading"])
        rest = iter(tools)
        missing = next((name for name in names if name not in rest), None)
        passed = missing is None
        facts = {"actualTools": tools, "expectedOrder": names, "passed": passed}
        found = " → ".join(tools[:50]) or "no call"
        reason = f"{wanted}, found {found}"
        if not passed:
            reason += f": {quoted(missing)} is missing in its place"
        return Finding(float(passed), reason, facts)

    return rule


def _max_tool_calls(a: Any) -> Rule:
    limit = a["limit"]

    def rule(reading: Reading) -> Finding:
        tools = reading.called(a["reading"])
        passed = len(tools) <= limit
        facts = {"count": len(tools), "max": limit, "passed": passed}
        reason = f"expected at most {_times(limit)}, {_calls_words(tools)}"
        return Finding(float(passed), reason, facts)

    return rule


def _used_no_tools(a: Arguments) -> Rule:
    at_most_none = _max_tool_calls({**a, "limit": 0})

    def rule(reading: Reading) -> Finding:
        value, _, facts = at_most_none(reading)
        tools = reading.called("recorded" if a["reading"] == "recorded" else "whole")
        reason = f"expected that no tool is called, {_calls_words(tools)}"
        return Finding(value, reason, {"count": facts["count"], "passed": facts["passed"]})

    return rule


def _no_tool_errors(a: Any) -> Rule:
    def rule(reading: Reading) -> Finding:
        calls, failed = reading.calls(a["reading"]), reading.failed(a["reading"])
        facts = {
            "errorCount": len(failed),
            "totalCalls": len(calls),
            "passed": not failed,
            "failed": [f"{call.name} ({call.state})" for call in failed],
        }
        reason = "expected every tool call to end without an error, "
        if failed:
            told = (_failure(call.name, call.state, call.error_text) for call in failed[:10])
            reason += f"found {len(failed)} of {_times(len(calls))} failed: {listed(told)}"
        else:
            reason += f"found {_times(len(calls))}, none failed"
        return Finding(float(not failed), reason, facts)

    return rule


def _failure(name: str, state: str, error: str | None) -> str:
    if error:
        return f"{name} ({quoted(error)})"
    return f"{name} ({'an error in its result' if state == 'result' else state})"


_TOOL: Final = Argument(
    "tool_name", "Tool", ArgumentType.TEXT, required=True, help="The tool's exact name."
)
_TIMES: Final = Argument("times", "At least", ArgumentType.INTEGER, default=1)
_ORDER: Final = Argument(
    "tool_names",
    "Tools in order",
    ArgumentType.LIST,
    required=True,
    help="Other calls may stand between them.",
)
_LIMIT: Final = Argument("limit", "At most", ArgumentType.INTEGER, required=True)

TOOL_CHECKS: Final = (
    CheckKind(
        "check-called-tool",
        "Called Tool Check",
        "The agent called the tool.",
        (_TOOL, _TIMES, READING),
        lambda a: (
            f'Checks that "{a["tool_name"]}" was called'
            + (f" at least {a['times']} times" if a["times"] not in (0, 1) else "")
        ),
        _called_tool,
    ),
    CheckKind(
        "check-did-not-call",
        "Did Not Call Check",
        "The agent did not call the tool.",
        (_TOOL, READING),
        lambda a: f'Checks that "{a["tool_name"]}" was NOT called',
        _did_not_call,
    ),
    CheckKind(
        "check-tool-order",
        "Tool Order Check",
        "The agent called these tools in this order.",
        (_ORDER, READING),
        lambda a: f"Checks tool call order: [{_arrows(a['tool_names'])}]",
        _tool_order,
    ),
    CheckKind(
        "check-max-tool-calls",
        "Max Tool Calls Check",
        "The agent made at most this many tool calls.",
        (_LIMIT, READING),
        lambda a: f"Checks that no more than {a['limit']} tool calls were made",
        _max_tool_calls,
    ),
    CheckKind(
        "check-used-no-tools",
        "Used No Tools Check",
        "The agent called no tool.",
        (READING,),
        lambda _: "Checks that no tools were called",
        _used_no_tools,
    ),
    CheckKind(
        "check-no-tool-errors",
        "No Tool Errors Check",
        "Every tool call ended without an error.",
        (READING,),
        lambda _: "Checks that no tool calls resulted in errors",
        _no_tool_errors,
    ),
)


def _arrows(names: Any) -> str:
    return " → ".join(names)
