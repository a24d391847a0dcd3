"""A Celery broker in one SQLite file, for a studio that runs without servers."""

from __future__ import annotations

import sqlite3
import threading
from queue import Empty
from typing import Any

import orjson
from kombu.transport import TRANSPORT_ALIASES, virtual

SCHEME = "sqlite-file"
TABLE = """
CREATE TABLE IF NOT EXISTS message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    tag TEXT,
    payload BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS message_waiting ON message (queue, id) WHERE tag IS NULL;
"""
WAITING = "SELECT id FROM message WHERE queue = ? AND tag IS NULL ORDER BY id LIMIT 1"
CLAIM = f"UPDATE message SET tag = ? WHERE id = ({WAITING}) RETURNING payload"  # noqa: S608 - constants


def open_file(path: str) -> sqlite3.Connection:
    """A connection any thread may use under a lock; each statement is its own transaction."""
    db = sqlite3.connect(path, timeout=20, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.executescript(TABLE)
    return db


def release_claims(path: str) -> int:
    """Give back what a dead worker had taken; right only while no other worker runs."""
    db = open_file(path)
    try:
        return db.execute("UPDATE message SET tag = NULL WHERE tag IS NOT NULL").rowcount
    finally:
        db.close()


class QoS(virtual.QoS):  # type: ignore[misc]
    """Tells the file what became of each message."""

    def ack(self, delivery_tag: str) -> None:
        """Done: the message leaves the file."""
        self.channel.run("DELETE FROM message WHERE tag = ?", delivery_tag)
        super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refused: the message waits again, or leaves the file."""
        if not requeue:
            return self.ack(delivery_tag)
        self.channel.run("UPDATE message SET tag = NULL WHERE tag = ?", delivery_tag)
        super().ack(delivery_tag)
        return None


class Channel(virtual.Channel):  # type: ignore[misc]
    """Publishes and claims rows of the table `message`."""

    QoS = QoS
    supports_fanout = False
    do_restore = False  # what was claimed stays in the file until it is acknowledged or released

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lock = threading.Lock()
        self._db = open_file(self.connection.client.virtual_host)

    def run(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def close(self) -> None:
        """Close the channel and its connection to the file."""
        super().close()
        with self._lock:
            self._db.close()

    def _put(self, queue: str, message: dict[str, Any], **_: object) -> None:
        payload = orjson.dumps(message)
        self.run("INSERT INTO message (queue, payload) VALUES (?, ?)", queue, payload)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        # Read before the claiming write, so that an idle worker never takes the write lock.
        if self.run(WAITING, queue):
            tag = self._next_delivery_tag()
            for (payload,) in self.run(CLAIM, tag, queue):
                message: dict[str, Any] = orjson.loads(payload)
                message["properties"]["delivery_tag"] = tag
                return message
        raise Empty

    def _size(self, queue: str) -> int:
        sql = "SELECT count(*) FROM message WHERE queue = ? AND tag IS NULL"
        return int(self.run(sql, queue)[0][0])

    def _purge(self, queue: str) -> int:
        sql = "DELETE FROM message WHERE queue = ? AND tag IS NULL RETURNING id"
        return len(self.run(sql, queue))

    def _has_queue(self, queue: str, **_: object) -> bool:
        return True


class Transport(virtual.Transport):  # type: ignore[misc]
    """Kombu's door to the file named by the broker address."""

    Channel = Channel
    default_port = None
    polling_interval = 0.05
    driver_type = driver_name = "sqlite"
    connection_errors = (*virtual.Transport.connection_errors, sqlite3.Error)
    channel_errors = virtual.Transport.channel_errors

    @property
    def default_connection_params(self) -> dict[str, Any]:
        """Nothing: a file has neither host nor port."""
        return {}

    def driver_version(self) -> str:
        """The version of SQLite."""
        return sqlite3.sqlite_version


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
