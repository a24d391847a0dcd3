"""Time limits that hold, for what blocks and for what refuses to be cancelled as well."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class OutOfTime(Exception):
    """The time limit was over first."""


Job = Callable[[], None]

_idle: deque[SimpleQueue[Job]] = deque()
MOST_IDLE = 32
# Tasks that were cancelled and have not ended; the loop itself holds tasks only weakly.
_abandoned: set[asyncio.Task[Any]] = set()


async def within(work: Coroutine[Any, Any, Result], seconds: float | None) -> Result:
    """Wait for the work, but no longer; raises OutOfTime and leaves the work behind."""
    if seconds is None:
        return await work
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        raise OutOfTime(f"not done within {seconds:g} s")
    return task.result()


def _abandon(task: asyncio.Task[Any]) -> None:
    _abandoned.add(task)
    task.add_done_callback(_forget)
    task.cancel()


def _forget(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # nobody else looks at it, and asyncio would complain of that


async def in_thread(function: Callable[..., Result], *args: Any) -> Result:
    """Call the function in a daemon thread; one that never returns holds up nobody.

    A pool of fixed size would be exhausted by targets that hang, and would keep the process
    from ending; so a thread that is busy for ever is simply left behind.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()
    context = contextvars.copy_context()
    _give(partial(_work, loop, future, partial(context.run, function, *args)))
    return await future


def _give(job: Job) -> None:
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = SimpleQueue()
        threading.Thread(target=_serve, args=(inbox,), name="evals-core", daemon=True).start()
    inbox.put(job)


def _serve(inbox: SimpleQueue[Job]) -> None:
    while True:
        inbox.get()()
        if len(_idle) >= MOST_IDLE:
            return
        _idle.append(inbox)


def _work(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], call: Callable[[], Any]
) -> None:
    try:
        settle = partial(_settle, future, call(), None)
    except BaseException as error:  # noqa: BLE001 - it is raised again where it is awaited
        settle = partial(_settle, future, None, error)
    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return  # the loop is gone: nobody waits for the answer any more


def _settle(future: asyncio.Future[Any], value: object, error: BaseException | None) -> None:
    if future.done():  # the time limit was faster
        return
    if error is None:
        future.set_result(value)
    elif isinstance(error, StopIteration):  # a future refuses to carry it
        future.set_exception(RuntimeError("the function raised StopIteration"))
    else:
        future.set_exception(error)
