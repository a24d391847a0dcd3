"""The pages of traces."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from studio.accounts.models import Project
from studio.agents.register import register_agents
from studio.traces.models import Span
from studio.traces.queries import span_tree
from tests.studio.traces.conftest import START, Make, message, text, tool, weather_run

HOME = "/p/demo/traces/"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>{{ 7|add:7 }}"


def test_an_empty_list_says_what_to_do_next(ada_client: Client) -> None:
    html = ada_client.get(HOME).content.decode()
    assert "No traces yet" in html
    assert 'href="/p/demo/agents/"' in html


def test_the_newest_is_on_top_with_what_was_asked_and_said(
    ada_client: Client, make_trace: Make
) -> None:
    make_trace(weather_run(input="first question"))
    make_trace(weather_run(input="second question"))
    html = ada_client.get(HOME).content.decode()
    assert html.index("second question") < html.index("first question")
    assert "It is snowy in Oslo." in html


def test_it_filters_by_status_agent_source_and_name(
    ada_client: Client, make_trace: Make, project: Project
) -> None:
    weather, _ = register_agents(project)
    make_trace(weather_run(input="plain one"))
    make_trace(weather_run(input="broken one"), error="no", name="Odd")
    make_trace(weather_run(input="agents one"), agent_version=weather.version, source="manual")
    for query, shown in [
        ("status=error", "broken one"), ("agent=weather", "agents one"),
        ("source=manual", "agents one"), ("q=odd", "broken one"),
    ]:  # fmt: skip
        html = ada_client.get(f"{HOME}?{query}").content.decode()
        found = [t for t in ("plain one", "broken one", "agents one") if t in html]
        assert found == [shown], query
    assert "No trace fits" in ada_client.get(f"{HOME}?q=nothing").content.decode()


def test_unknown_filter_values_are_no_error(ada_client: Client, make_trace: Make) -> None:
    make_trace()
    for query in ("status=%00&agent=%00", "before=x&after=-1", "source=%27%3B", "q=%00%25_"):
        assert ada_client.get(f"{HOME}?{query}").status_code == 200


def test_htmx_is_answered_with_the_table_only(ada_client: Client, make_trace: Make) -> None:
    make_trace()
    html = ada_client.get(HOME, headers={"HX-Request": "true"}).content.decode()
    assert "<h1>" not in html
    assert "<table" in html


def test_pages_continue_where_the_last_one_ended(ada_client: Client, make_trace: Make) -> None:
    for number in range(5):
        make_trace(weather_run(input=f"question {number}"))
    first = ada_client.get(f"{HOME}?limit=2").content.decode()
    assert "question 4" in first
    assert "question 2" not in first
    older = ada_client.get(f"{HOME}?limit=2&before={5 - 2 + 1}")
    assert older.status_code == 200
    assert 'rel="next"' in first


def test_the_list_loads_no_bodies_and_asks_three_times_or_less(
    ada_client: Client, make_trace: Make, django_assert_max_num_queries: Any
) -> None:
    for _ in range(4):
        make_trace()
    with django_assert_max_num_queries(6) as captured:
        ada_client.get(HOME)
    (asked,) = [q["sql"] for q in captured if 'FROM "traces_trace"' in q["sql"]]
    for column in ("input", "output", "metadata", "request_context", "error"):
        assert f'"traces_trace"."{column}",' not in asked


def test_the_page_shows_conversation_first_then_steps_then_data(
    ada_client: Client, make_trace: Make
) -> None:
    trace = make_trace(weather_run(metadata={"colour": "teal"}), input_tokens=1234)
    html = ada_client.get(f"{HOME}{trace.trace_id}/").content.decode()
    places = [html.index(f'id="{part}"') for part in ("conversation", "spans", "data")]
    assert places == sorted(places)
    for shown in ("Be brief.", "It is snowy in Oslo.", "get_forecast", "no answer", "teal"):
        assert shown in html
    assert "1\u2009234" in html


def test_a_failed_run_says_why(ada_client: Client, make_trace: Make) -> None:
    trace = make_trace(weather_run(output=None), error="The stations are down.")
    html = ada_client.get(f"{HOME}{trace.trace_id}/").content.decode()
    assert "The run failed." in html
    assert "The stations are down." in html


def test_foreign_and_unknown_traces_are_404(
    ada_client: Client, cy_client: Client, client: Client, make_trace: Make,
    other_project: Project,
) -> None:  # fmt: skip
    trace, foreign = make_trace(), make_trace(project=other_project)
    assert ada_client.get(f"{HOME}{foreign.trace_id}/").status_code == 404
    assert ada_client.get(f"{HOME}{'0' * 32}/").status_code == 404
    assert cy_client.get(f"{HOME}{trace.trace_id}/").status_code == 404
    assert client.get(f"{HOME}{trace.trace_id}/").status_code == 302


def test_hostile_texts_are_shown_as_texts(ada_client: Client, make_trace: Make) -> None:
    said = message(
        "assistant", {"type": "reasoning", "reasoning": HOSTILE},
        tool(HOSTILE, result={HOSTILE: HOSTILE}), tool("x", "output-error", errorText=HOSTILE),
        text(HOSTILE),
    )  # fmt: skip
    run = weather_run(
        input=HOSTILE, output=[said], metadata={HOSTILE: HOSTILE}, request_context={"a": HOSTILE}
    )
    trace = make_trace(run, name=HOSTILE, error=HOSTILE)
    for path in ("", f"{trace.trace_id}/"):
        html = ada_client.get(HOME + path).content.decode()
        assert "<img src=x" not in html, path
        assert "<script>alert" not in html, path
        assert ">14" not in html, path


@pytest.mark.parametrize(
    "output",
    [{}, [], [None], [{"role": None}], {"content": {"parts": 3}}, -0.0, "", True, 2**100, [2**64]],
)
def test_odd_outputs_have_a_page(ada_client: Client, make_trace: Make, output: object) -> None:
    trace = make_trace(weather_run(input=output, output=output))
    assert ada_client.get(f"{HOME}{trace.trace_id}/").status_code == 200


def test_a_number_that_is_too_wide_to_write_is_cut(ada_client: Client, make_trace: Make) -> None:
    trace = make_trace(weather_run(output=10**5000))
    assert (trace.output, trace.truncated) == ("…", True)
    assert ada_client.get(f"{HOME}{trace.trace_id}/").status_code == 200


def span(pk: int, span_id: str, parent: str = "") -> Span:
    """A span in memory."""
    return Span(pk=pk, span_id=span_id, parent_id=parent, started_at=START)


def test_spans_stand_below_their_parents_and_none_is_lost() -> None:
    spans = [
        span(1, "a"),
        span(2, "b", "a"),
        span(3, "c", "b"),
        span(4, "d", "a"),
        span(5, "e", "?"),
    ]
    assert [(row.span.span_id, row.depth) for row in span_tree(spans)] == [
        ("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0),
    ]  # fmt: skip


def test_a_circle_of_spans_is_shown_all_the_same() -> None:
    rows = span_tree([span(1, "a", "b"), span(2, "b", "a"), span(3, "c")])
    assert {row.span.span_id for row in rows} == {"a", "b", "c"}


def test_a_very_deep_trace_has_a_page() -> None:
    spans = [span(n, str(n), str(n - 1)) for n in range(1, 3000)]
    assert len(span_tree(spans)) == 2999
