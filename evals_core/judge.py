"""Steps that ask a language model: the prompt, the reading of the answer, one retry."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from secrets import token_hex
from time import perf_counter
from typing import Any, Final

from evals_core.json_answer import find_json
from evals_core.json_schema import problems_of, without_extras
from evals_core.judged_number import UnreadableScore, read_judged_score
from evals_core.model import Model, ModelReply, ModelRequest, ModelUsage
from evals_core.steps import Asked, AskFailed, StepContext, StepName

MOST_ATTEMPTS: Final = 2


@dataclass(frozen=True, slots=True)
class Judge:
    """Which model judges, under which instructions and parameters."""

    model: Model | None = None
    instructions: str | None = None
    parameters: Mapping[str, Any] | None = None

    def over(self, other: object) -> Judge:
        """This judge, with what it leaves open taken from the other."""
        mine = {each.name: getattr(self, each.name) for each in fields(self)}
        return Judge(
            **{
                name: getattr(other, name, None) if value is None else value
                for name, value in mine.items()
            }
        )

    def definition(self) -> dict[str, object]:
        """The judge as JSON, for the scorer's version."""
        return {
            "model": self.model.name if self.model else None,
            "instructions": self.instructions,
            "parameters": dict(self.parameters or {}),
        }


class BadAnswer(ValueError):
    """The model's answer cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class PromptStep:
    """A step that asks a model.

    `create_prompt` makes the prompt of the step's context. Preprocess and analyze steps give
    the JSON Schema of the wanted object; a score is read as a number, a reason as text.
    """

    description: str
    create_prompt: Callable[[StepContext], Any]
    output_schema: Mapping[str, Any] | None = None
    judge: Judge = field(default_factory=Judge)

    def definition(self) -> Mapping[str, object]:
        """The step as JSON, for the scorer's version."""
        return {
            "description": self.description,
            "prompt": self.create_prompt,
            "schema": self.output_schema,
            "judge": self.judge.definition(),
        }

    async def ask(self, step: StepName, context: StepContext) -> Asked:
        """Ask the model, a second time where its first answer cannot be used."""
        judge = self.judge.over(context.judge)
        if judge.model is None or not judge.instructions:
            raise AskFailed(f"the {step} step needs a model and instructions", kind="no_judge")
        created = self.create_prompt(context)
        prompt = str(await created if inspect.isawaitable(created) else created)
        return await _Exchange(judge, judge.model, step, context, self.output_schema).run(prompt)


@dataclass(slots=True)
class _Exchange:
    """One question with its attempts."""

    judge: Judge
    model: Model
    step: StepName
    context: StepContext
    schema: Mapping[str, Any] | None
    marker: str = field(default_factory=lambda: f"ANSWER-{token_hex(4)}")
    usage: ModelUsage = field(default_factory=ModelUsage)
    reply: ModelReply | None = None
    attempts: int = 0

    async def run(self, prompt: str) -> Asked:
        asked = prompt if self.step is StepName.GENERATE_REASON else prompt + self._wanted()
        started = perf_counter()
        sent, problem = asked, ""
        while self.attempts < MOST_ATTEMPTS:
            await self._call(sent, asked, started)
            try:
                result = self._read(self.reply.text if self.reply else "")
            except (BadAnswer, UnreadableScore) as error:
                problem = str(error)
                sent = f"{asked}\n\nYour last answer could not be used: {problem}"
            else:
                return Asked(result, asked, (self._execution(asked, started, result),))
        raise self._failed(problem, "bad_judge_answer", asked, started)

    async def _call(self, sent: str, asked: str, started: float) -> None:
        self.attempts += 1
        request = ModelRequest(
            prompt=sent,
            instructions=self.judge.instructions or "",
            schema=self.schema,
            parameters=self.judge.parameters or {},
        )
        try:
            self.reply = await self.model.complete(request)
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise self._failed(message, "judge_failed", asked, started) from error
        self.usage += self.reply.usage

    def _failed(self, message: str, kind: str, asked: str, started: float) -> AskFailed:
        execution = self._execution(asked, started, error=message)
        return AskFailed(message, kind=kind, prompt=asked, executions=(execution,))

    def _wanted(self) -> str:
        schema = self.schema
        if self.step is StepName.GENERATE_SCORE:
            low, high = self.context.scale
            score = {"type": "number", "minimum": low, "maximum": high}
            schema = {"type": "object", "properties": {"score": score}, "required": ["score"]}
        return f"\n\nWrite the line {self.marker}, and after it your answer as one JSON object" + (
            f" of this schema:\n{json.dumps(schema)}" if schema else "."
        )

    def _read(self, text: str) -> Any:
        if not text.strip():
            raise BadAnswer("the answer is empty")
        if self.step is StepName.GENERATE_REASON:
            return text.strip()
        if self.step is StepName.GENERATE_SCORE:
            return read_judged_score(text, self.context.scale, self.marker)
        return self._read_object(text)

    def _read_object(self, text: str) -> Any:
        value = find_json(text, self.marker)
        schema = {"type": "object", **(self.schema or {})}
        problems = list(problems_of(value, schema))
        if problems:
            listed = "".join(f"\n- {problem}" for problem in problems)
            raise BadAnswer(f"the answer is not of the wanted form: {listed}")
        return without_extras(value, schema)

    def _execution(
        self, asked: str, started: float, output: Any = None, error: str | None = None
    ) -> dict[str, object]:
        used = self.usage
        told = {
            "status": "success" if error is None else "failed",
            "prompt": asked,
            "output": output,
            "rawOutput": self.reply.text if self.reply else None,
            "judgeModelId": self.model.name,
            "usage": {
                name: count
                for name, count in (
                    ("inputTokens", used.input_tokens),
                    ("outputTokens", used.output_tokens),
                )
                if count is not None
            },
            "attemptCount": self.attempts,
            "modelCallCount": self.attempts,
            "durationMs": (perf_counter() - started) * 1000,
            "finishReason": self.reply.finish_reason if self.reply else None,
            "error": None if error is None else {"name": "JudgeError", "message": error},
        }
        return {key: value for key, value in told.items() if value is not None}


def delimited(text: str) -> str:
    """The text between marks made for this call alone, so that it cannot pretend to end."""
    mark = f"text-{token_hex(8)}"
    return f"<{mark}>\n{text}\n</{mark}>"
