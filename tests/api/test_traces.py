"""Traces over the API."""

from __future__ import annotations

from django.test import Client

from studio.accounts.models import Project
from tests.studio.traces.conftest import Make, make_trace, weather_run

__all__ = ["make_trace"]
HOME = "/api/v1/projects/demo/traces/"


def test_it_lists_traces_newest_first_by_page(ada_client: Client, make_trace: Make) -> None:
    made = [make_trace().trace_id for _ in range(3)]
    first = ada_client.get(HOME + "?limit=2").json()
    second = ada_client.get(HOME + first["next"]).json()
    ids = [row["trace_id"] for row in first["results"] + second["results"]]
    assert ids == made[::-1]
    assert "input" not in first["results"][0]
    assert first["results"][0]["output_preview"] == "It is snowy in Oslo."


def test_it_filters_by_status(ada_client: Client, make_trace: Make) -> None:
    make_trace()
    broken = make_trace(error="no")
    rows = ada_client.get(HOME + "?status=error").json()["results"]
    assert [row["trace_id"] for row in rows] == [broken.trace_id]


def test_it_reads_a_whole_trace_with_spans(ada_client: Client, make_trace: Make) -> None:
    trace = make_trace(weather_run(), input_tokens=2**60)
    body = ada_client.get(f"{HOME}{trace.trace_id}/").json()
    assert [span["name"] for span in body["spans"]] == ["Weather", "get_weather", "get_forecast"]
    assert body["output"] == trace.output
    assert body["input_tokens"] == str(2**60)


def test_foreign_traces_are_404(
    ada_client: Client, cy_client: Client, make_trace: Make, other_project: Project
) -> None:
    foreign, mine = make_trace(project=other_project), make_trace()
    answer = ada_client.get(f"{HOME}{foreign.trace_id}/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert cy_client.get(f"{HOME}{mine.trace_id}/").status_code == 404


def test_wide_numbers_and_odd_texts_come_out_as_json(ada_client: Client, make_trace: Make) -> None:
    trace = make_trace(weather_run(output={"n": 2**100, "nan": float("nan"), "t": "\ud800"}))
    body = ada_client.get(f"{HOME}{trace.trace_id}/").json()
    assert body["output"] == {"n": str(2**100), "nan": "nan", "t": "\ufffd"}
    assert body["sanitized"] is True
