"""A trace of each request: at debug level each of its steps is a line of the log.

A line has the match, the player and the request bound; so has whatever else is logged on the way. Ask `on` before
calling anything here: above debug level that is all it costs.
"""

import structlog
from structlog.contextvars import bind_contextvars, bound_contextvars, clear_contextvars

on = False  # the log shows debug lines; set once, at start

log = structlog.get_logger()


def begin(match: str, player: str, request: int, kind: str) -> None:
    """A request has come. What this task logs from now on concerns it."""
    clear_contextvars()
    bind_contextvars(match=match, player=player, request=request)
    log.debug("request", kind=kind)


def step(event: str, match: str, player: str, request: int | None, **facts: object) -> None:
    """Log a step of a request, perhaps in the midst of another one."""
    with bound_contextvars(match=match, player=player, request=request):
        log.debug(event, **facts)
