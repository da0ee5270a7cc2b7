"""Match as this client sees it: always a state that the server has shown, and what a player can do with it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Literal

from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View, checksum, from_fields, patch

from tavla_client.changes import Change, Changes, What
from tavla_client.channel import Channel
from tavla_client.clock import TimeLeft, time_left
from tavla_client.dice_check import DiceCheck, DiceVerdict, unchecked
from tavla_client.errors import ClientError, PlayStopped, Refused
from tavla_client.pledges import Pledges
from tavla_client.record import fetch

RECORD_S = 60.0  # for the record of a match that is over; a server lets a player have some 2 a second
LONG = 1000  # events: to judge more of them takes 30 ms and more
MAX_AGAIN = 16  # times that an action which is not bound to a turn is sent again; each time the opponent was faster


class Match:
    """A match that the client follows. Made by the client's `create`, `join` and `attach`.

    epoch, seq: the version of `view`. seat: the one we play, None for a watcher. online: which seats have a living
    connection. claim_after: seconds after the snapshot or `presence` until we may claim it from the opponent, who is
    away, while it waits for them; None = is here. absence: for how many seconds each player may be away until then.
    was_replaced: another connection has our seat. watchers: who watches. lingers: to be followed
    beyond its end, until `detach`, for what people say then. next: the match that its players play after it, if we
    watch and linger. dice: what was seen of the dice, and what was wrong with it, `dice.fault`.

    An action returns when the view shows it, and raises Refused with the server's sentence when it was not done. As
    soon as anything is wrong with the dice or the plays, every action raises PlayStopped, until `go_on`.
    """

    view: View
    epoch: int
    seq: int
    seat: int | None
    online: tuple[bool, bool]
    watchers: m.Watchers
    absence: tuple[int, int]
    claim_after: int | None

    def __init__(
        self,
        channel: Channel,
        drop: Callable[["Match"], None],
        snapshot: m.Snapshot,
        pledges: Pledges,
        commitment: str = "",
    ) -> None:
        """drop: called to follow the match no longer. commitment: the one that we sat down with, if we just did."""
        self.id = snapshot.match
        self.dice = DiceCheck(self.id, commitment)
        self._pledges = pledges
        self._looked_up: tuple[str, str] | None = None  # the commitments among which our own was looked for
        self.epoch = 0
        self.was_replaced = self.lingers = False
        self.has_revealed = self.confirmed = False  # our seed: sent on this connection; answered by the server
        self.next: str | None = None
        self.wants_plays = self.hushed = False  # what every attach asks for
        self._channel, self._drop = channel, drop
        self._broken = False  # the view differs from the server's
        self._goes_on = False  # though something was wrong
        self._verdict: DiceVerdict | None = None
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

    def time_left(self, seat: int) -> TimeLeft | None:
        """A seat's time at this moment, None in a match without a clock. The server's own count is what decides."""
        return time_left(self.view, seat, asyncio.get_running_loop().time() - self._act_began)

    # --- what happens ---

    def changes(self, newest: bool = False) -> AsyncIterator[Change]:
        """The match as it is now, as a `snapshot`, then every change, none missed, until it is over or left.

        newest: skip what has been overtaken while the reader was busy, talk included; enough for a program that plays.
        Raises: ClientError, when the match can be followed no longer.
        """
        return self._changes.walk(newest)

    async def changed(self) -> Change | None:
        """Wait for the next change; None when the match is over or was left.

        Raises: ClientError, when the match can be followed no longer.
        """
        return await self._changes.next()

    async def begun(self) -> None:
        """Wait until the first game has begun.

        Raises: ClientError, when it never will.
        """
        while not self.view.game:
            if self.view.phase == "over" or await self.changed() is None:
                raise Refused(ErrorCode.NO_SUCH_MATCH, "the table was closed before a match began")

    @property
    def is_stopped(self) -> bool:
        """True if something was wrong, and the user has not said to go on."""
        return bool(self.dice.fault) and not self._goes_on

    def go_on(self) -> None:
        """Play on, though something was wrong."""
        self._goes_on = True

    async def verdict(self) -> DiceVerdict:
        """Verdict on a match that is over: its record is asked for, judged, and compared with what was seen.

        That takes RECORD_S at most. Without a record it is not sound, and no fault. One who watches goes by what was
        seen: a crowd that asks for the same record at once would cost its server more than the match did.
        """
        if self._verdict is None:
            self._verdict = await self._judged()
        return self._verdict

    async def _judged(self) -> DiceVerdict:
        seen = self.dice.verdict(self.view)
        if not seen.sound or not self.view.game or self.seat is None:
            return seen
        if self.dice.unknown:
            return unchecked(seen, self.dice.unknown)
        try:
            async with asyncio.timeout(RECORD_S), self._channel.looking_back:
                record = await fetch(self._channel, self.id, code=self.view.code)
        except TimeoutError:
            return unchecked(seen, f"the server did not give it within {RECORD_S:.0f} s")
        except ClientError as error:
            return unchecked(seen, str(error))
        if len(record.events) > LONG:
            return await asyncio.to_thread(self.dice.judged, record, self.view)
        return self.dice.judged(record, self.view)

    # --- what a player does ---

    async def ready(self) -> None:
        """Start the next game, as soon as the opponent is ready too."""
        await self._act(m.Ready)

    async def roll(self) -> None:
        """Roll the dice instead of doubling."""
        await self._act(m.Roll)

    async def double(self) -> None:
        """Offer the cube."""
        await self._act(m.Double)

    async def take(self) -> None:
        """Accept the offered cube."""
        await self._act(m.Take)

    async def drop(self) -> None:
        """Refuse the offered cube and lose the game."""
        await self._act(m.Drop)

    async def beaver(self) -> None:
        """Accept the offered cube and redouble at once, keeping it."""
        await self._act(m.Beaver)

    async def move(self, moves: Sequence[tuple[int, int]]) -> None:
        """Play the whole turn: (from, to) pairs in our own numbering, 25 = bar, 0 = off."""
        await self._act(m.Move, moves=tuple(moves))

    async def resign(self, value: int) -> None:
        """Offer to lose this game as a single (1), a gammon (2) or a backgammon (3)."""
        await self._act(m.Resign, value=value)

    async def accept(self) -> None:
        """Accept the opponent's resignation."""
        await self._act(m.Accept)

    async def refuse(self) -> None:
        """Refuse the opponent's resignation."""
        await self._act(m.Refuse)

    async def forfeit(self) -> None:
        """Give up at the price that the rules state."""
        await self._act(m.Forfeit)

    async def leave(self) -> None:
        """End money play between two games."""
        await self._act(m.Leave)

    async def claim(self) -> None:
        """Win a match that waits for the other player, who has been away for too long."""
        await self._act(m.Claim)

    async def abort(self, on: bool = True) -> None:
        """Ask that the match end without a winner, or agree to that; on=False takes it back."""
        await self._act(m.Abort, on=on)

    async def auto(self, what: Literal["roll", "play"], on: bool) -> None:
        """Leave something to the server: never ask about the cube in this game, or play forced turns."""
        await self._act(m.Auto, what=what, on=on)

    async def say(self, text: str = "", *, phrase: m.Phrase | None = None, to: m.Audience | None = None) -> None:
        """Say something, in our own words or with a fixed phrase. to: by default those of our kind."""
        audience = to or ("watchers" if self.seat is None else "players")
        request = m.Say(id=self._channel.new_id(), match=self.id, to=audience, text=text, phrase=phrase)
        await self._channel.request(request)

    async def hush(self, on: bool = True) -> None:
        """Hear no more of what the watchers say, or hear it again."""
        self.hushed = on
        await self._channel.request(self.attach_request(self._channel.new_id()))

    async def ignore(self, player: str, on: bool = True) -> None:
        """Hear nothing more of a player, at this match or elsewhere."""
        await self._channel.request(m.Ignore(id=self._channel.new_id(), player=player, on=on))

    async def cancel(self) -> None:
        """Close our own table before anyone joined it."""
        await self._channel.request(m.Cancel(id=self._channel.new_id(), match=self.id))
        self._drop(self)

    async def detach(self) -> None:
        """Follow the match no longer. A player's seat stays taken: `client.attach` comes back to it."""
        try:
            await self._channel.request(m.Detach(id=self._channel.new_id(), match=self.id))
        except Refused as refused:
            if refused.code != ErrorCode.NOT_ATTACHED:  # sent again after a cut, when it had been done
                raise
        finally:
            self._drop(self)

    async def _act(self, action: type[m.MatchAction], **values: Any) -> None:
        game = self.view.game
        for again in range(MAX_AGAIN):
            if self.is_stopped:
                raise PlayStopped(f"{self.dice.fault}: nothing is sent before you go on")
            epoch = self.epoch
            request = action(id=self._channel.new_id(), match=self.id, seq=self.seq, **values)
            try:
                reply = await self._channel.request(request)
            except Refused as refused:
                if refused.code != ErrorCode.STALE or again == MAX_AGAIN - 1:
                    raise
                await self._reach(epoch, refused.seq)
                if not self._still_meant(action, game):
                    raise
            else:
                await self._reach(epoch, reply.seq)
                return

    def _still_meant(self, action: type[m.MatchAction], game: int) -> bool:
        """True if an action that came too late for its seq means the same now: it is not an answer to one position."""
        if self.view.game != game:
            return False
        if action in (m.Resign, m.Forfeit):
            return self.view.phase not in ("ready", "over")
        return action is m.Auto or (action in (m.Ready, m.Leave) and self.view.phase == "ready")

    async def _reach(self, epoch: int, seq: int | None) -> None:
        """Wait until the view is at this version at least."""
        while seq is not None and self.epoch == epoch and self.seq < seq:
            if await self._changes.next() is None:
                return

    # --- what the client's reader does ---

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

    def on_plays(self, plays: m.Plays) -> None:
        """Keep the legal plays of our turn."""
        self._plays = plays
        self._show("plays")

    def on_presence(self, presence: m.Presence) -> None:
        """A player's connection was lost, or is back."""
        self.online = (presence.online, self.online[1]) if presence.seat == 0 else (self.online[0], presence.online)
        if presence.seat != self.seat:
            self.claim_after = presence.claim_after
        self._show("presence")

    def on_said(self, said: m.Said) -> None:
        """Take in words of a player or spectator."""
        self._show("said", said)

    def on_watchers(self, watchers: m.Watchers) -> None:
        """Others watch than before."""
        self.watchers = watchers
        self._show("watchers")

    def on_rematched(self, rematched: m.Rematched) -> None:
        """The players that we watched play another match."""
        self.next = rematched.next
        self._show("rematched")

    def on_attached(self, ok: m.Ok) -> None:
        """We are in step again, from the version that we had."""
        self._act_began = asyncio.get_running_loop().time() - ok.elapsed / 1000
        self.watchers = m.Watchers(match=self.id, count=0)  # else we are told next

    def on_replaced(self) -> None:
        """Watch from now on."""
        self.seat, self.was_replaced = None, True
        self._show("replaced")

    def attach_request(self, id_: int) -> m.Attach:
        """Ask for what we miss: from the version that we have, or for the whole match when that cannot be trusted."""
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
        )

    def reveal_request(self, id_: int) -> m.Reveal | None:
        """Reveal our seed, if the match waits for it, and no other seed could have been chosen by it."""
        view, seat = self.view, self.seat
        if view.phase != "reveal" or seat is None or seat not in view.unrevealed or self.dice.fault:
            return None
        pledge = self._pledges.find(view.commitments[seat])
        if pledge is not None:
            pledge = self._pledges.bind(pledge, self.id, view.commitment, view.commitments[1 - seat])
            if pledge is None:
                self.dice.blame("a commitment has changed after your seed was revealed")
        if pledge is None:
            return None
        self.dice.pledge = pledge
        return m.Reveal(id=id_, match=self.id, seq=self.seq, seed=pledge.seed)

    @property
    def is_blamed(self) -> bool:
        """The match is void, as if no seed had come from us."""
        return self.view.phase == "over" and self.view.outcome is None and self.seat in self.view.unrevealed

    def check_blame(self) -> None:
        """A seat that has revealed may not be told that it did not. To call when the answer to its reveal is known."""
        if self.is_blamed and self.has_revealed:
            self.dice.blame(
                "the server says that no seed came from you and has made the match void, but this program sent it"
            )

    def end(self, error: ClientError | None = None) -> None:
        """End: no more changes will come."""
        self._changes.end(error)

    def _load(self, snapshot: m.Snapshot) -> None:
        self.view = _checked(from_fields(snapshot.view))
        if snapshot.epoch != self.epoch:
            self.has_revealed = self.confirmed = False  # the server may have lost it
        self.epoch, self.seq = snapshot.epoch, snapshot.seq
        self.seat, self.online = snapshot.seat, snapshot.online
        self.absence = snapshot.absence
        self.claim_after = None if self.seat is None else snapshot.claim_after[1 - self.seat]
        self._act_began = asyncio.get_running_loop().time() - snapshot.elapsed / 1000
        self._broken = self.was_replaced = False
        self._see_dice(is_step=False)
        self.watchers = m.Watchers(match=snapshot.match, count=0)  # else we are told next

    def _see_dice(self, is_step: bool) -> None:
        view, seat = self.view, self.seat
        if seat is not None and self.dice.pledge is None and view.commitments is not self._looked_up:
            self._looked_up = view.commitments
            # After the store has lost a seat, the player has revealed one seed here and committed to another.
            self.dice.pledge = self._pledges.find(view.commitments[seat]) or self._pledges.revealed_for(self.id)
        if self.dice.pledge is not None and self.dice.pledge.fault:
            self.dice.blame(self.dice.pledge.fault)  # found by an earlier run
        if self.confirmed:
            self.check_blame()
        self.dice.see(view, seat)
        self.dice.follow(view, self.epoch, self.seq, is_step)

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
