"""Chat at a match or in a shared review, where it is passed on and kept nowhere, and in the lobby."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.feed import CHAT
from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.chat.lines import ChatLines, unpack
from tavla_server.features.lists.listings import Listings
from tavla_server.features.lists.live_list import Veil
from tavla_server.features.reviews.rooms import ReviewRooms
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_account_or_address, by_player
from tavla_server.gateway.text_filter import clean
from tavla_server.sweeps import Sweep
from tavla_server.token_bucket import Rate


class Chat(Feature):
    """The chat of the lobby, and of each match: a line goes to all who follow it and do not ignore its speaker."""

    def __init__(self, core: Core, lists: Listings, sanctions: Sanctions, rooms: ReviewRooms) -> None:
        self._listings, self._sanctions, self._rooms = lists, sanctions, rooms
        self.lines = ChatLines(core)
        self.routes = [
            Route(m.Say, self.say, TALK, WATCHERS_TALK),
            Route(m.Chat, self.chat, LOBBY_CHAT, cost=costs.A_CHANGE),
        ]
        self.sweeps = [Sweep("chat", core.timings.sweep_s, self.lines.sweep)]
        lists.add("chat", CHAT, lambda row: unpack(row)[1], lambda row: Veil(speaker=unpack(row)[0]))

    async def say(self, connection: Connection, request: m.Say) -> None:
        """Say something to everyone whom it is meant for."""
        session, player = connection.following.of(request.match), connection.player
        if session is None and self._rooms.review_of(connection) != request.match:
            raise Refused(ErrorCode.NOT_ATTACHED, "attach to this match first")
        self._sanctions.check_may_speak(connection)
        seat = None if session is None else session.record.seat_of(player.id)
        to = "watchers" if session is None else request.to  # a shared review has no players
        if seat is None and to == "players":
            raise Refused(ErrorCode.NOT_SEATED, "you only watch this match: talk to the others who do")
        text = _text(request)
        said = m.Said(match=request.match, name=player.name, seat=seat, to=to, text=text, phrase=request.phrase)
        if session is None:
            await self._rooms.say(connection, said)
        else:
            session.say(player.id, said)
        connection.send(m.Ok(id=request.id))

    def quotation(self, connection: Connection, match: str, about: str) -> list[tuple[str, str]]:
        """The last lines that a report quotes, each with its speaker's name: of the match or shared review in which it
        is made; elsewhere those of whom it is about, by id, in the lobby.
        """
        if (session := connection.following.of(match)) is not None:
            return [*session.talk.lines]
        if match and self._rooms.review_of(connection) == match:
            return self._rooms.lines_for(connection)
        return self.lines.said_by(about)

    async def chat(self, connection: Connection, request: m.Chat) -> None:
        """Say something in the lobby."""
        if connection.outbox not in self._listings.of("chat").outboxes:
            raise Refused(
                ErrorCode.NOT_ATTACHED, "you do not hear what is said in the lobby: subscribe to its chat first"
            )
        self._sanctions.check_may_speak(connection)
        await self.lines.say(connection.player, _text(request), request.phrase)
        connection.send(m.Ok(id=request.id))


def _text(request: m.Say | m.Chat) -> str:
    """The text as others see it. Raises: Refused if nothing is left of it."""
    text = m.PHRASES[request.phrase] if request.phrase else clean(request.text)
    if not text:
        raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this text that can be shown")
    return text


def _watched(connection: Connection, request: m.Say) -> str:
    """The match or review, whose watchers share an allowance; "" for the players of a match."""
    session = connection.following.of(request.match)
    return request.match if session is None or session.record.seat_of(connection.player.id) is None else ""


TALK = Rate(0.5, 5.0, "say", by_player, "you talk too fast")  # enough to talk, too little to flood
WATCHERS_TALK = Rate(2.0, 10.0, "watchers_say", _watched, "too many talk here")
LOBBY_CHAT = Rate(0.2, 4.0, "chat", by_account_or_address, "you talk too fast")  # many listen
