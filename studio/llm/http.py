"""The one guarded client for all calls to other hosts."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpcore
import httpx

from studio.llm.addresses import OutboundError, checked_address

CONNECT_S = 10.0
TOTAL_S = 120.0
MAX_BODY = 10 * 2**20
LIMITS = httpx.Timeout(TOTAL_S, connect=CONNECT_S)
AGENT = "evals-studio"


@dataclass(frozen=True, slots=True)
class Reply:
    """What another host answered."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Connects only to addresses that were checked, and to exactly the address checked."""

    def __init__(self) -> None:
        self.inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """Look the host up once, check what was found, and connect to that."""
        address = await checked_address(host, port)
        return await self.inner.connect_tcp(address, port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """Sockets of this machine are never reached."""
        raise OutboundError("refused_address", f"{path} is on this machine.")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class CappedStream(httpx.AsyncByteStream):
    """A body that ends in an error when it grows beyond the limit."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self.stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self.stream:
            size += len(chunk)
            if size > MAX_BODY:
                raise OutboundError("too_large", f"The answer is larger than {MAX_BODY} bytes.")
            yield chunk

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self.stream.aclose()


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx over the guarded network: capped bodies, no cookies, nothing compressed."""

    def __init__(self) -> None:
        super().__init__(verify=ssl_context(), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context(), max_connections=100, network_backend=GuardedNetwork()
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; the answer's body is counted while it is read."""
        response = await super().handle_async_request(request)
        response.headers.pop("set-cookie", None)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()  # a small compressed body can unpack into a huge one
            raise OutboundError("malformed", "The answer is compressed, which was not asked for.")
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = CappedStream(response.stream)
        return response


@cache
def ssl_context() -> ssl.SSLContext:
    """The certificates we trust, loaded once."""
    return httpx.create_ssl_context(trust_env=False)


def outbound_client() -> httpx.AsyncClient:
    """A new guarded client; redirects are not followed, so no key travels with one."""
    return httpx.AsyncClient(
        transport=GuardedTransport(),
        timeout=LIMITS,
        follow_redirects=False,
        trust_env=False,
        headers={"Accept-Encoding": "identity", "User-Agent": AGENT},
    )


async def post_json(
    url: str, payload: Any, headers: Mapping[str, str], *, total_s: float = TOTAL_S
) -> Reply:
    """Post JSON and read the whole answer; every failure is an `OutboundError` with its kind."""
    try:
        async with asyncio.timeout(total_s), outbound_client() as client:
            response = await client.post(url, json=payload, headers=dict(headers))
    except TimeoutError as error:
        raise OutboundError("timeout", f"No full answer within {total_s:g} s.") from error
    except httpx.TimeoutException as error:
        raise OutboundError("timeout", "The other host did not answer in time.") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        kind = type(error).__name__
        raise OutboundError("connect", f"The call failed: {str(error) or kind}") from error
    if response.is_redirect:
        raise OutboundError("redirect", "The other host sent us elsewhere, which is not followed.")
    return Reply(response.status_code, response.content, response.headers)
