"""A full screen that is shown several times: its parts redraw it, ring, work in the background and end it."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from prompt_toolkit import Application
from tavla_client import ClientError, Match


class FullScreen:
    """The full screen: the terminal while an application has it; redraw, ring and end do nothing at other times."""

    def __init__(self) -> None:
        self._app: Application[Match | None] | None = None

    @property
    def is_shown(self) -> bool:
        """True while an application has the terminal."""
        return self._app is not None

    async def show(self, app: Application[Match | None], work: list[Coroutine[Any, Any, None]]) -> Match | None:
        """Show an application until its end, with work beside it. Raises: ClientError, if it ended with that."""

        def start() -> None:
            for each in work:
                self.spawn(each)

        self._app = app
        try:
            return await app.run_async(pre_run=start, set_exception_handler=False)
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            self._app = None

    def redraw(self) -> None:
        """Draw the application anew, soon."""
        if self._app is not None:
            self._app.invalidate()

    def ring(self) -> None:
        """Ring the terminal's bell."""
        if self._app is not None:
            self._app.output.bell()

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """A task that ends with the application, at the latest."""
        assert self._app is not None, "it is shown"
        return self._app.create_background_task(work)

    def end(self, result: Match | ClientError | None) -> None:
        """Leave the screen, once."""
        if self._app is None or self._app.future is None or self._app.future.done():
            return
        if isinstance(result, ClientError):
            self._app.exit(exception=result)
        else:
            self._app.exit(result=result)
