"""An agent that misbehaves on purpose; every call leaves a line in a ledger."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping


def note(text: object) -> None:
    """One line in the ledger, in one write."""
    with open(os.environ["LEDGER"], "ab", buffering=0) as ledger:
        ledger.write(f"{text}\n".encode())


class Echo:
    """Answers with its input after `delay` seconds."""

    name = "Echo"
    description = "Answers with what it was asked."
    delay = float(os.environ.get("AGENT_DELAY", "0"))

    async def generate(
        self, question: object, *, request_context: Mapping[str, object] | None = None
    ) -> str:
        """The input as text; the word `poison` kills the process it runs in."""
        note(question)
        if self.delay:
            await asyncio.sleep(self.delay)
        if question == "poison":
            os.kill(os.getpid(), signal.SIGKILL)
        return f"echo {question}"


echo = Echo()
AGENTS = [echo]
