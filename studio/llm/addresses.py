"""Which addresses the studio may reach: public ones, and targets that the operator opened."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class OutboundError(Exception):
    """A call to another host that did not work out: its kind, and words for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def refused(host: str, port: int, why: str) -> OutboundError:
    """The error for an address that may not be reached, with the way to allow it."""
    hint = f"An operator can allow it with STUDIO_OUTBOUND_ALLOW={host}:{port}."
    return OutboundError("refused_address", f"{host}:{port} {why}. {hint}")


def is_public(address: Address) -> bool:
    """Whether an address is on the public Internet, looking through IPv4 wrapped in IPv6."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = inner_address(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def inner_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for: mapped, 6to4, Teredo or NAT64."""
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo


def is_allowed(host: str, port: int) -> bool:
    """Whether the operator opened exactly this host and port."""
    bare = host.strip("[]").lower()
    names = {f"{bare}:{port}", f"[{bare}]:{port}"}
    return any(each.strip().lower() in names for each in settings.STUDIO_OUTBOUND_ALLOW)


async def checked_address(host: str, port: int) -> str:
    """The address to connect to, looked up once; raises `OutboundError` unless all are public."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OutboundError("connect", f"{host} was not found: {error}") from error
    return first_checked(host, port, [str(entry[4][0]) for entry in found])


def first_checked(host: str, port: int, found: list[str]) -> str:
    """The first of the addresses of a host, if it may be reached at all of them."""
    if not found:
        raise OutboundError("connect", f"{host} was not found.")
    if not is_allowed(host, port):
        for text in found:
            if not is_public(ipaddress.ip_address(text.partition("%")[0])):
                raise refused(host, port, "is a private address")
    return found[0]


def check_url(url: str) -> None:
    """Refuse an address while it is being saved, with the words that a form shows."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise OutboundError("refused_address", f"This is not an address: {error}.") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise OutboundError("refused_address", "An address starts with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise OutboundError("refused_address", "Keep names and passwords out of the address.")
    port = port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return  # a name that is not known yet may be saved: it is checked at every connection
    first_checked(host, port, [str(entry[4][0]) for entry in found])
