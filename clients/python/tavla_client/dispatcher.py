"""Dispatches what arrives from the server to those whom it concerns: a request, a match, a list. No I/O."""

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.callbacks import Callbacks
from tavla_client.channel import Channel, StoreUnavailable
from tavla_client.errors import ClientError, Refused
from tavla_client.identity import Identity
from tavla_client.lists import Lists
from tavla_client.match import Match
from tavla_client.pairing import SOUGHT, Pairing
from tavla_client.pledges import Pledges
from tavla_client.requests import Pending
from tavla_client.rules_request import whole_rules
from tavla_client.seed_reveal import is_blamed

# Answers that concern nobody but who has asked.
ANSWERS = (
    *(m.Organised, m.TournamentRecorded, m.Held, m.Following, m.Reported, m.Inspected, m.Figures, m.DeeperLook),
    *(m.Career, m.Leaders, m.Played, m.Recorded, m.Puzzle, m.Rolls, m.Collected, m.CollectedFile),
)


class Dispatcher:
    """A dispatcher: the channel's receiver.

    matches, lists: those that are followed. offer: what a bot says of itself, or None. wants_notices: of friends.

    callbacks: see `Client`.
    """

    def __init__(self, channel: Channel, identity: Identity, pledges: Pledges) -> None:
        self.matches: dict[str, Match] = {}
        self.lists: list[Lists] = []
        self.pairing = Pairing(channel.requests, identity, pledges)
        self._identity, self._pledges = identity, pledges
        self._reveals: dict[tuple[str, int], int] = {}  # on this connection: match and epoch -> the id of the request
        self.offer: m.Available | None = None
        self.wants_notices = False
        self.calls: dict[str, m.Called] = {}  # by tournament
        self.callbacks = Callbacks()
        self._in_doubt: dict[str, Match] = {}  # matches that were dropped, see `Match.is_in_doubt`
        self._attaching: dict[str, int] = {}  # matches that we attach to by ourselves -> the id of the request
        self._channel, self._requests = channel, channel.requests

    def _on_called(self, called: m.Called) -> None:
        if called.what == "come":
            self.calls[called.tournament] = called
        else:
            self.calls.pop(called.tournament, None)
        self.callbacks.called(called)

    def drop(self, match: Match, error: ClientError | None = None) -> None:
        """Follow a match no longer."""
        self.matches.pop(match.id, None)
        self._requests.forget(self._attaching.pop(match.id, None))  # else its answer would bring the match back
        match.end(error)
        if match.is_in_doubt:
            self._in_doubt[match.id] = match
        if self.pairing.on_dropped(match, error):
            self.callbacks.void(match)

    # --- what the channel calls ---

    def resync(self) -> None:
        """The connection is a new one: attach to every match and ask for every list, then for what was not answered."""
        self._requests.reset()
        self._attaching.clear()
        self._reveals.clear()
        self.pairing.reset(self.matches)
        unanswered = [pending.request for pending in self._requests.pending.values()]
        for match in self.matches.values():
            match.reconnect()
            self._attach(match)
        for subject in {subject for lists in self.lists for subject in lists.subjects}:
            self._subscribe(*subject)
        for request in unanswered:
            if request.id not in self.pairing.made:
                self._requests.enqueue(request)
        if self.offer is not None:
            self._requests.issue(replace(self.offer, id=self._requests.new_id()))
        if self.wants_notices:
            self._requests.issue(m.Friends(id=self._requests.new_id(), notices=True))

    def receive(self, reply: m.Reply | m.Update) -> None:
        """Take in one message. Raises: StoreUnavailable."""
        match reply:
            case m.Update():
                followed = self.matches.get(reply.match)
                if followed is not None:
                    self._on_update(followed, reply)
            case m.Snapshot():
                self._on_snapshot(reply)
            case m.Ok():
                self._on_ok(reply)
            case m.Listing():
                self._on_listing(reply)
            case m.Unpaired():
                self._resolve(reply.enter, Refused(ErrorCode.TOURNAMENT_OVER if reply.over else "left", reply.text))
            case m.Called():
                self._on_called(reply)
            case _ if isinstance(reply, ANSWERS):
                self._requests.resolve(reply.id, reply)
            case m.Changes():
                self._on_changes(reply)
            case m.Matched():
                self.pairing.on_matched(reply)
            case m.Challenged():
                if self.pairing.on_challenged(reply):
                    self.callbacks.challenge(reply)
            case m.Unchallenged():
                challenged = self.pairing.on_unchallenged(reply)
                if challenged is not None:
                    self.callbacks.unchallenged(challenged, reply.why)
            case m.Seeking(on=False):
                self._resolve(reply.seek, ClientError("another connection of yours seeks now, or was matched"))
            case m.Seated():
                self.callbacks.seated(reply)
            case m.Ended():
                self.callbacks.ended(reply)
            case m.Notice():
                self.callbacks.notice(reply)
            case m.Friend():
                self.callbacks.friend(reply)
            case m.Error():
                self._on_error(reply)
            case m.Heartbeat():
                self._on_heartbeat(reply)
            case m.Plays() | m.Presence() | m.Replaced() | m.Said() | m.Watchers() | m.Rematched():
                followed = self.matches.get(reply.match) or self._in_doubt.get(reply.match)
                if followed is not None:
                    followed.on_notice(reply)

    def end(self, error: ClientError) -> None:
        """End: all readers of matches and lists are told why."""
        for match in self.matches.values():
            match.end(error)
        self.matches.clear()
        for lists in self.lists:
            lists.end(error)

    def shown_rules(self, table: str) -> dict[str, bool | int | str]:
        """Every option of a table as we see it, by its match id or its name; {} for one that we have not seen."""
        match = self.matches.get(table)
        if match is not None:
            return whole_rules(match.view.rules)
        rows = [row for lists in self.lists for row in lists.rows.get("tables", {}).items()]
        return next((whole_rules(row.rules) for id_, row in rows if table in (id_, row.name)), {})

    # --- requests ---

    def _attach(self, match: Match) -> None:
        """Ask for what a match has missed, unless that is under way."""
        if match.id not in self._attaching:
            request = match.attach_request(self._requests.new_id())
            self._attaching[match.id] = request.id
            self._requests.issue(request)

    def _subscribe(self, what: m.Subject, tournament: str) -> None:
        self._requests.issue(m.Subscribe(id=self._requests.new_id(), what=what, tournament=tournament))

    def _pending(self, id_: int | None) -> Pending | None:
        return self._requests.pending.get(id_) if id_ is not None else None

    def _attached(self, pending: Pending | None) -> Match | None:
        """The match that a pending request attaches to, if we follow it already."""
        if pending is None or not isinstance(pending.request, m.Attach):
            return None
        return self.matches.get(pending.request.match or pending.request.table or "")

    def _resolve(self, id_: int | None, result: object) -> None:
        """Hand the answer to a request to the one who waits for it; and to the match that it attaches to."""
        pending = self._pending(id_)
        match = self._attached(pending)
        if match is not None:
            if self._attaching.get(match.id) == id_:
                del self._attaching[match.id]
                if isinstance(result, Refused):
                    self.drop(match, result)
            if not isinstance(result, ClientError):
                result = match
        self._requests.resolve(id_, result)

    # --- messages ---

    def _on_update(self, match: Match, update: m.Update) -> None:
        if match.on_update(update):
            self._settle(match)
        else:
            self._attach(match)

    def _on_snapshot(self, snapshot: m.Snapshot) -> None:
        match = self.matches.get(snapshot.match)
        self.pairing.challenges.pop(snapshot.match, None)  # a challenge that was accepted has the id of its match
        try:
            if match is not None:
                match.on_snapshot(snapshot, self._commitment_for(snapshot))
            elif snapshot.id in self._requests.pending or self.pairing.requests_of(snapshot.match):
                commitment = self._commitment_for(snapshot)
                match = self.matches[snapshot.match] = Match(
                    self._channel, self.drop, self._settle, snapshot, self._pledges, commitment
                )
            else:
                return  # it was on its way when we left the match
        except ValueError as error:
            text = f"the server shows a match that cannot be read: {error}; an update of this program may read it"
            refused = Refused(ErrorCode.BAD_MESSAGE, text)
            for waiting in (*self.pairing.requests_of(snapshot.match), snapshot.id):  # a seek's match has no id
                self.pairing.made.pop(waiting or 0, None)
                self._resolve(waiting, refused)
            if match is not None:
                self.drop(match, refused)
            return
        self._resolve(snapshot.id, match)
        self._settle(match, snapshot.id or 0)

    def _settle(self, match: Match, answered: int = 0) -> None:
        """A match has changed: it may wait for our seed, have begun, which a seek waits for, or be over.

        answered: the id of the request that has led here, if one did.
        """
        reveal = self._reveals.get((match.id, match.epoch), 0)
        if is_blamed(match.view, match.seat) and answered < reveal and reveal in self._requests.pending:
            self._attach(match)  # answered after our reveal: then we know whether the server had it in time
            return
        match.reveal.check_end(match.view, match.reveal.was_sent)
        if not match.view.game:
            self._reveal(match)
        if match.view.game or match.offers_other_terms:
            self.pairing.on_begun(match)
        match.settle(is_made=bool(self.pairing.requests_of(match.id)))
        if match.view.phase == "over":
            self.pairing.on_over(match)
            if not match.lingers:
                self.drop(match)

    def _commitment_for(self, snapshot: m.Snapshot) -> str:
        """The commitment that we sat down with, if a request of ours has led to a match.

        Of several that have led to the same one, it is the one that the match shows.
        """
        requests = *self.pairing.requests_of(snapshot.match), snapshot.id
        pending = next(filter(None, map(self._pending, requests)), None)
        sent: str = getattr(pending.request, "commitment", "") if pending is not None else ""
        shown = snapshot.view.get("commitments")
        if sent and isinstance(shown, list | tuple):
            return next((one for one in shown if self._pledges.is_secret(one, snapshot.match)), sent)
        return sent

    def _reveal(self, match: Match) -> None:
        """Reveal our seed, if the match waits for it and we have not on this connection."""
        if (match.id, match.epoch) not in self._reveals:
            request = match.reveal.request(
                self._requests.new_id(), match.view, match.seq, match.seat, self._identity.player or ""
            )
            if request is not None:
                self._reveals[match.id, match.epoch] = request.id
                match.reveal.was_sent = True
                self._requests.issue(request)

    def _on_ok(self, ok: m.Ok) -> None:
        pending = self._pending(ok.id)
        if pending is not None and isinstance(pending.request, SOUGHT):
            return  # it waits on, for the match
        if pending is not None and isinstance(pending.request, m.Unseek):
            self.pairing.seek_again()
        match = self._attached(pending)
        if match is not None:
            match.on_attached(ok)
        self._resolve(ok.id, ok)
        if pending is not None and isinstance(pending.request, m.Reveal):
            self._on_revealed(pending.request.match, has_taken=True)
        if match is not None:
            self._settle(match, ok.id)

    def _on_revealed(self, id_: str, has_taken: bool) -> None:
        """The server has taken our seed, or has not: it came too late."""
        match = self.matches.get(id_)
        if match is not None:
            match.reveal.was_sent = match.reveal.was_taken = has_taken
            if is_blamed(match.view, match.seat):
                self._settle(match)

    def _on_listing(self, listing: m.Listing) -> None:
        pending = self._pending(listing.id)
        if listing.id is None or (pending is not None and isinstance(pending.request, m.Subscribe)):
            for lists in self.lists:
                lists.on_listing(listing)
        self._requests.resolve(listing.id, listing)

    def _on_changes(self, changes: m.Changes) -> None:
        missed = [lists for lists in self.lists if not lists.on_changes(changes)]
        changed = changes.what, changes.tournament
        for subject in {subject for lists in missed for subject in lists.subjects if subject == changed}:
            self._subscribe(*subject)

    def _on_error(self, error: m.Error) -> None:
        pending = self._pending(error.id)
        if error.code == ErrorCode.UNAVAILABLE and pending is not None and pending.answer is None:
            raise StoreUnavailable(error.text)
        self._resolve(error.id, Refused(error.code, error.text, error.seq, error.retry_after))
        if pending is not None and isinstance(pending.request, m.Reveal):
            self._on_revealed(pending.request.match, has_taken=False)

    def _on_heartbeat(self, heartbeat: m.Heartbeat) -> None:
        for id_, *state in heartbeat.matches:
            followed = self.matches.get(id_)
            if followed is not None and not followed.on_heartbeat(*state):
                self._attach(followed)
