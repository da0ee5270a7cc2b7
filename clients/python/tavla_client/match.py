"""A player's or a watcher's side of a match: every action, and the verdict on the dice."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

from tavla_protocol import messages as m
from tavla_protocol.actions import ENGINE_ACTIONS
from tavla_protocol.codes import ErrorCode

from tavla_client.channel import Channel
from tavla_client.clock import time_left
from tavla_client.dice_check import DiceVerdict, unchecked_verdict
from tavla_client.errors import ClientError, PlayStopped, Refused
from tavla_client.followed_match import FollowedMatch
from tavla_client.oddities import REASONS, REFUSED, odd_end
from tavla_client.own_acts import LANDING_S, STALL_S, OwnActs
from tavla_client.pledges import Pledges
from tavla_client.record import fetch

RECORD_S = 60.0  # for the record of a match that is over; a server lets a player have some 2 a second
LONG = 1000  # events: to judge more of them takes 30 ms and more
MAX_AGAIN = 16  # times that an action which is not bound to a turn is sent again; each time the opponent was faster


class Match(FollowedMatch):
    """A match that the client follows. Made by the client's `create`, `join` and `attach`.

    An action returns when the view shows it, and raises Refused with the server's sentence when it was not done. As
    soon as anything is wrong with the dice or the plays, every action raises PlayStopped, until `go_on`.
    """

    def __init__(
        self,
        channel: Channel,
        drop: Callable[["Match"], None],
        settle: Callable[["Match"], None],
        snapshot: m.Snapshot,
        pledges: Pledges,
        commitment: str = "",
    ) -> None:
        """drop: called to follow the match no longer. settle: to reveal our seed, if it is due.

        commitment: the one that we sat down with, if we just did.
        """
        super().__init__(snapshot, pledges, commitment)
        self._channel, self._drop, self._settle = channel, drop, settle
        self._verdict: DiceVerdict | None = None
        self._doubted = (0, 0)  # the version at which a refusal was doubted last
        self._acts = OwnActs()
        self._doubts: dict[str, asyncio.Future[None]] = {}  # acts that another connection of ours may explain

    def on_update(self, update: m.Update) -> bool:
        """Take one step, and look at an end by which we have lost. Returns whether the view is in step."""
        before, seq, now_s = self.view, self.seq, asyncio.get_running_loop().time()
        spent_s = now_s - self._act_began
        is_taken = super().on_update(update)
        if self.seq > seq:
            self._doubt(self._acts.on_act(self.dice.last_act, self.seat, before, self.seq))
        since_s = self._channel.steady_since
        has_ended = self.view.phase == "over" and before.phase != "over"
        if has_ended and self.seat is not None and since_s is not None:
            steady_s = now_s - max(since_s, self._loaded)
            left = time_left(before, self.seat, spent_s) if now_s - since_s > spent_s else None
            self.oddities += filter(None, [odd_end(self.view, self.seat, left, steady_s, self.absence[self.seat])])
        return is_taken

    @property
    def is_in_doubt(self) -> bool:
        """True if an oddity was seen that another connection of ours may yet explain."""
        return not all(doubt.done() for doubt in self._doubts.values())

    @property
    def is_stopped(self) -> bool:
        """True if something was wrong, and the user has not said to go on."""
        return bool(self.dice.fault) and not self.reveal.goes_on

    def go_on(self) -> None:
        """Play on, though something was wrong. A seed that is due goes out with the answer to the next message."""
        self.reveal.goes_on = True
        self._settle(self)

    async def verdict(self) -> DiceVerdict:
        """Verdict on a match that is over: its record is asked for, judged, and compared with what was seen.

        That takes RECORD_S at most. Without a record it is not sound, and no fault. One who watches goes by what was
        seen: a crowd that asks for the same record at once would cost its server more than the match did.
        """
        if self._verdict is None:
            self._verdict = await self._judged()
        while self.is_in_doubt:
            await asyncio.wait(self._doubts.values())
        return self._verdict

    async def _judged(self) -> DiceVerdict:
        seen = self.dice.verdict(self.view)
        if not seen.sound or not self.view.game or self.seat is None:
            return seen
        if self.dice.unknown:
            return unchecked_verdict(seen, self.dice.unknown)
        try:
            async with asyncio.timeout(RECORD_S), self._channel.looking_back:
                record = await fetch(self._channel, self.id, code=self.view.code)
        except TimeoutError:
            return unchecked_verdict(seen, f"the server did not give it within {RECORD_S:.0f} s")
        except ClientError as error:
            return unchecked_verdict(seen, str(error))
        if len(record.events) > LONG:
            return await asyncio.to_thread(self.dice.final_verdict, record, self.view)
        return self.dice.final_verdict(record, self.view)

    # --- actions ---

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
            request = action(id=self._channel.new_id(), match=self.id, epoch=epoch, seq=self.seq, **values)
            self._acts.add(request)
            try:
                reply = await self._channel.ask(request, m.Ok)
            except Refused as refused:
                self._doubt(self._acts.on_refused(request, refused.code))
                if refused.code != ErrorCode.STALE or again == MAX_AGAIN - 1:
                    raise self._doubtful(refused, request, epoch) from None
                await self._reach(epoch, refused.seq)
                if not self._still_meant(action, game):
                    raise
            else:
                await self._reach(epoch, reply.seq)
                self._tell(self._acts.on_ok(request, reply.seq))
                return

    def _doubt(self, oddity: str) -> None:
        """Tell an oddity in a while, unless it turns out by then that another connection of ours had the seat."""
        loop = asyncio.get_running_loop()
        held_s, pending = self._held, self._doubts.get(oddity)
        if not oddity or held_s is None or loop.time() - held_s < LANDING_S:
            return
        if pending is not None and not pending.done():
            return

        def resolve(due_s: float) -> None:
            if loop.time() > due_s + STALL_S:
                wait()
                return
            if self._held == held_s and self.seat is not None and self._channel.link.online:
                self._tell(oddity)
            resolved.set_result(None)

        def wait() -> None:
            loop.call_later(LANDING_S, resolve, loop.time() + LANDING_S)

        resolved = self._doubts[oddity] = loop.create_future()
        wait()

    def _tell(self, oddity: str) -> None:
        if oddity and oddity not in self.oddities:
            self.oddities.append(oddity)
            self._show("odd")

    def _doubtful(self, refused: Refused, request: m.MatchAction, epoch: int) -> Refused:
        """A refusal; once a version it is said if the rules, as we know them, allow the action."""
        version = self.epoch, self.seq
        is_of_rules = refused.code in REASONS and version == (epoch, request.seq) and refused.seq == request.seq
        # Views do not show until when a match may be aborted.
        asked_for = None if isinstance(request, m.Abort) else ENGINE_ACTIONS.get(type(request))
        if not is_of_rules or self.seat is None or version == self._doubted or asked_for is None:
            return refused
        if not self.dice.allows(asked_for(self.seat, request)):
            return refused
        self._doubted = version
        return Refused(refused.code, f"{refused.text}; {REFUSED}", refused.seq, refused.retry_after)

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
