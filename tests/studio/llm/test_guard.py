"""Nothing private is reached, whatever the address looks like."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Any

import httpcore
import pytest
from pytest_django import Settings

from studio.llm import http
from studio.llm.addresses import OutboundError, check_url, is_public
from studio.llm.http import post_json
from tests.studio.llm.host import Host, saying

PRIVATE = (
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
    "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1",
)  # fmt: skip


def refusal(url: str) -> OutboundError:
    """The error that a post to `url` ends in."""
    with pytest.raises(OutboundError) as caught:
        asyncio.run(post_json(url, {}, {}, total_s=5))
    return caught.value


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_told_from_public_ones(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "form", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]
)
def test_no_spelling_of_loopback_reaches_a_listener(
    host: Host, settings: Settings, form: str
) -> None:
    settings.STUDIO_OUTBOUND_ALLOW = []
    error = refusal(f"http://{form}:{host.server_port}/v1")
    assert error.kind == "refused_address"
    assert "STUDIO_OUTBOUND_ALLOW" in error.message
    assert host.connections == 0


def test_another_port_of_an_allowed_host_stays_closed(host: Host, settings: Settings) -> None:
    settings.STUDIO_OUTBOUND_ALLOW = ["127.0.0.1:1"]
    assert refusal(host.base_url).kind == "refused_address"


def test_the_checked_address_is_the_one_connected_to(
    host: Host, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def lookup(name: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        looked_up.append(name)
        address = "93.184.216.34" if len(looked_up) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    connected: list[str] = []

    async def connect(self: Any, address: str, *args: Any, **kwargs: Any) -> Any:
        connected.append(address)
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    settings.STUDIO_OUTBOUND_ALLOW = []
    with pytest.raises(OSError, match="no network"):
        asyncio.run(http.GuardedNetwork().connect_tcp("rebind.example", 80))
    assert (connected, looked_up) == (["93.184.216.34"], ["rebind.example"])


def test_a_public_name_of_a_private_address_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(2, 1, 6, "", ("93.184.216.34", 80)), (2, 1, 6, "", ("10.0.0.7", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: found)
    settings.STUDIO_OUTBOUND_ALLOW = []
    assert refusal("http://looks-public.example/").kind == "refused_address"


def test_redirects_are_not_followed(host: Host) -> None:
    host.answers = [(307, {}, {"Location": host.base_url + "/elsewhere"})]
    assert refusal(host.base_url).kind == "redirect"
    assert len(host.asked) == 1


def test_a_huge_answer_is_cut_off(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_BODY", 1000)
    host.answers = [(200, b"x" * 5000, {})]
    assert refusal(host.base_url).kind == "too_large"


def test_a_compressed_answer_is_refused(host: Host) -> None:
    host.answers = [(200, b"x", {"Content-Encoding": "gzip"})]
    assert refusal(host.base_url).kind == "malformed"


def test_cookies_are_neither_kept_nor_shown(host: Host) -> None:
    host.answers = [(200, b"{}", {"Set-Cookie": "a=b"}), saying("x")]
    reply = asyncio.run(post_json(host.base_url, {}, {}))
    assert "set-cookie" not in reply.headers


def test_a_closed_port_is_a_connection_error(host: Host, settings: Settings) -> None:
    settings.STUDIO_OUTBOUND_ALLOW = ["127.0.0.1:9"]
    assert refusal("http://127.0.0.1:9/").kind == "connect"


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org", "file:///etc/passwd", "http://a:b@example.org/", "http://", "http://10.0.0.1/v1",
     "http://[::1]/", "http://127.0.0.1:99999/"],
)  # fmt: skip
def test_an_address_is_checked_while_it_is_saved(url: str) -> None:
    with pytest.raises(OutboundError) as caught:
        check_url(url)
    assert caught.value.kind == "refused_address"
