"""Chat at a match, where it is passed on and kept nowhere, and in the lobby."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused, too_often
from tavla_server.gateway.connection import Connection, Handler
from tavla_server.gateway.handlers.mutes import check_may_speak
from tavla_server.gateway.text_filter import clean
from tavla_server.token_bucket import TokenBuckets


async def say(connection: Connection, request: m.Say) -> None:
    """Say something to everyone whom it is meant for."""
    session, player = connection.session_of(request.match), connection.player
    if session is None:
        raise Refused(ErrorCode.NOT_ATTACHED, "attach to this match first")
    check_may_speak(connection)
    seat = session.record.seat_of(player.id)
    if seat is None and request.to == "players":
        raise Refused(ErrorCode.NOT_SEATED, "you only watch this match: talk to the others who do")
    text = _text(request)
    _spend(connection.services.allowances.talk, player.id)
    if seat is None and (wait_s := connection.services.allowances.murmurs.spend(request.match)):
        raise too_often("too many talk at this match", wait_s)
    said = m.Said(match=request.match, name=player.name, seat=seat, to=request.to, text=text, phrase=request.phrase)
    session.say(player.id, said)
    connection.send(m.Ok(id=request.id))


async def chat(connection: Connection, request: m.Chat) -> None:
    """Say something in the lobby. Guests of one address share their allowance: a new one is had for the asking."""
    player, services = connection.player, connection.services
    if not services.listings.follows("chat", connection.outbox):
        raise Refused(ErrorCode.NOT_ATTACHED, "you do not hear what is said in the lobby: subscribe to its chat first")
    check_may_speak(connection)
    text = _text(request)
    _spend(services.allowances.lobby_chat, player.id if player.rating is not None else connection.address or player.id)
    await services.lobby_chat.say(player, text, request.phrase)
    connection.send(m.Ok(id=request.id))


def _text(request: m.Say | m.Chat) -> str:
    """The text as others see it. Raises: Refused if nothing is left of it."""
    text = m.PHRASES[request.phrase] if request.phrase else clean(request.text)
    if not text:
        raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this text that can be shown")
    return text


def _spend(allowance: TokenBuckets, who: str) -> None:
    """Raises: Refused when there is nothing left."""
    if wait_s := allowance.spend(who):
        raise too_often("you talk too fast", wait_s)


HANDLERS: dict[type[m.RequestBase], Handler] = {m.Say: say, m.Chat: chat}
