"""Address of a server as other users have to type it: one on this machine is not at `localhost` for them."""

import socket
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

HERE = ("localhost", "127.0.0.1", "::1")
LISTENS_S = 0.3  # to connect to this machine itself
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # in no network (RFC 5737, RFC 3849)


def own_address(family: socket.AddressFamily) -> str | None:
    """The machine's address on the way to others. (To connect a datagram socket sends nothing.)"""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((ELSEWHERE[family], 9))
        return str(probe.getsockname()[0])
    return None


def for_others(url: str, own_of: Callable[[socket.AddressFamily], str | None] = own_address) -> str:
    """The server's address for another machine; as it is, if the server does not listen there.

    With TLS too: no certificate is for this machine's address. own_of: see `own_address`.
    """
    parts = urlsplit(url)
    with suppress(ValueError):  # a port that is none
        if parts.scheme == "ws" and parts.hostname in HERE and parts.port is not None:
            for family in ELSEWHERE:
                own = own_of(family)
                if own is not None and _listens(own, parts.port):
                    return f"ws://{f'[{own}]' if ':' in own else own}:{parts.port}"
    return url


def _listens(address: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((address, port), LISTENS_S):
        return True
    return False
