"""Pilot of a match: a bot's hooks are asked, and their answers are carried out."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View

from tavla_client.bots import hooks
from tavla_client.bots.bot import Bot, Result
from tavla_client.bots.failures import Failures
from tavla_client.bots.pace import Pace
from tavla_client.bots.turn import Play, Turn
from tavla_client.connection import log
from tavla_client.dice_check import DiceVerdict
from tavla_client.errors import ClientError, PlayStopped, Refused
from tavla_client.match import Match

SLOW_S = 1.0  # hooks that took less in a match did not lose it on time; the connection may have, say

Action = Callable[[], Awaitable[None]]


class _Overtaken(Exception):
    """The match does not wait for this answer any more."""


class Pilot:
    """Plays a match to its end: `await Pilot(bot, match).play()`. failures: of its hooks, in all matches of a run.

    pace: how long its decisions take at least, such as `human_pace`; by default as long as its hooks.
    """

    def __init__(self, bot: Bot, match: Match, failures: Failures | None = None, pace: Pace | None = None) -> None:
        self.bot, self.match, self.pace = bot, match, pace
        self.failures = Failures() if failures is None else failures
        self._thought: dict[str, list[float]] = {}  # hook -> how long it took each time, in s
        self._asked_to_resign: tuple[object, ...] = ()  # the turn of which we have asked
        self._seat = match.seat or 0  # ours, even when another connection of ours has taken it

    async def play(self) -> Result:
        """Play until it is over, or something is wrong. Raises: ClientError, when it can be followed no longer."""
        losses = 0
        async for _ in self.match.changes(newest=True):
            if self.match.losses > losses:
                losses = self.match.losses
                log.warning("match %s: %s", self.match.id, self.match.loss)
            if self.match.is_stopped and not self._goes_on():
                break
            while self.match.to_act and await self._act():
                pass
        verdict = await self._verdict()
        for oddity in self.match.oddities:
            log.warning("match %s: %s", self.match.id, oddity)
        result = _result_of(self.match, self._seat, verdict)
        if result.won is False and result.ending == Ending.TIME:
            self._blame()
        await hooks.call(self.bot, "on_match_end", result, self.failures)
        return result

    def _goes_on(self) -> bool:
        """True if the bot plays on though something was wrong."""
        if self.bot.plays_on:
            log.error("match %s: %s: playing on", self.match.id, self.match.dice.fault)
            self.match.go_on()
        return self.bot.plays_on

    async def _verdict(self) -> DiceVerdict:
        if self.match.is_stopped:
            if self.match.view.phase != "over":
                with suppress(ClientError):
                    await self.match.detach()
            return DiceVerdict(False, f"WARNING: {self.match.dice.fault}")
        return await self.match.verdict()

    async def _act(self) -> bool:
        """Make a decision. False when there is nothing to be done before the match has changed."""
        seq = self.match.seq
        try:
            await self._decide()
        except _Overtaken:
            pass
        except PlayStopped:  # what was wrong came with the last change
            return False
        except Refused as refused:
            if refused.code in (ErrorCode.STALE, Reason.WRONG_PHASE, Reason.NOT_YOUR_TURN):
                return self.match.seq > seq  # it came too late: look again
            log.warning("match %s: refused: %s", self.match.id, refused.text)
            return False
        return True

    async def _decide(self) -> None:
        match, view = self.match, self.match.view
        if view.phase == "ready":
            await match.ready()
        elif view.phase == "cube":
            await (match.take() if await self._ask("take_double") else match.drop())
        elif view.phase == "resign":
            await (match.accept() if await self._ask("accept_resign") else match.refuse())
        elif not await self._resign():
            await (self._roll() if view.phase == "roll" else self._move())

    async def _resign(self) -> bool:
        """Offer a resignation, once a turn at most. Whether that was done."""
        view = self.match.view
        turn = (view.game, view.phase, view.rolls, view.cube)
        if turn == self._asked_to_resign or not view.rules.get("resignations", True):
            return False
        self._asked_to_resign = turn
        value = await self._ask("offer_resign")
        if value and value not in (1, 2, 3):
            hooks.meaningless(self.failures, self.bot, "offer_resign", value)
        elif value:
            return await self._try("offer_resign", value, lambda: self.match.resign(int(value)))
        return False

    async def _roll(self) -> None:
        if not (await self._ask("offer_double") and await self._try("offer_double", True, self.match.double)):
            await self.match.roll()

    async def _move(self) -> None:
        turn = _turn_of(self.match)
        answer = await self._answer("choose_play", turn)
        if not await self._try("choose_play", answer, lambda: self.match.move(moves_of(answer))):
            await self.match.move(random.choice(turn.plays).moves)  # as the default of `choose_play` does

    async def _try(self, hook: str, answer: object, action: Action) -> bool:
        """Do what a hook has answered. False, and counted, when that cannot be done.

        Raises: Refused, when it came too late: then the match is another one.
        """
        try:
            await action()
        except Refused as refused:
            if refused.code in (ErrorCode.STALE, ErrorCode.NOT_SEATED, ErrorCode.UNAVAILABLE):
                raise
            if refused.code != Reason.NO_RESIGNATION:  # as little as was refused in this turn before: it plays on
                self.failures.add(hooks.hook_name(self.bot, hook), f"refused, {refused.code}", detail=refused.text)
            return False
        except (TypeError, ValueError):
            hooks.meaningless(self.failures, self.bot, hook, answer)
            return False
        return True

    async def _ask(self, hook: str) -> Any:
        return await self._answer(hook, _turn_of(self.match))

    async def _answer(self, hook: str, turn: Turn) -> Any:
        """Answer of a hook, as long as the match waits for it. Raises: _Overtaken."""
        waiting = asyncio.ensure_future(self._considered(hook, turn))
        await asyncio.sleep(0)
        try:
            while not waiting.done():
                change = asyncio.ensure_future(self.match.next_change())
                try:
                    await asyncio.wait((waiting, change), return_when=asyncio.FIRST_COMPLETED)
                    if change.done():
                        change.result()  # or why the match can be followed no longer
                finally:
                    change.cancel()
                if not _is_same(self.match, turn.view):
                    raise _Overtaken
            return waiting.result()
        finally:
            waiting.cancel()

    async def _considered(self, hook: str, turn: Turn) -> Any:
        """Answer of a hook, no sooner than our pace wants it."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            answer = await hooks.call(self.bot, hook, turn, self.failures)
        finally:
            took = clock() - began
            self._thought.setdefault(hook, []).append(took)
        if self.pace is not None:
            await asyncio.sleep(self.pace(hook, turn, answer) - took)
        return answer

    def _blame(self) -> None:
        """The match was lost on time: say which hook took it."""
        slowest = max(self._thought, key=lambda hook: sum(self._thought[hook]), default="")
        times = self._thought.get(slowest, [0.0])
        if sum(times) < SLOW_S:
            log.warning("match %s: the clock ran out, but the hooks took %.1f s", self.match.id, sum(times))
            return
        took = f"in match {self.match.id} it took {sum(times):.1f} s, {max(times):.1f} s at most at once"
        self.failures.add(hooks.hook_name(self.bot, slowest), "the clock ran out", detail=took)


