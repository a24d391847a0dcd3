"""An agent that works arithmetic word problems by rule, right where its rules fit."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from studio.demo_agents.answer import Answer, ToolFailed, question_in
from studio.demo_agents.word_problems import Step, plan

OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
LARGEST = 1e15
LONGEST = 200
SPELLED = {"plus": "+", "minus": "-", "times": "*", "multiplied by": "*", "divided by": "/"}
EXPRESSION = re.compile(r"[(\d][\d\s.()+\-*/]*[+\-*/][\d\s.()+\-*/]*")


def calculate(expression: str) -> float | int:
    """The calculator tool: +, -, * and / over numbers, nothing else."""
    if len(expression) > LONGEST:
        raise ToolFailed("The expression is too long.")
    try:
        value = value_of(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, OverflowError, MemoryError) as error:
        raise ToolFailed(f"{expression} is not arithmetic.") from error
    except ZeroDivisionError as error:
        raise ToolFailed("Nothing can be divided by zero.") from error
    if abs(value) > LARGEST:
        raise ToolFailed("The number is too large.")
    value = round(value, 6)
    return int(value) if value == int(value) else value


def value_of(node: ast.expr) -> float:
    """The value of a piece of arithmetic; raises ValueError for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value_of(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](value_of(node.left), value_of(node.right))
    raise ValueError("not arithmetic")


class ArithmeticAgent:
    """Works grade-school arithmetic step by step, with a calculator."""

    name = "Arithmetic"
    description = "Works arithmetic word problems by rule, one calculator call for each step."

    async def generate(
        self, input: Any, *, request_context: Mapping[str, object] | None = None
    ) -> list[dict[str, Any]]:
        """Plan the steps, calculate each, and end with the answer."""
        question = question_in(input)
        answer = Answer()
        try:
            expression = expression_in(question)
            if expression:
                found = answer.call(calculate, expression=expression)
                return answer.say(f"{expression} = {shown(found)}. The answer is {shown(found)}.")
            return work(answer, plan(question))
        except ToolFailed as error:
            return answer.say(f"I cannot work this out. {error}")


def expression_in(question: str) -> str:
    """The arithmetic that a question spells out, or nothing where it tells a story."""
    text = question.lower().replace(",", "").replace("×", "*").replace("÷", "/")
    for words, sign in SPELLED.items():
        text = re.sub(rf"(?<=[\d)])\s+{words}\s+(?=[\d(])", f" {sign} ", text)
    found = EXPRESSION.search(text)
    outside = len(text) - len(found[0]) if found else len(text)
    return found[0].strip().rstrip(".") if found and outside <= 40 else ""


def work(answer: Answer, steps: list[Step]) -> list[dict[str, Any]]:
    """Calculate step after step; each starts from the result of the one before."""
    if not steps:
        return answer.say("I see no numbers to work with, so I have no answer.")
    total: float | int = steps[0].number
    said = [f"We start with {shown(total)}."]
    answer.think(f"There are {len(steps)} numbers to go through.")
    for step in steps[1:]:
        expression = step.expression(shown(total))
        total = answer.call(calculate, expression=expression)
        said.append(f"{step.words.capitalize()}: {expression} = {shown(total)}.")
    return answer.say(" ".join([*said, f"The answer is {shown(total)}."]))


def shown(value: float | int) -> str:
    """A number as people write it: whole where it is whole, else two decimals at most."""
    if value == int(value):
        return str(int(value))
    return f"{value:.2f}".rstrip("0").rstrip(".")


arithmetic = ArithmeticAgent()
