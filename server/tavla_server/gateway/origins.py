"""Origins of pages: which of them may open a WebSocket here."""

from collections.abc import Iterable

from websockets.http11 import Request


class Origins:
    """The origins that may connect: our own page's, those that are allowed, and programs, which have none."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """allowed: beside our own, such as `https://play.example.org`."""
        self._allowed = {origin.lower().rstrip("/") for origin in allowed}

    def may_connect(self, request: Request) -> bool:
        """True if the page that asks for a WebSocket may have one."""
        origins = request.headers.get_all("Origin")
        if not origins:
            return True
        hosts = [host.lower() for host in request.headers.get_all("Host")]
        origin = origins[0].lower()
        is_own = bool(origin) and [origin.partition("://")[2]] == hosts
        return len(origins) == 1 and (is_own or origin in self._allowed)
