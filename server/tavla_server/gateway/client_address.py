"""Where a client is, as far as limits count by address."""

import ipaddress
import re
from collections.abc import Sequence

from websockets.asyncio.server import ServerConnection

UNKNOWN = "unknown"  # as proxies write it, too
BRACKETED = re.compile(r"\[([^]]*)\](?::\d*)?")


def address_of(socket: ServerConnection, behind_proxy: bool) -> str:
    """Whom to count a connection's tries for. behind_proxy: a proxy says in X-Forwarded-For who that is."""
    forwarded = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
    return whom(socket.remote_address[0] if socket.remote_address else "", forwarded, behind_proxy)


def is_unknown_proxy(socket: ServerConnection, behind_proxy: bool) -> bool:
    """Whether a connection comes by a proxy on this machine that we were not told of: it has no limits by address."""
    forwarded = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
    return bool(forwarded) and not behind_proxy and not address_of(socket, behind_proxy)


def whom(address: str, forwarded: Sequence[str], behind_proxy: bool) -> str:
    """Whom to count for; "" is this machine itself, whose bots and tests may do as they like.

    forwarded: X-Forwarded-For; the last address in it is the proxy's own word. All of whom it knows no address count
    as one. Of IPv6 the network counts, since a household has 2^64 addresses of its own.
    """
    ip = _ip(address)
    if behind_proxy and forwarded:
        ip = _ip(_without_port(",".join(forwarded).rpartition(",")[2].strip()))
        if ip is None:
            return UNKNOWN
    if ip is None or ip.is_loopback:
        return ""
    return str(ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip)


def _without_port(text: str) -> str:
    """The address in 192.0.2.1:4711, [2001:db8::1]:4711 or [2001:db8::1]; some proxies write it so."""
    if found := BRACKETED.fullmatch(text):
        return found[1]
    host, _, port = text.partition(":")
    return host if port.isdecimal() else text


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return (address.version == 6 and address.ipv4_mapped) or address
