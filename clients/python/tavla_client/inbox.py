"""What arrives from the server, and whom it concerns: a request, a match, a list. No I/O."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.errors import ClientError, Refused
from tavla_client.lists import Lists
from tavla_client.match import Match
from tavla_client.opponents import Opponents
from tavla_client.requests import Requests

if TYPE_CHECKING:
    from tavla_client.channel import Channel


class StoreAway(Exception):
    """The server cannot take up a match of ours, since its store is away: another try later, or another node."""


class Inbox:
    """matches, lists: those that are followed. What has to be asked because of what arrived goes to the requests."""

    def __init__(self, channel: "Channel", requests: Requests) -> None:
        self.matches: dict[str, Match] = {}
        self.lists: list[Lists] = []
        self.opponents = Opponents(channel, requests)
        self._channel, self._requests = channel, requests

    def begin_again(self) -> None:
        """The connection is a new one: attach to every match and ask for every list, then for what was not answered."""
        self._requests.begin_again()
        self.opponents.begin_again(self.matches)
        unanswered = [pending.request for pending in self._requests.waiting.values()]
        for match in self.matches.values():
            match.attaching = None
            self._attach(match)
        for what in {what for lists in self.lists for what in lists.what}:
            self._subscribe(what)
        made = self.opponents.made.values()
        for request in unanswered:
            if request.id not in made:
                self._requests.send(request)
        if self._channel.offer is not None:
            self._requests.ask_ourselves(replace(self._channel.offer, id=self._requests.new_id()))

    def receive(self, reply: m.Reply | m.Update) -> None:
        """Take in one message. Raises: StoreAway."""
        match reply:
            case m.Update():
                followed = self.matches.get(reply.match)
                if followed is not None:
                    self._on_update(followed, reply)
            case m.Snapshot():
                self._on_snapshot(reply)
            case m.Ok() | m.Listing() | m.Career() | m.Leaders():
                self._on_done(reply)
            case m.Changes():
                missed = [lists for lists in self.lists if not lists.on_changes(reply)]
                for what in {what for lists in missed for what in lists.what if what == reply.what}:
                    self._subscribe(what)
            case m.Matched():
                self.opponents.on_matched(reply)
            case m.Challenged():
                self.opponents.on_challenged(reply)
            case m.Unchallenged():
                self.opponents.on_unchallenged(reply)
            case m.Seeking(on=False):
                self.answer(reply.seek, ClientError("another connection of yours seeks now, or was matched"))
            case m.Error():
                self._on_error(reply)
            case m.Heartbeat():
                for id_, *state in reply.matches:
                    followed = self.matches.get(id_)
                    if followed is not None and not followed.on_heartbeat(*state):
                        self._attach(followed)
            case m.Plays() | m.Presence() | m.Replaced() | m.Said() | m.Watchers() | m.Rematched():
                followed = self.matches.get(reply.match)
                if followed is not None:
                    _NOTICES[type(reply)](followed, reply)

    def answer(self, id_: int | None, result: object) -> None:
        """Hand the answer to a request to the one who waits for it; and to the match that it is about."""
        pending = self._requests.waiting.get(id_) if id_ is not None else None
        if pending is not None and pending.match is not None:
            if pending.match.attaching == id_:
                pending.match.attaching = None
            if isinstance(result, Refused) and pending.answer is None:
                self.drop(pending.match, result)
            result = result if isinstance(result, ClientError) else pending.match
        self._requests.answer(id_, result)

    def drop(self, match: Match, error: ClientError | None = None) -> None:
        """Follow a match no longer."""
        self.matches.pop(match.id, None)
        match.end(error)
        self.opponents.on_dropped(match)

    def end(self, error: ClientError) -> None:
        """Nothing more will come: everyone who waits is told why."""
        for id_ in list(self._requests.waiting):
            self.answer(id_, error)
        for match in self.matches.values():
            match.end(error)
        self.matches.clear()
        for lists in self.lists:
            lists.end(error)

    def _attach(self, match: Match) -> None:
        """Ask for what a match has missed, unless that is under way."""
        if match.attaching is None:
            request = match.attach_request(self._requests.new_id())
            match.attaching = request.id
            self._requests.ask_ourselves(request, match)

    def _subscribe(self, what: m.Subject) -> None:
        self._requests.ask_ourselves(m.Subscribe(id=self._requests.new_id(), what=what))

    def _on_update(self, match: Match, update: m.Update) -> None:
        if match.on_update(update):
            self._settle(match)
        else:
            self._attach(match)

    def _on_snapshot(self, snapshot: m.Snapshot) -> None:
        match = self.matches.get(snapshot.match)
        self._channel.challenges.pop(snapshot.match, None)  # a challenge that was accepted has the id of its match
        try:
            if match is not None:
                match.on_snapshot(snapshot)
            elif snapshot.id in self._requests.waiting or snapshot.match in self.opponents.made:
                match = self.matches[snapshot.match] = Match(self._channel, snapshot)
            else:
                return  # it was on its way when we left the match
        except ValueError as error:
            text = f"this version cannot read the match, please update it: {error}"
            self.answer(snapshot.id, Refused(ErrorCode.BAD_MESSAGE, text))
            if match is not None:
                self.drop(match)
            return
        self.answer(snapshot.id, match)
        self._settle(match)

    def _settle(self, match: Match) -> None:
        """A match has changed: it may have begun, which a seek waits for, or be over."""
        if match.view.game:
            self.opponents.on_begun(match)
        if match.view.phase == "over" and not match.lingers:
            self.drop(match)

    def _on_done(self, reply: m.Ok | m.Listing | m.Career | m.Leaders) -> None:
        pending = self._requests.waiting.get(reply.id) if reply.id is not None else None
        unasked = reply.id is None
        if isinstance(reply, m.Listing) and (unasked or (pending and isinstance(pending.request, m.Subscribe))):
            for lists in self.lists:
                lists.on_listing(reply)
        if pending is not None and isinstance(reply, m.Ok):
            if isinstance(pending.request, m.Seek):
                return  # it waits on, for the match
            if isinstance(pending.request, m.Unseek):
                self.opponents.seek_on()
            if pending.match is not None:
                pending.match.on_attached(reply)
        self.answer(reply.id, reply)

    def _on_error(self, error: m.Error) -> None:
        pending = self._requests.waiting.get(error.id) if error.id is not None else None
        if error.code == ErrorCode.UNAVAILABLE and pending is not None and pending.answer is None:
            raise StoreAway(error.text)
        self.answer(error.id, Refused(error.code, error.text, error.seq, error.retry_after))


_NOTICES: dict[type, Callable[[Match, Any], None]] = {
    m.Plays: Match.on_plays,
    m.Presence: Match.on_presence,
    m.Replaced: lambda match, _: match.on_replaced(),
    m.Said: Match.on_said,
    m.Watchers: Match.on_watchers,
    m.Rematched: Match.on_rematched,
}
