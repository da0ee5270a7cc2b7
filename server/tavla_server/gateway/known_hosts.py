"""Names that this server is asked by, against DNS rebinding.

A page of a stranger can have its own name lead to our address: its visitors' browsers then take us for its own server,
and `Origin` is no help. What no stranger can have lead here is an address itself, and a name outside the public DNS.
"""

import ipaddress
import re
import time
from collections.abc import Callable, Iterable, Sequence

import structlog

ANY = "*"
NOT_PUBLIC = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375; ICANN 2024
LOGGED_S = 60.0  # between two lines of the log
NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,9}")  # what is said again, in answers and in the log

log = structlog.get_logger()


class KnownHosts:
    """Tells whether a request is meant for this server, by its Host."""

    def __init__(self, names: Iterable[str] = (), now: Callable[[], float] = time.monotonic) -> None:
        """names: beside addresses, names without a dot, and those that are not public; ANY = all."""
        self._names, self._now = frozenset(_plain(name) for name in names), now
        self._logged_s = -LOGGED_S

    def why_unknown(self, hosts: Sequence[str]) -> str:
        """Why a request with these Host headers gets no answer, in a sentence; "" = it is meant for us."""
        if not hosts or (len(hosts) == 1 and self._knows(_plain(hosts[0]))):
            return ""  # no browser leaves it out
        name = _plain(hosts[0])
        said = name if NAME.fullmatch(name) else "NAME"
        if self._now() - self._logged_s >= LOGGED_S:
            self._logged_s = self._now()
            log.warning("host_unknown", host=said, what=f"if that is this server: start it with --host-name {said}")
        return f"this server does not know this name for itself: its operator may start it with --host-name {said}"

    def _knows(self, name: str) -> bool:
        if ANY in self._names or name in self._names or "." not in name or name.endswith(NOT_PUBLIC):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _plain(host: str) -> str:
    """A host without its port, the brackets of an IPv6 address, and the dot at the end that some write."""
    host = host.strip().lower()
    name, _, port = host.rpartition(":")
    if port.isdecimal() or host.endswith(":"):
        host = name
    return host.removeprefix("[").removesuffix("]").removesuffix(".")
