"""Address of a client, as far as limits count by it."""

import hashlib
import ipaddress
import re
from collections.abc import Sequence
from socket import AF_INET, inet_pton
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tavla_server.delivery.handshake import Handshake

UNKNOWN = "unknown"  # as proxies write it, too
IPV6_BLOCK = 56  # bits: what a household or a small firm is given
BRACKETED = re.compile(r"\[([^]]*)\](?::\d*)?")


def address_of(handshake: "Handshake", behind_proxy: bool) -> str:
    """Client to count a connection's tries for. behind_proxy: a proxy says in X-Forwarded-For who that is."""
    address = handshake.remote_address
    return whom(address[0] if address else "", forwarded_addresses(handshake), behind_proxy)


def is_unknown_proxy(handshake: "Handshake", behind_proxy: bool) -> bool:
    """True if a connection comes by a proxy on this machine that we were not told of: it has no limits by address."""
    return bool(forwarded_addresses(handshake)) and not behind_proxy and not address_of(handshake, behind_proxy)


def forwarded_addresses(handshake: "Handshake") -> list[str]:
    """X-Forwarded-For, as it was sent."""
    return handshake.request.headers.get_all("X-Forwarded-For") if handshake.request else []


def network_of(address: str) -> str:
    """A digest of the network of an address, as limits count it; "" for none, or one that nobody knows.

    Of IPv6, IPV6_BLOCK bits count.
    """
    if address == UNKNOWN:
        return ""
    if "/" in address:
        address = str(ipaddress.ip_network(address).supernet(new_prefix=IPV6_BLOCK))
    return address and hashlib.sha256(address.encode()).hexdigest()[:16]


def whom(address: str, forwarded: Sequence[str], behind_proxy: bool) -> str:
    """Client to count for; "" is this machine itself, whose bots and tests may do as they like.

    forwarded: X-Forwarded-For; the last address in it is the proxy's own word. All of whom it knows no address count
    as one. Of IPv6 the network counts, since a household has 2^64 addresses of its own.
    """
    if behind_proxy and forwarded:
        counted = _counted(_without_port(",".join(forwarded).rpartition(",")[2].strip()))
        return UNKNOWN if counted is None else counted
    return _counted(address) or ""


def _without_port(text: str) -> str:
    """The address in 192.0.2.1:4711, [2001:db8::1]:4711 or [2001:db8::1]; some proxies write it so."""
    if found := BRACKETED.fullmatch(text):
        return found[1]
    host, _, port = text.partition(":")
    return host if port.isdecimal() else text


def _counted(text: str) -> str | None:
    """The address that limits count; None = the text is none."""
    text = text.strip()
    if _is_ipv4(text):  # (A tenth of what the library's own parser takes, which runs once a connection.)
        return "" if text.startswith("127.") else text
    try:
        ip = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    if ip.ipv4_mapped is not None:
        return _counted(str(ip.ipv4_mapped))
    return "" if ip.is_loopback else str(ipaddress.ip_network((ip, 64), strict=False))


def _is_ipv4(text: str) -> bool:
    try:
        return bool(inet_pton(AF_INET, text))
    except (OSError, ValueError):
        return False
