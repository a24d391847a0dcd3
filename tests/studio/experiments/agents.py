"""Agents for tests of experiments."""

from __future__ import annotations

import asyncio


class Echo:
    """Echoes, and fails when asked to."""

    name = "Echo"

    async def generate(self, question: object) -> str:
        """The question with the word echo before it."""
        if question == "fail":
            raise RuntimeError("the agent broke")
        if question == "slow":
            await asyncio.sleep(60)
        return f"echo {question}"


echo = Echo()
AGENTS = [echo]
