"""Match that a client follows: always a state that the server has shown, kept in step by its messages. No I/O."""

import asyncio
from collections.abc import AsyncIterator

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View, checksum, from_fields, patch

from tavla_client.changes import Change, Changes, What
from tavla_client.clock import TimeLeft, time_left
from tavla_client.dice_check import TAKEN_BACK, DiceCheck
from tavla_client.errors import ClientError, Refused
from tavla_client.pledges import Pledge, Pledges
from tavla_client.seed_reveal import SeedReveal

Notice = m.Plays | m.Presence | m.Said | m.Watchers | m.Rematched | m.Replaced


class FollowedMatch:
    """The state of a match, and the messages that change it.

    epoch, seq: the version of `view`. seat: the one we play, None for a watcher. online: which seats have a living
    connection. claim_after: seconds after the snapshot or `presence` until we may claim it from the opponent, who is
    away, while it waits for them; None = is here. absence: for how many seconds each player may be away until then.
    was_replaced: another connection has our seat. watchers: who watches. lingers: to be followed beyond its end, until
    `detach`, for what people say then. next: the match that its players play after it, if we watch and linger. dice:
    what was seen of the dice, and what was wrong with it, `dice.fault`. reveal: our seed in them. losses: how often the
    server has shown it as it was earlier; loss: that in a sentence, the last time. oddities: what the server did that
    may have an honest cause, in sentences.
    """

    view: View
    epoch: int
    seq: int
    seat: int | None
    online: tuple[bool, bool]
    watchers: m.Watchers
    absence: tuple[int, int]
    claim_after: int | None

    def __init__(self, snapshot: m.Snapshot, pledges: Pledges, commitment: str = "") -> None:
        """commitment: the one that we sat down with, if we just did."""
        self.id = snapshot.match
        self.dice = DiceCheck(self.id, commitment)
        self.reveal = SeedReveal(self.id, self.dice, pledges)
        self.epoch = self.losses = 0
        self.loss = ""
        self.oddities: list[str] = []
        self._kept = pledges.revealed_for(self.id)  # as an earlier run has left it
        self.was_replaced = self.lingers = False
        self.next: str | None = None
        self.code_of_next = ""
        self.wants_plays = self.hushed = False  # what every attach asks for
        self._held: float | None = None  # since when this connection has our seat, by the loop's time
        self._broken = False  # the view differs from the server's
        self._plays: m.Plays | None = None
        self._load(snapshot)
        self._changes = Changes(Change("snapshot", self.seq, self.view, self.online))

    @property
    def error(self) -> ClientError | None:
        """Reason why the match can be followed no longer."""
        return self._changes.error

    @property
    def plays(self) -> list[tuple[tuple[int, int], ...]]:
        """Every legal play of our turn, if we asked for them (`attach(..., plays=True)`) and the rules allow it."""
        return self._plays.plays if self._plays is not None and self._plays.seq == self.seq else []

    @property
    def to_act(self) -> bool:
        """True if the match waits for us."""
        return self.seat is not None and self.seat in self.view.to_act

    @property
    def offers_other_terms(self) -> bool:
        """True if the match waits for our seed, and is not what we asked for: it is for the user to go on, or leave."""
        return self.view.phase == "reveal" and self.reveal.offers_other_terms

    @property
    def has_our_seed(self) -> bool:
        """True if we have revealed a seed for the match."""
        return self.dice.pledge is not None and self.dice.pledge.match == self.id

    @property
    def doubt(self) -> str:
        """Meaning of an end that others have brought about before the first roll, in sentences; "" = of no such end."""
        return self.reveal.doubt(self.view)

    @property
    def seed_is_elsewhere(self) -> bool:
        """True if the match waits for our seed, which this device does not hold."""
        return self.reveal.is_elsewhere(self.view, self.seat)

    def time_left(self, seat: int) -> TimeLeft | None:
        """A seat's time at this moment, None in a match without a clock. The server's own count is what decides."""
        return time_left(self.view, seat, asyncio.get_running_loop().time() - self._act_began)

    def changes(self, newest: bool = False) -> AsyncIterator[Change]:
        """The match as it is now, as a `snapshot`, then every change, none missed, until it is over or left.

        newest: skip what has been overtaken while the reader was busy, talk included; enough for a program that plays.
        Raises: ClientError, when the match can be followed no longer.
        """
        return self._changes.walk(newest)

    async def next_change(self) -> Change | None:
        """Wait for the next change; None when the match is over or was left.

        Raises: ClientError, when the match can be followed no longer.
        """
        return await self._changes.next()

    async def wait_for_start(self) -> None:
        """Wait until the first game has begun. Raises: ClientError, when it never will."""
        while not self.view.game:
            if self.view.phase == "over" or await self.next_change() is None:
                raise Refused(ErrorCode.NO_SUCH_MATCH, "the table was closed before a match began")

    @property
    def is_behind(self) -> bool:
        """True if the server shows less of the match than an earlier run has written down."""
        kept, now = self._kept, (self.epoch, self.seq, self.view.rolls)
        if kept is None or not kept.epoch:
            return False
        has_next = self.epoch > kept.epoch  # whose first entry has taken a place
        return self._takes_back(kept) or now[1] < kept.seq + has_next or now[2] < kept.rolls

    def note_behind(self) -> None:
        """Tell that the server shows less than an earlier run has seen, also when it was asked again."""
        if self._kept is not None and self.is_behind:
            if self._takes_back(self._kept):
                self.dice.blame(TAKEN_BACK)
            self._note_loss(self._kept.rolls)

    def settle(self, is_made: bool) -> None:
        """Note in the ledger what has become of the match. is_made: a request for it waits."""
        self.reveal.settle(self.view, is_made, epoch=self.epoch, seq=self.seq, losses=self._losses_in_all)

    @property
    def _losses_in_all(self) -> int:
        return self.losses + (self._kept.losses if self._kept is not None else 0)

    # --- messages of the server ---

    def on_snapshot(self, snapshot: m.Snapshot, commitment: str = "") -> None:
        """Take the whole match anew. commitment: the one that we sat down with, if we just did.

        Raises: ValueError, when this version cannot read it.
        """
        self.dice.sit_down(commitment)
        self._load(snapshot)
        self._show("snapshot")

    def on_update(self, update: m.Update) -> bool:
        """Take one step. Returns whether the view is in step; if not, attach again."""
        if self._broken or update.seq > self.seq + 1:
            return False
        if update.seq <= self.seq:
            return True  # known already: it was on its way while we attached again
        try:
            self.view = _checked(patch(self.view, update.diff))
        except ValueError:
            self._broken = True
            return False
        self.seq = update.seq
        self._see_dice(is_step=True)
        self._act_began = asyncio.get_running_loop().time()
        self._show("update")
        return True

    def on_heartbeat(self, epoch: int, seq: int, sum_: int) -> bool:
        """Compare. Returns whether the view is in step; if not, attach again."""
        if (epoch, seq) != (self.epoch, self.seq):
            return False
        self._broken = self._broken or sum_ != checksum(self.view)
        return not self._broken

    def on_notice(self, notice: Notice) -> None:
        """Take in what is told beside the view."""
        match notice:
            case m.Plays():
                self._plays = notice
                self._show("plays")
            case m.Presence(seat=seat, online=online):
                self.online = (online, self.online[1]) if seat == 0 else (self.online[0], online)
                if seat != self.seat:
                    self.claim_after = notice.claim_after
                self._show("presence")
            case m.Said():
                self._show("said", notice)
            case m.Watchers():
                self.watchers = notice
                self._show("watchers")
            case m.Rematched():  # the players that we watched play another match
                self.next, self.code_of_next = notice.next, notice.code
                self._show("rematched")
            case m.Replaced():  # we watch from now on
                self.seat, self._held, self.was_replaced = None, None, True
                self._show("replaced")

    def reconnect(self) -> None:
        """Note a new connection, which has our seat when the server says so."""
        self._held = None
        self.reveal.reconnect()

    def _note_seat(self, now_s: float) -> None:
        """Note that the server has said whose the seat is: asking it again on the same connection changes nothing."""
        if self.seat is None:
            self._held = None
        elif self._held is None:
            self._held = now_s

    def on_attached(self, ok: m.Ok) -> None:
        """We are in step again, from the version that we had."""
        now_s = asyncio.get_running_loop().time()
        self._note_seat(now_s)
        self._act_began = now_s - ok.elapsed / 1000
        self.watchers = m.Watchers(match=self.id, count=0)  # else we are told next

    def attach_request(self, id_: int, *, takes_seat: bool = False) -> m.Attach:
        """Ask for what we miss: from the version that we have, or for the whole match when that cannot be trusted.

        takes_seat: from another connection of ours, too, which has replaced this one.
        """
        whole = self._broken or self.was_replaced  # only a snapshot says whether the seat is ours again
        epoch, seq, sum_ = (0, 0, None) if whole else (self.epoch, self.seq, checksum(self.view))
        return m.Attach(
            id=id_,
            table=self.id,
            epoch=epoch,
            seq=seq,
            checksum=sum_,
            plays=self.wants_plays,
            hush=self.hushed,
            code=self.view.code,
            sits=takes_seat or not self.was_replaced,
            seed=self.dice.seed,
            seeds=self.dice.seeds,
        )

    def end(self, error: ClientError | None = None) -> None:
        """End: no more changes will come."""
        self._changes.end(error)

    def _load(self, snapshot: m.Snapshot) -> None:
        view = _checked(from_fields(snapshot.view))
        seen = self.view.rolls if self.epoch and self._is_earlier(snapshot, view) else None
        self.view = view
        if seen is not None:
            self._note_loss(seen)
        if snapshot.epoch != self.epoch:
            self.reveal.reset()
        if snapshot.epoch > max(self.epoch, 1):
            self.dice.start_epoch(self.view)
        self.epoch, self.seq = snapshot.epoch, snapshot.seq
        self.seat, self.online = snapshot.seat, snapshot.online
        self.absence = snapshot.absence
        self.claim_after = None if self.seat is None else snapshot.claim_after[1 - self.seat]
        self._loaded = asyncio.get_running_loop().time()
        self._note_seat(self._loaded)
        self._act_began = self._loaded - snapshot.elapsed / 1000
        self._broken = self.was_replaced = False
        self._see_dice(is_step=False)
        self.watchers = m.Watchers(match=snapshot.match, count=0)  # else we are told next

    def _is_earlier(self, snapshot: m.Snapshot, view: View) -> bool:
        """True if a snapshot lacks something that was seen: in a new epoch its first entry has taken a place."""
        if snapshot.epoch == self.epoch:
            # Where we have asked for the whole match, a node that lags behind a little has not read further.
            return snapshot.seq < self.seq and not (self._broken or self.was_replaced)
        return snapshot.seq <= self.seq or view.rolls < self.view.rolls

    def _takes_back(self, kept: Pledge) -> bool:
        """True if the match had an end that is gone, or a game had."""
        return (bool(kept.end) and self.view.phase != "over") or not self.dice.has_shown(kept.shown)

    def _note_loss(self, seen: int) -> None:
        """Note that the match was put back: once may be a disk that failed, twice is a choice among dice.

        seen: rolls.
        """
        self.losses += 1
        now = self.view.rolls
        how = f"the match is as it was at roll {now}; you have seen roll {seen}"
        if now >= seen:
            how = "this is how the match stands now"
        self.loss = f"the server has lost what happened last: {how}"
        if self._losses_in_all > 1:
            self.dice.blame("the server was put back a second time: somebody may have seen the dice to come")

    def _see_dice(self, is_step: bool) -> None:
        self.reveal.see(self.view, self.seat)
        self.dice.see(self.view, self.seat)
        self.dice.follow(self.view, self.epoch, self.seq, is_step)

    def _show(self, what: What, said: m.Said | None = None) -> None:
        self._changes.add(Change(what, self.seq, self.view, self.online, said))


def _checked(view: View) -> View:
    """The view, of which types alone do not say everything. Raises: ValueError."""
    for turn in view.last:
        if turn[0] > 1 or len(turn) % 2 == 0:
            raise ValueError(f"{turn} is no turn")
    for name, usual in _RULES.items():
        if name in view.rules and not _fits(view.rules[name], usual):
            raise ValueError(f"{view.rules[name]!r} is no value of the rule {name}")
    return view


_RULES = Rules()._asdict()


def _fits(value: object, usual: object) -> bool:
    """True if a rule may have this value, by its type; `usual` is the default."""
    return isinstance(value, str) if isinstance(usual, str) else type(value) is type(usual)
