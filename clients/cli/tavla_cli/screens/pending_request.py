"""The request of a full screen that the server has not answered yet: one at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from prompt_toolkit import Application
from tavla_client import ClientError, Match, Refused

BUSY = "you wait for something else: Esc takes it back"


class PendingRequest:
    """tell: shows a notice. end: leaves the screen, with the match that came of it or the error that ends all."""

    def __init__(self, tell: Callable[[str], None], end: Callable[[Match | ClientError], None]) -> None:
        self._tell, self._end = tell, end
        self._task: asyncio.Task[None] | None = None

    @property
    def pending(self) -> bool:
        """Whether something was asked for and has not come yet."""
        return self._task is not None

    def start(self, app: Application[Any], action: Callable[[], Awaitable[Match | None]], meanwhile: str = "") -> None:
        """Send a request, unless one is pending. meanwhile: what is told until it is done."""
        if self._task is not None:
            self._tell(BUSY)
        else:
            self._tell(meanwhile)
            self._task = app.create_background_task(self._act(action))

    def cancel(self) -> None:
        """Want it no longer."""
        if self._task is not None:
            self._task.cancel()
            self._tell("")

    async def _act(self, action: Callable[[], Awaitable[Match | None]]) -> None:
        try:
            match = await action()
        except Refused as refused:
            self._tell(refused.text)
        except ClientError as error:
            self._end(error)
        else:
            if match is not None:
                self._end(match)
        finally:
            self._task = None
