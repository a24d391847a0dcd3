"""A weather agent that answers from a table, and whose weather stations sometimes fail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.demo_agents.answer import Answer, ToolFailed, question_in

TABLE = {
    "Amsterdam": ("rainy", 14), "Athens": ("sunny", 31), "Berlin": ("cloudy", 19),
    "Brooklyn": ("sunny", 24), "Buenos Aires": ("windy", 17), "Cairo": ("sunny", 36),
    "Cape Town": ("windy", 18), "Chicago": ("snowy", -3), "Delhi": ("hazy", 38),
    "Dublin": ("rainy", 12), "Lagos": ("stormy", 29), "Lisbon": ("sunny", 26),
    "London": ("rainy", 13), "Mumbai": ("rainy", 30), "New York": ("cloudy", 21),
    "Oslo": ("snowy", -5), "Paris": ("cloudy", 17), "Quito": ("rainy", 15),
    "Reykjavik": ("windy", 4), "San Francisco": ("foggy", 15), "Seattle": ("rainy", 11),
    "Singapore": ("stormy", 32), "Sydney": ("sunny", 23), "Tokyo": ("cloudy", 22),
}  # fmt: skip
SILENT = {"Reykjavik"}  # its station never answers
FLAKY = {"Quito", "Lagos"}  # these answer the second time only
OUT_OF_REACH = "Vostok"  # asking about it breaks the agent itself
WET = {"rainy", "stormy", "snowy"}
PLACE = re.compile(
    r"\b(?:in|at|for|of|is|about|or|and|than|to)\s+((?:[A-Z][\w'-]*)(?:\s+[A-Z][\w'-]*)*)"
)
CITY = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in TABLE), re.IGNORECASE)
NOT_A_PLACE = {"Celsius", "Fahrenheit", "I", "Today", "Tomorrow", "Monday", "Sunday", "Please"}


class StationsDown(Exception):
    """The weather agent cannot work at all."""


@dataclass(frozen=True)
class Reading:
    """What one station reports."""

    city: str
    condition: str
    celsius: int

    def words(self, fahrenheit: bool) -> str:
        """The reading in a sentence."""
        degrees = f"{round(self.celsius * 9 / 5 + 32)} °F" if fahrenheit else f"{self.celsius} °C"
        return f"It is {self.condition} in {self.city}, {degrees}."


def get_weather(city: str, attempt: int = 1) -> dict[str, Any]:
    """The weather tool: one city of the table."""
    found = {name.lower(): name for name in TABLE}.get(city.lower())
    if found is None:
        raise ToolFailed(f"There is no weather station in {city}.")
    if found in SILENT or (found in FLAKY and attempt == 1):
        raise ToolFailed(f"The weather station in {found} did not answer.")
    condition, celsius = TABLE[found]
    return {"city": found, "condition": condition, "celsius": celsius}


class WeatherAgent:
    """Answers weather questions about the cities of its table."""

    name = "Weather"
    description = "Answers weather questions from a built-in table; some stations fail at times."

    async def generate(
        self, input: Any, *, request_context: Mapping[str, object] | None = None
    ) -> list[dict[str, Any]]:
        """Look up each city that is asked about and answer in words."""
        question = question_in(input)
        if OUT_OF_REACH.lower() in question.lower():
            raise StationsDown("The weather service has no line to Vostok.")
        unit = (request_context or {}).get("unit")
        fahrenheit = "fahrenheit" in question.lower() or unit == "fahrenheit"
        answer = Answer()
        cities = cities_in(question)
        if not cities:
            return answer.say("Which city do you mean? I know the weather in many of them.")
        answer.think(f"The question is about {' and '.join(cities)}; I look it up.")
        readings, sorry = look_up(answer, cities)
        said = [reading.words(fahrenheit) for reading in readings]
        return answer.say(" ".join([*said, *advice(question.lower(), readings), *sorry]))


def cities_in(question: str) -> list[str]:
    """The cities a question names, known ones first in their order, else what looks like one."""
    known = {name.lower(): name for name in TABLE}
    found = [known[match[0].lower()] for match in CITY.finditer(question)]
    if found:
        return list(dict.fromkeys(found))
    guesses = [match[1] for match in PLACE.finditer(question)]
    return list(dict.fromkeys(guess for guess in guesses if guess not in NOT_A_PLACE))


def look_up(answer: Answer, cities: list[str]) -> tuple[list[Reading], list[str]]:
    """Readings of the cities, each station asked at most twice, and regrets for the others."""
    readings, sorry = [], []
    for city in cities:
        try:
            readings.append(Reading(**patient_weather(answer, city)))
        except ToolFailed as error:
            knows = "could not find out" if city in TABLE else "do not know"
            sorry.append(f"I {knows} the weather in {city}: {error}")
    return readings, sorry


def patient_weather(answer: Answer, city: str) -> dict[str, Any]:
    """The weather of a city; a station that failed is asked once more."""
    try:
        found: dict[str, Any] = answer.call(get_weather, city=city)
    except ToolFailed:
        if city not in TABLE:
            raise
        found = answer.call(get_weather, city=city, attempt=2)
    return found


def advice(question: str, readings: list[Reading]) -> list[str]:
    """What follows from the readings: an umbrella, a coat, the warmer of two cities."""
    said = []
    if readings and re.search(r"umbrella|rain", question):
        wet = any(reading.condition in WET for reading in readings)
        said.append("Take an umbrella." if wet else "You do not need an umbrella.")
    if readings and re.search(r"coat|jacket|cold", question):
        cold = min(reading.celsius for reading in readings) < 12
        said.append("Take a warm coat." if cold else "A coat is not needed.")
    if len(readings) > 1 and re.search(r"warmer|hotter|warmest|hottest", question):
        said.append(f"{max(readings, key=lambda each: each.celsius).city} is the warmest.")
    if len(readings) > 1 and re.search(r"colder|cooler|coldest|coolest", question):
        said.append(f"{min(readings, key=lambda each: each.celsius).city} is the coldest.")
    return said


weather = WeatherAgent()
