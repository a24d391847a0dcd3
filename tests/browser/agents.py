"""An agent that says back what it is asked."""

from __future__ import annotations

from studio.agents.found import agent


@agent("Echo", "Says back what it is asked.")
def echo(question: object) -> object:
    """The question."""
    return question
