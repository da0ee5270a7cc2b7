"""Decisions on the life of a table: it opens, fills, is cancelled, or ruled on."""

import asyncio
import secrets
from collections.abc import Sequence

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.dice import keeps
from tavla_engine.errors import Reason
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.rules import Rules
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Error, Ok, Verdict

from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.match.command import MatchCommand
from tavla_server.match.fork import Fork, KnownSeeds
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.commitments import check_differs
from tavla_server.record.decider import Decide, engine_decide, start_first_game
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Agreed, Cancelled, Created, Event, Met, Revealed, Ruled, Seated, Terms
from tavla_server.record.projection import agreed_text
from tavla_server.record.state import Record, apply, apply_all

SALT_BYTES = 16


def opening(name: str, rules: Rules, terms: Terms, *seated: Seated, met: int = 0) -> Decide:
    """A table is opened with someone on a seat, or with both players: then the match begins as when a player joins.
    The server draws the last link of its chain of seeds.

    met: as in `Met`. To open it a second time does nothing.
    """
    created = Created(name, rules, secrets.token_bytes(32), terms)

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.name:
            return [], record
        events: list[Event] = [created, *seated, *_met(met)]
        return _seated(events, apply_all(record, events), dice)

    return decide


def sitting(seat: Seat, player: Player, commitment: str) -> Seated:
    """A player on a seat, with a fresh salt for the name in the terms."""
    return Seated(seat, player, secrets.token_hex(SALT_BYTES), commitment)


def with_terms(events: Sequence[Event], record: Record) -> tuple[list[Event], Record]:
    """Some events after which both players sit, and the terms of their match; and the record then."""
    agreed = Agreed(agreed_text(record))
    return [*events, agreed], apply(record, agreed)


def joining(player: Player, commitment: str, met: int = 0) -> Decide:
    """A player takes the free seat; the match begins at once, or with the seeds that the players have committed to.

    met: as in `Met`.
    """

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.seat_of(player.id) is not None:
            return [], record
        if not record.open:
            raise Refused(ErrorCode.TABLE_FULL, "this table has no free seat: you can watch it")
        check_differs(commitment, record.commitment, *record.commitments)
        events: list[Event] = [sitting(record.players.index(None), player, commitment), *_met(met)]
        return _seated(events, apply_all(record, events), dice)

    return decide


def reveal(seat: Seat, seed: str, seen: str) -> Decide:
    """A player shows the seed that was committed to; the first game starts with the last of them.

    seen: the binding of the terms that the player has seen.
    """

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.binding and seen != record.binding:
            text = "the terms of this match are other ones than you have seen: attach to it again and look at them"
            raise Refused(ErrorCode.OTHER_TERMS, text)
        if seed == record.seeds[seat]:
            return [], record
        if record.over or seat not in record.missing_seeds:
            raise Refused(Reason.WRONG_PHASE, "the match does not wait for a seed of yours")
        if not keeps(seed, record.commitments[seat]):
            raise Refused(ErrorCode.BAD_SEED, "this is not the seed that you committed to when you sat down")
        return start_first_game([Revealed(seat, seed)], apply(record, Revealed(seat, seed)), dice)

    return decide


def cancellation(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
    """A table is closed before anyone joined it."""
    if record.cancelled:
        return [], record
    if not record.open:
        raise Refused(ErrorCode.TABLE_FULL, "your opponent has sat down: you may forfeit the match")
    return [Cancelled()], replace(record, cancelled=True)


def ruling(verdict: Verdict, judge: str, why: str) -> Decide:
    """A ruling: a match is won by one side, or does not count, over or not. judge: as in `Ruled`."""
    said = Ruled(judge, why)

    def void(record: Record) -> list[Event]:
        if record.cancelled or record.voided:
            return []
        return [said, Cancelled() if record.open else MatchEnded(None, Ending.VOIDED)]

    def won(record: Record, seat: Seat) -> list[Event]:
        outcome = record.match.outcome
        if outcome is not None and (outcome.winner, outcome.ending) == (seat, Ending.ADJUDICATED):
            return []
        if record.over:
            raise Refused(Reason.WRONG_PHASE, "this match is over: it can only be voided")
        if not record.match.game:
            raise Refused(Reason.WRONG_PHASE, "this match has not begun: it can only be voided")
        return [said, MatchEnded(seat, Ending.ADJUDICATED)]

    def decide(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
        events = void(record) if verdict == "void" else won(record, ("white", "black").index(verdict))
        return events, apply_all(record, events)

    return decide


async def submit_and_wait(session: Session, decide: Decide, player: str = "", request: int | None = None) -> None:
    """Submit a player's request, or a command of the server's own, and wait until it is in the journal.

    Raises: Refused; StoreUnavailable for a command of the server's own, which is to be tried again.
    """
    done: asyncio.Future[Ok | Error] = asyncio.get_running_loop().create_future()
    if request is None:
        session.submit(MatchCommand.from_server(decide, done))
    else:
        session.submit(MatchCommand(player, request, None, decide, done))
    if isinstance(answer := await done, Error):
        if request is None and answer.code == ErrorCode.UNAVAILABLE:
            raise StoreUnavailable(answer.text)
        raise Refused(answer.code, answer.text)


async def bring_seeds(session: Session, shown: KnownSeeds, now_ms: int) -> None:
    """Fork a match that was put back, if one of its players was shown seeds that its journal does not have.

    Raises: StoreUnavailable; Refused, without the key to the dice.
    """
    if shown.is_news(session.record):
        await session.read_up()  # this node may lag behind
        if shown.is_news(session.record):
            await submit_and_wait(session, Fork(shown, now_ms))


def _met(times: int) -> list[Event]:
    return [Met(times)] if times else []


def _seated(events: list[Event], record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
    if record.open:
        return events, record
    events, record = with_terms(events, record)
    more, record = engine_decide(a.Ready(0), a.Ready(1))(record, dice)
    return [*events, *more], record
