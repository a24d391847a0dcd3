"""From a word problem to steps of arithmetic, by the words that stand around its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBERS = {word: value for value, word in enumerate(UNITS)} | {
    word: 10 * value for value, word in enumerate(TENS, start=2)
}
TOKEN = re.compile(
    r"(?P<money>\$\s?)?(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<percent>\s?%|\s+percent\b)?"
    rf"|(?P<word>\b(?:{'|'.join(sorted(NUMBERS, key=len, reverse=True))})\b)"
    r"|(?P<relation>\b(?:twice|double[sd]?|triple[sd]?|half|a dozen|dozens?|a third|a quarter)\b)",
    re.IGNORECASE,
)
RELATIONS = {
    "twice": ("*", 2), "double": ("*", 2), "doubled": ("*", 2), "doubles": ("*", 2),
    "triple": ("*", 3), "tripled": ("*", 3), "triples": ("*", 3), "half": ("/", 2),
    "a dozen": ("*", 12), "dozen": ("*", 12), "dozens": ("*", 12),
    "a third": ("/", 3), "a quarter": ("/", 4),
}  # fmt: skip
CLAUSE = re.compile(r"(?<=[.;?!])\s+|,\s+(?!\d{3}\b)|\band\b|\bthen\b|\bbut\b", re.IGNORECASE)
LESS = re.compile(
    r"\b(eats?|ate|gives?|gave|spends?|spent|los[et]s?|lost|us(?:es|ed)|sells?|sold|breaks?|broke"
    r"|fewer|less|away|leaves?|left|off|discount|reduced|removed?|takes?|took|dies?|died|donated?"
    r"|bakes?|shorter|younger|pays?|paid|drank|drinks?)\b",
    re.IGNORECASE,
)
TIMES = re.compile(
    r"\b(each|every|per|times|apiece|an hour|a day|a week|a month|a year|hourly|daily|weekly"
    r"|costs?|holds?|at \$)|\b(boxes|bags|packs|rows|shelves|jars)\b"
    r"|\b(days|weeks|months|years|hours|minutes)\b",
    re.IGNORECASE,
)
SHARE = re.compile(r"\b(split|shared?|shares|divided?|equally|among|into)\b", re.IGNORECASE)
MORE = re.compile(
    r"\b(more|increase[sd]?|tip|tax|extra|another|buys?|gets?|finds?|found)\b", re.IGNORECASE
)
SUM = re.compile(r"\b(total|altogether|together|in all|combined)\b", re.IGNORECASE)
REST = re.compile(r"\b(left|remain\w*|more|fewer|change|difference)\b", re.IGNORECASE)
LARGEST, MOST_STEPS = 1e12, 12
WORDS = {"+": "add", "-": "take away", "*": "multiply", "/": "divide"}


@dataclass(frozen=True)
class Step:
    """One number and what is done with it."""

    sign: str
    number: float
    words: str
    is_percent: bool = False
    is_own_share: bool = False  # the result is added to what it was made of

    def expression(self, total: str) -> str:
        """The arithmetic of this step, from the total so far."""
        number = f"{self.number:g}" if self.number < 1e6 else f"{self.number:.0f}"
        if self.is_percent:
            share = f"{total} * {number} / 100"
            return share if self.sign == "*" else f"{total} {self.sign} {share}"
        made = f"{total} {self.sign} {number}"
        return f"{total} + {made}" if self.is_own_share else made


def plan(problem: str) -> list[Step]:
    """The steps that the words of a problem suggest; the first holds the number to start with."""
    *story, question = re.split(r"(?<=[.!?])\s+(?=[A-Z])", problem.strip())
    is_sum, asks_rest = bool(SUM.search(question)), bool(REST.search(question))
    steps: list[Step] = []
    for clause in CLAUSE.split(" ".join([*story, question])):
        for match in TOKEN.finditer(clause or ""):
            steps.append(step_of(match, clause, is_sum=is_sum, is_first=not steps))
    if asks_rest and not is_sum and len(steps) == 2 and steps[1].sign == "+":
        larger, smaller = sorted(steps, key=lambda step: -step.number)
        steps = [larger, Step("-", smaller.number, WORDS["-"])]
    return [step for step in steps if step.number <= LARGEST][:MOST_STEPS]


def step_of(match: re.Match[str], clause: str, *, is_sum: bool, is_first: bool) -> Step:
    """What to do with one number, by the clause in which it stands."""
    if relation := match["relation"]:
        sign, factor = RELATIONS[relation.lower()]
        own = is_sum and "dozen" not in relation.lower() and not is_first
        return Step(sign, factor if not is_first else 1, WORDS[sign], is_own_share=own)
    if word := match["word"]:
        number = float(NUMBERS[word.lower()])
    else:
        number = float(match["digits"].replace(",", ""))
    if match["percent"]:
        sign = "-" if LESS.search(clause) else "+" if MORE.search(clause) else "*"
        return Step(sign, number, f"{number:g} percent", is_percent=True)
    sign = sign_of(clause, is_money=bool(match["money"]))
    return Step(sign, number, WORDS[sign])


def sign_of(clause: str, *, is_money: bool) -> str:
    """The operation that the words of a clause suggest."""
    if SHARE.search(clause):
        return "/"
    if TIMES.search(clause) or (is_money and re.search(r"\bfor\b", clause)):
        return "*"
    if LESS.search(clause):
        return "-"
    return "+"
