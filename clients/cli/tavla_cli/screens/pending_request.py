"""The request of a full screen that the server has not answered yet: one at a time."""

import asyncio
from collections.abc import Awaitable, Callable

from tavla_client import ClientError, Match, PlayStopped, Refused

from tavla_cli.input.parsing import BadCommand
from tavla_cli.screens.full_screen import FullScreen

BUSY = "you wait for something else: Esc takes it back"


class PendingRequest:
    """At most one request. It ends the screen with the match that came of it, or with an error that ends all.

    tell: shows a notice.
    """

    def __init__(self, screen: FullScreen, tell: Callable[[str], None]) -> None:
        self._screen, self._tell = screen, tell
        self._task: asyncio.Task[None] | None = None

    @property
    def pending(self) -> bool:
        """True while a request has no answer."""
        return self._task is not None and not self._task.done()

    def start(self, action: Callable[[], Awaitable[Match | None]], meanwhile: str = "") -> None:
        """Send a request, unless one is pending. meanwhile: what is told until it is done."""
        if self.pending:
            self._tell(BUSY)
        else:
            self._tell(meanwhile)
            self._task = self._screen.spawn(self._act(action))

    def cancel(self) -> None:
        """Want it no longer."""
        if self._task is not None:
            self._task.cancel()
            self._task = None  # that it is taken back may take long: something else can be asked for at once
            self._tell("")

    async def _act(self, action: Callable[[], Awaitable[Match | None]]) -> None:
        try:
            match = await action()
        except (Refused, PlayStopped, BadCommand) as refused:  # to ask for it again is to go on
            self._tell(str(refused))
        except ClientError as error:
            self._screen.end(error)
        else:
            if match is not None:
                self._screen.end(match)
        finally:
            self._screen.redraw()
