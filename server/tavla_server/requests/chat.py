"""What is said at a match. It is passed on, and kept nowhere."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.ask import Refused
from tavla_server.chat import clean

if TYPE_CHECKING:
    from tavla_server.visit import Visit

SAID_PER_S, SAID_BURST = 0.5, 5.0  # a player's: enough to talk, too little to flood


async def say(visit: Visit, request: m.Say) -> None:
    """Say something to everyone whom it is meant for."""
    session, player = visit.followed.get(request.match), visit.peer.player
    if session is None:
        raise Refused(ErrorCode.NOT_ATTACHED, "attach to this match first")
    seat = session.record.seat_of(player.id)
    if seat is None and request.to == "players":
        raise Refused(ErrorCode.NOT_SEATED, "you only watch this match: talk to the others who do")
    text = m.PHRASES[request.phrase] if request.phrase else clean(request.text)
    if not text:
        raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this text that can be shown")
    if wait_s := visit.services.talking.spend(player.id):
        raise Refused(ErrorCode.TOO_MANY, f"you talk too fast: wait {math.ceil(wait_s)} s")
    said = m.Said(match=request.match, name=player.name, seat=seat, to=request.to, text=text, phrase=request.phrase)
    session.say(player.id, said)
    visit.send(m.Ok(id=request.id))


HANDLERS: dict[type[m.Asked], Callable[[Visit, Any], Awaitable[None]]] = {m.Say: say}