def _is_same(match: Match, before: View) -> bool:
    """True if the match still waits for the decision that it waited for in this view."""
    return match.to_act and _decision(match.view) == _decision(before)


def _decision(view: View) -> tuple[object, ...]:
    return view.game, view.phase, view.rolls, view.cube, view.offer


def _turn_of(match: Match) -> Turn:
    assert match.seat is not None, "we play"
    left = match.time_left(match.seat), match.time_left(1 - match.seat)
    return Turn(match.id, match.view, match.seat, *left)


def _result_of(match: Match, seat: int, dice: DiceVerdict) -> Result:
    view = match.view
    winner, _, _, ending = view.outcome or (None, 0, 0, "cancelled")
    if view.phase != "over":
        winner, ending = None, "stopped"
    score = view.score[seat], view.score[1 - seat]
    if dice.is_fault:
        log.error("match %s: %s", match.id, dice.text)
    elif not dice.sound:
        log.warning("match %s: %s", match.id, dice.text)
    won = None if winner is None else winner == seat
    return Result(match.id, view.players[1 - seat] or "", won, score, ending, dice)


def moves_of(answer: Any) -> list[tuple[int, int]]:
    """The moves that a hook answered: a play of the turn, or bare pairs. Raises: TypeError, ValueError."""
    pairs = answer.moves if isinstance(answer, Play) else answer
    moves = [(int(source), int(target)) for source, target in pairs]
    if len(moves) > 4 or not all(0 <= target < source <= 25 for source, target in moves):
        raise ValueError(f"{moves} is no play")
    return moves
