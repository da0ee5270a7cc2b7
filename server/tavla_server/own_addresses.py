"""Addresses at which others reach this machine."""

import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from contextlib import suppress

from tavla_server.errors import StartError

ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # in no network (RFC 5737, RFC 3849)


def own_address(family: socket.AddressFamily) -> str | None:
    """The machine's address on the way to others. (To connect a datagram socket sends nothing.)"""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((ELSEWHERE[family], 9))
        own = str(probe.getsockname()[0])
        return None if ipaddress.ip_address(own).is_loopback else own
    return None


OwnAddress = Callable[[socket.AddressFamily], str | None]


def addresses(host: str, own: OwnAddress = own_address) -> list[str]:
    """Addresses of a server that listens on `host`; none if it listens to this machine alone. own: finds this one's."""
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        if not address.is_unspecified:
            return [] if address.is_loopback else [host]
        families = [socket.AF_INET] if address.version == 4 else [socket.AF_INET6, socket.AF_INET]
        return [found for family in families if (found := own(family)) is not None]
    return [] if host == "localhost" else [host]


def at_port(address: str, port: int) -> str:
    """An address and a port, as a URL has them."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def check_port(host: str, port: int) -> None:
    """Look whether a port can be had, before a store is made. Raises: StartError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:  # of all else the server tells when it listens
                raise cannot_listen(host, port, error) from None


def cannot_listen(host: str, port: int, error: OSError) -> StartError:
    """The error for a port that cannot be had."""
    if error.errno is None or isinstance(error, socket.gaierror):  # whose numbers are others
        return StartError(f"cannot listen on {host}:{port}: {error.strerror or error}")
    then = ": stop what has it, or take another port" if error.errno == errno.EADDRINUSE else ""
    return StartError(f"cannot listen on {host}:{port}: {os.strerror(error.errno)}{then}")
