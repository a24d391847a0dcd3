"""A stored run is the run that was scored."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

import evals_core
from evals_core import checks
from studio.traces.as_run import as_run
from studio.traces.models import Status, Trace
from studio.traces.record import rows_for_run
from tests.studio.traces.conftest import START, Make, message, text, tool, weather_run

RUNS = {
    "with everything": weather_run(
        ground_truth="snowy",
        expected_trajectory={"steps": [{"name": "get_weather"}]},
        request_context={"tier": "pro"},
        metadata={"difficulty": 2},
        tags=("cold", "north"),
    ),
    "plain text": weather_run(input="Hi", output="Hello"),
    "no output": weather_run(output=None, ground_truth=None),
    "numbers and lists": weather_run(input=[1, 2.5, None, True], output={"answer": [1, {"a": 2}]}),
    "only a failed call": weather_run(output=[message("assistant", tool("x", "call"))]),
}
SCORERS: list[tuple[str, dict[str, object]]] = [
    ("check-includes", {"expected": "snowy"}),
    ("check-called-tool", {"tool_name": "get_weather"}),
    ("check-no-tool-errors", {}),
    ("check-max-tool-calls", {"limit": 1}),
    ("check-similarity", {"expected": "It is snowy"}),
]


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_is_equal_to_the_run(make_trace: Make, name: str) -> None:
    run, stored = RUNS[name], as_run(make_trace(RUNS[name], trace_id="a" * 32))
    for field in ("input", "output", "ground_truth", "expected_trajectory", "request_context"):
        assert getattr(stored, field) == getattr(run, field), field
    assert (stored.metadata, stored.tags, stored.run_id) == (run.metadata, run.tags, run.run_id)
    assert stored.trace_id == "a" * 32


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_scores_the_same(make_trace: Make, name: str) -> None:
    run, stored = RUNS[name], as_run(make_trace(RUNS[name]))
    for kind, arguments in SCORERS:
        scorer = checks.build(kind, arguments)
        first, again = (asyncio.run(evals_core.score_run(scorer, each)) for each in (run, stored))
        assert (first.outcome, first.value, first.reason) == (
            again.outcome, again.value, again.reason,
        ), kind  # fmt: skip


def test_what_was_never_expected_stays_absent(make_trace: Make) -> None:
    stored = as_run(make_trace(weather_run()))
    assert stored.ground_truth is evals_core.ABSENT
    assert as_run(make_trace(weather_run(ground_truth=None))).ground_truth is None


def test_each_tool_call_is_a_span_below_the_agents(make_trace: Make) -> None:
    spans = list(make_trace().spans.order_by("pk"))
    assert [(s.kind, s.name, s.status) for s in spans] == [
        ("agent_run", "Weather", Status.OK),
        ("tool_call", "get_weather", Status.ERROR),
        ("tool_call", "get_forecast", Status.OK),
    ]
    assert {span.parent_id for span in spans[1:]} == {spans[0].span_id}
    assert (spans[1].error, spans[1].input) == ("no answer", {"city": "Oslo"})
    assert spans[2].output == {"condition": "snowy"}


def test_previews_show_what_was_asked_and_said(make_trace: Make) -> None:
    trace = make_trace()
    assert trace.input_preview == "What is the weather in Oslo?"
    assert trace.output_preview == "It is snowy in Oslo."


def test_an_error_is_the_traces_status(make_trace: Make) -> None:
    trace = make_trace(weather_run(output=None), error="It broke\x00.")
    assert (trace.status, trace.error, trace.output_preview) == (
        Status.ERROR,
        "It broke\ufffd.",
        "",
    )


def deep(levels: int) -> Any:
    """Lists in lists."""
    value: Any = "end"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("output", "stored"),
    [
        ("a\x00b\ud800c", "a\ufffdb\ufffdc"),
        ({"k\x00": float("nan")}, {"k\ufffd": "nan"}),
        ([float("inf"), {1: "one"}], ["inf", {"1": "one"}]),
        ({"when": START}, {"when": str(START)}),
    ],
)
def test_what_cannot_be_stored_is_replaced_and_told(
    make_trace: Make, output: object, stored: object
) -> None:
    trace = make_trace(weather_run(output=output))
    assert trace.output == stored
    assert trace.sanitized


def test_what_is_too_deep_or_too_long_is_cut_and_told(make_trace: Make) -> None:
    assert make_trace(weather_run(output=deep(5000))).truncated
    long = make_trace(weather_run(output="x" * 2_000_000))
    assert long.truncated
    assert len(str(long.output)) == 1_000_000


def test_counts_that_no_column_holds_are_left_out(make_trace: Make) -> None:
    trace = make_trace(input_tokens=2**70, output_tokens=-1, cost=float("nan"))
    assert (trace.input_tokens, trace.output_tokens, trace.cost) == (None, None, None)
    assert make_trace(cost=0.1).cost == Decimal("0.1")


def test_making_rows_touches_no_database(
    make_trace: Make, django_assert_num_queries: Any, project: Any
) -> None:
    with django_assert_num_queries(0):
        trace, _ = rows_for_run(
            project, weather_run(output=[message("assistant", text("Hi"))]), trace_id="b" * 32,
            name="Weather", agent_version=None, source="experiment", started_at=START,
            duration_ms=-1.0,
        )  # fmt: skip
    assert isinstance(trace, Trace)
    assert trace.duration_ms == 0
