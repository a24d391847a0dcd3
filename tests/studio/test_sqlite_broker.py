"""The broker in one SQLite file: nothing lost, nothing twice, order kept."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection
from kombu.simple import SimpleQueue

from studio.sqlite_broker import release_claims


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the broker's file is made."""
    return tmp_path / "broker.sqlite3"


@pytest.fixture
def broker(path: Path) -> Iterator[Connection]:
    """A connection as Celery makes it."""
    with Connection(f"sqlite-file:///{path}") as connection:
        yield connection


def rows(path: Path) -> list[tuple[str | None]]:
    """The claim of every message in the file."""
    with sqlite3.connect(path) as db:
        return db.execute("SELECT tag FROM message ORDER BY id").fetchall()


def filled(broker: Connection, count: int) -> SimpleQueue:
    """A queue of `count` numbered messages."""
    queue: SimpleQueue = broker.SimpleQueue("work")
    for number in range(count):
        queue.put({"number": number})
    return queue


def test_it_delivers_in_the_order_of_publishing(broker: Connection) -> None:
    queue = filled(broker, 3)
    got = [queue.get(timeout=1) for _ in range(3)]
    assert [message.payload["number"] for message in got] == [0, 1, 2]


def test_it_deletes_a_message_only_when_it_is_acknowledged(broker: Connection, path: Path) -> None:
    message = filled(broker, 1).get(timeout=1)
    assert rows(path) == [(message.delivery_tag,)]
    message.ack()
    assert rows(path) == []


def test_it_gives_a_refused_message_again(broker: Connection) -> None:
    queue = filled(broker, 1)
    queue.get(timeout=1).requeue()
    assert queue.get(timeout=1).payload == {"number": 0}


def test_it_drops_a_rejected_message(broker: Connection, path: Path) -> None:
    filled(broker, 1).get(timeout=1).reject()
    assert rows(path) == []


def test_it_keeps_what_a_dead_worker_had_taken_until_its_claims_are_released(
    broker: Connection, path: Path
) -> None:
    filled(broker, 2).get(timeout=1)
    broker.close()  # a worker that goes without acknowledging
    assert sum(tag is not None for (tag,) in rows(path)) == 1
    assert release_claims(str(path)) == 1
    assert rows(path) == [(None,), (None,)]


def test_it_counts_and_purges_only_what_waits(broker: Connection, path: Path) -> None:
    queue = filled(broker, 3)
    taken = queue.get(timeout=1)
    assert len(queue) == 2
    assert queue.clear() == 2
    assert rows(path) == [(taken.delivery_tag,)]


def test_it_raises_empty_when_nothing_waits(broker: Connection) -> None:
    queue = broker.SimpleQueue("work")
    with pytest.raises(queue.Empty):
        queue.get(block=False)


def take_all(path: Path, taken: list[int]) -> None:
    """Take and acknowledge until nothing waits."""
    with Connection(f"sqlite-file:///{path}") as connection:
        queue = connection.SimpleQueue("work")
        while len(queue):
            try:
                message = queue.get(timeout=0.2)
            except queue.Empty:
                return
            taken.append(message.payload["number"])
            message.ack()


def test_it_gives_each_message_to_one_of_many_consumers(broker: Connection, path: Path) -> None:
    filled(broker, 60)
    taken: list[int] = []
    threads = [threading.Thread(target=take_all, args=(path, taken)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(60))
    assert rows(path) == []
