"""A real HTTP server on loopback that plays a model's host."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Host(ThreadingHTTPServer):
    """Answers each post with the next of `answers`; the last one stays."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, Any, dict[str, str]]] = []
        self.asked: list[dict[str, Any]] = []
        self.connections = 0
        self.wait = threading.Event()
        self.is_slow = False

    @property
    def target(self) -> str:
        """host:port, as STUDIO_OUTBOUND_ALLOW spells it."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def base_url(self) -> str:
        """Where its API begins."""
        return f"http://{self.target}/v1"

    def verify_request(self, request: Any, client_address: Any) -> bool:
        self.connections += 1
        return True


class Handler(BaseHTTPRequestHandler):
    """One connection to the host."""

    server: Host

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(
            {"path": self.path, "headers": dict(self.headers), "body": json.loads(body)}
        )
        if self.server.is_slow:
            self.server.wait.wait(10)
        answers = self.server.answers
        status, answer, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


def saying(text: str, **message: Any) -> tuple[int, Any, dict[str, str]]:
    """An answer in which the model says `text`."""
    said = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    return 200, {"model": "tiny-1", "choices": [choice], "usage": usage}, {}


@contextmanager
def running_host() -> Iterator[Host]:
    """A host that runs while the test does."""
    host = Host()
    thread = threading.Thread(target=host.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host
    finally:
        host.wait.set()
        host.shutdown()
        thread.join()
        host.server_close()
