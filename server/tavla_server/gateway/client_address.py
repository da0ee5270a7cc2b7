"""Where a client is, as far as limits count by address."""

import ipaddress
from collections.abc import Sequence

from websockets.asyncio.server import ServerConnection


def address_of(socket: ServerConnection, behind_proxy: bool) -> str:
    """Whom to count a connection's tries for. behind_proxy: a proxy says in X-Forwarded-For who that is."""
    forwarded = socket.request.headers.get_all("X-Forwarded-For") if socket.request else []
    return whom(socket.remote_address[0] if socket.remote_address else "", forwarded, behind_proxy)


def whom(address: str, forwarded: Sequence[str], behind_proxy: bool) -> str:
    """Whom to count for; "" is this machine itself, whose bots and tests may do as they like.

    forwarded: X-Forwarded-For; the last address in it is the proxy's own word. Of IPv6 the network counts, since a
    household has 2^64 addresses of its own.
    """
    ip = (_ip(",".join(forwarded).rpartition(",")[2]) if behind_proxy else None) or _ip(address)
    if ip is None or ip.is_loopback:
        return ""
    return str(ipaddress.ip_network((ip, 64), strict=False) if ip.version == 6 else ip)


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return (address.version == 6 and address.ipv4_mapped) or address
