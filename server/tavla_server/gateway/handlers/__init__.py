"""What each request leads to: a module for each noun, and the table that a visit looks them up in."""

from collections.abc import Awaitable, Callable
from typing import Any

from tavla_protocol import messages as m

from tavla_server.gateway.handlers import challenges, chat, identity, listings, matchmaking, profiles, tables

# Each takes the visit and a request of its key's type, answers it, and may raise Refused or redis-py's errors.
HANDLERS: dict[type[m.Asked], Callable[[Any, Any], Awaitable[None]]] = {
    **profiles.HANDLERS,
    **chat.HANDLERS,
    **challenges.HANDLERS,
    **identity.HANDLERS,
    **matchmaking.HANDLERS,
    **listings.HANDLERS,
    **tables.HANDLERS,
}
