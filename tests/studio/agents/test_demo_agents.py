"""The demo agents work without a key, and fail in the ways that a demo shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evals_core import tool_calls
from studio import demo_agents
from studio.demo_agents import arithmetic, weather
from studio.demo_agents.answer import ToolFailed
from studio.demo_agents.arithmetic import calculate
from studio.demo_agents.weather import StationsDown

DATA = Path(demo_agents.__file__).parent.parent / "demo_data"


def ask(agent: Any, question: Any, **context: object) -> list[dict[str, Any]]:
    """The agent's answer."""
    return list(asyncio.run(agent.generate(question, request_context=context)))


def text(answer: list[dict[str, Any]]) -> str:
    """What an answer says."""
    return str(answer[0]["content"]["content"])


def test_it_looks_a_city_up() -> None:
    answer = ask(weather, "What is the weather in Brooklyn?")
    (call,) = tool_calls.read_tool_calls(answer)
    assert (call.name, call.args, call.state) == ("get_weather", {"city": "Brooklyn"}, "result")
    assert text(answer) == "It is sunny in Brooklyn, 24 °C."


def test_an_unknown_city_is_a_tool_error_that_is_told() -> None:
    answer = ask(weather, "What is the weather in Atlantis?")
    (call,) = tool_calls.read_tool_calls(answer)
    assert tool_calls.is_error(call)
    assert "do not know the weather in Atlantis" in text(answer)


def test_a_flaky_station_answers_the_second_time() -> None:
    answer = ask(weather, "What is the weather in Quito?")
    states = [call.state for call in tool_calls.read_tool_calls(answer)]
    assert states == ["output-error", "result"]
    assert "rainy in Quito" in text(answer)


def test_a_silent_station_is_admitted() -> None:
    assert "could not find out" in text(ask(weather, "Is Reykjavik cold?"))


def test_it_compares_cities_and_reads_the_request_context() -> None:
    answer = text(ask(weather, "Is it warmer in Oslo or Cairo?", unit="fahrenheit"))
    assert "97 °F" in answer
    assert answer.endswith("Cairo is the warmest.")


def test_without_a_city_it_asks_back() -> None:
    answer = ask(weather, "How is the weather?")
    assert text(answer).startswith("Which city")
    assert tool_calls.read_tool_calls(answer) == ()


def test_one_place_breaks_the_agent_itself() -> None:
    with pytest.raises(StationsDown, match="no line to Vostok"):
        ask(weather, "What is the weather in Vostok?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 7 times 6?", "42"),
        ("(3 + 4) * 2", "14"),
        ("Anna has 12 cookies. She eats 4. How many are left?", "8"),
        ("Pens cost $3 each. How much do 7 pens cost?", "21"),
        ("There are 24 sweets shared equally among 6 children. How many does each get?", "4"),
        ("A shirt costs $40 and is sold with a discount of 25%. What does it cost?", "30"),
        ("James runs 3 sprints 3 times a week. He runs 60 meters each sprint. How many?", "540"),
    ],
)
def test_it_works_word_problems_with_its_calculator(question: str, answer: str) -> None:
    said = ask(arithmetic, question)
    assert text(said).endswith(f"The answer is {answer}.")
    assert {call.name for call in tool_calls.read_tool_calls(said)} == {"calculate"}


@pytest.mark.parametrize(
    "question",
    ["", "hello", None, 12, [], {}, {"text": "5 and 5"}, "1 / 0", "9" * 400],
)
def test_it_answers_anything_with_words(question: object) -> None:
    assert text(ask(arithmetic, question))


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "2 ** 9", "a + 1", "", "1 +", "1" * 300, "True + 1"]
)
def test_the_calculator_takes_arithmetic_only(expression: str) -> None:
    with pytest.raises(ToolFailed):
        calculate(expression)


@pytest.mark.parametrize("name", ["weather", "arithmetic"])
def test_most_demo_items_are_answered_right_and_some_are_not(name: str) -> None:
    agent = getattr(demo_agents, name)
    lines = (DATA / f"{name}.jsonl").read_text().splitlines()
    items = [json.loads(line) for line in lines]
    right = sum(item["ground_truth"] in text(ask(agent, item["input"])) for item in items)
    assert 0.6 <= right / len(items) < 1
