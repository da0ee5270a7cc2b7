"""Chat at a match, where it is passed on and kept nowhere, and in the lobby."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.mutes import check_may_speak
from tavla_server.gateway.routes import RequestRate, Route, Routes, by_account_or_address, by_player
from tavla_server.gateway.text_filter import clean
from tavla_server.token_bucket import Rate


async def say(connection: Connection, request: m.Say) -> None:
    """Say something to everyone whom it is meant for."""
    session, player = connection.following.of(request.match), connection.player
    if session is None:
        raise Refused(ErrorCode.NOT_ATTACHED, "attach to this match first")
    check_may_speak(connection)
    seat = session.record.seat_of(player.id)
    if seat is None and request.to == "players":
        raise Refused(ErrorCode.NOT_SEATED, "you only watch this match: talk to the others who do")
    text = _text(request)
    said = m.Said(match=request.match, name=player.name, seat=seat, to=request.to, text=text, phrase=request.phrase)
    session.say(player.id, said)
    connection.send(m.Ok(id=request.id))


async def chat(connection: Connection, request: m.Chat) -> None:
    """Say something in the lobby."""
    player, services = connection.player, connection.services
    if not services.listings.follows("chat", connection.outbox):
        raise Refused(ErrorCode.NOT_ATTACHED, "you do not hear what is said in the lobby: subscribe to its chat first")
    check_may_speak(connection)
    text = _text(request)
    await services.lobby_chat.say(player, text, request.phrase)
    connection.send(m.Ok(id=request.id))


def _text(request: m.Say | m.Chat) -> str:
    """The text as others see it. Raises: Refused if nothing is left of it."""
    text = m.PHRASES[request.phrase] if request.phrase else clean(request.text)
    if not text:
        raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this text that can be shown")
    return text


def _watched(connection: Connection, request: m.Say) -> str:
    """The match, whose watchers share an allowance; "" for its players."""
    session = connection.following.of(request.match)
    return request.match if session is not None and session.record.seat_of(connection.player.id) is None else ""


TALK = RequestRate("say", Rate(0.5, 5.0), by_player, "you talk too fast")  # enough to talk, too little to flood
WATCHERS_TALK = RequestRate("watchers_say", Rate(2.0, 10.0), _watched, "too many talk at this match")
LOBBY_CHAT = RequestRate("chat", Rate(0.2, 4.0), by_account_or_address, "you talk too fast")  # many listen

ROUTES: Routes = {m.Say: Route(say, TALK, WATCHERS_TALK), m.Chat: Route(chat, LOBBY_CHAT)}
