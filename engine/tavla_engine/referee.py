"""Referee of a match that was played: replays its record by the rules, and says what does not follow.

A record is sound when deciding what its players did, with the dice that follow from the seeds, gives its events and no
others: each number used once and in order, who starts, every play, the cube, the score, and the end.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action
from tavla_engine.apply import apply
from tavla_engine.chain import LINKS, link_after
from tavla_engine.claim import Claim, fork_link, proven_dice, wrong_seeds, wrong_terms
from tavla_engine.conditions import asks_abort, to_act
from tavla_engine.decide import decide, proceed
from tavla_engine.dice import Dice, Roller
from tavla_engine.errors import BadText, IllegalAction
from tavla_engine.event_texts import SIDES, event_text
from tavla_engine.events import Ending, Event
from tavla_engine.match import OVER, READY, Match, new_match
from tavla_engine.record_order import RecordClock, flag_fault, order_faults, unknown_type
from tavla_engine.rules import BadRules, Rules, valid_rules
from tavla_engine.server_events import ServerEvent, read_server_events
from tavla_engine.values import T


class Proof(NamedTuple):
    """A proof of a claim, or its faults. faults: sentences; none for one that is sound.

    unknown: the type of an event that this version does not know, which makes a record neither sound nor wrong; or "".
    states: the match after each entry that changed it, as far as all was sound.
    """

    faults: tuple[str, ...]
    states: tuple[tuple[int, Match], ...]
    unknown: str = ""


class _Fault(Exception):
    """The record does not follow. str(error): a sentence."""


def judge(claim: Claim) -> Proof:
    """Judge whether a claim is sound.

    While the server's seed is hidden the dice are taken as they are told, and all else is judged.
    Raises: BadText for what is no record, or has rules or events that this version does not know.
    """
    rules, told = rules_of(claim.rules), read_server_events(claim.events)
    faults = [*order_faults(told), *wrong_terms(claim, told), *wrong_seeds(claim, told)]
    states: list[tuple[int, Match]] = []
    try:
        for seq, match in _replayed(new_match(rules), told, _RecordDice(claim, told), claim):
            states.append((seq, match))
    except _Fault as fault:
        faults.append(str(fault))
    unknown = unknown_type(told)
    if faults and unknown:  # of a later version: it may be what has led to the rest
        raise BadText(f"this version does not know the event {unknown:.40}: update it")
    return Proof(tuple(faults), tuple(states), unknown)


def rules_of(options: dict[str, Any]) -> Rules:
    """The rules that some options say. Raises: BadText."""
    try:
        return valid_rules(Rules(**options))
    except TypeError:
        unknown = ", ".join(sorted(options.keys() - set(Rules._fields), key=str))
        raise BadText(f"this version does not know the rule {unknown:.60}: update it") from None
    except BadRules as error:
        raise BadText(f"these are no rules: {error}") from None


# --- the replay ---


class _RecordDice:
    """The dice of a record: those that follow from the seeds; where no seed is shown, those that were told."""

    def __init__(self, claim: Claim, told: Sequence[ServerEvent]) -> None:
        self._proven = proven_dice(claim, told)
        self._drawn = [one.event.dice for one in told if isinstance(one.event, e.OpeningRolled | e.Rolled)]

    def roller(self, match: Match) -> Roller:
        """The dice of the game that a match is in, or that it begins next."""
        proven = self._proven
        if proven is None or match.link > proven.number:
            return self._told
        return proven.roller(match)

    def _told(self, number: int) -> Dice:
        if number > len(self._drawn):
            raise _Fault(f"roll {number} is missing: the events end before it")
        return self._drawn[number - 1]


def _replayed(
    match: Match, told: Sequence[ServerEvent], dice: _RecordDice, claim: Claim
) -> Iterator[tuple[int, Match]]:
    """The match after each action of a player, with the seq of its last event. Raises: _Fault."""
    events = [(one.seq, one.event, one.time_ms) for one in told if one.event is not None]
    forks = _followers(told, lambda one: fork_link(one, claim.commitment))
    ruled = {*_followers(told, lambda one: one.type == "ruled" or None), *(at for at in forks if forks[at] == LINKS)}
    cancelled = next(iter(_places(told, "cancelled")), None)
    if cancelled is not None and any(one.event is not None for one in told[cancelled:]):
        raise _Fault("something happens after the table was closed")
    place, clock = 0, RecordClock()
    while place < len(events):
        if shown := forks.pop(place, 0):
            match = link_after(match, shown)
        before, (_, event, time_ms) = match, events[place]
        if not match.game and isinstance(event, e.Readied | e.GameStarted):
            following, match = _before_first_game(match, event, dice.roller(match))
        elif isinstance(event, e.MatchEnded) and event.ending in DECIDED:
            if not may_decide(match, event, place in ruled):
                raise _Fault(f"{_where(match)}the match ends as {event.ending.value}, which cannot be now")
            if event.ending is Ending.TIME and (fault := flag_fault(to_act(match)[0], clock.left_ms(time_ms))):
                raise _Fault(fault)
            following, match = [event], apply(match, event)
        else:
            following, match = _decided(match, event, dice.roller(match))
        for offset, expected in enumerate(following):
            now = events[place + offset][1] if place + offset < len(events) else None
            if not _agree(expected, now):
                raise _Fault(_difference(match, expected, now, following[offset:]))
        place += len(following)
        clock.run(before, match, time_ms)
        yield events[place - 1][0], match
    if cancelled is not None and match.game:
        raise _Fault("the table was closed, but its match had begun")
    if claim.over and cancelled is None and match.phase is not OVER:
        raise _Fault("the match is over, but its events end before that")


def _places(told: Sequence[ServerEvent], type_: str) -> list[int]:
    return [place for place, one in enumerate(told) if one.type == type_]


def _followers(told: Sequence[ServerEvent], of: Callable[[ServerEvent], T | None]) -> dict[int, T]:
    """Places among the match's events of those that follow some of the table's, with what `of` gives for these."""
    found: dict[int, T] = {}
    place = 0
    for one in told:
        if (value := of(one)) is not None:
            found[place] = value
        place += one.event is not None
    return found


def _before_first_game(match: Match, event: e.Readied | e.GameStarted, roll: Roller) -> tuple[list[Event], Match]:
    """Both are ready when they sit; the first game waits for their seeds, perhaps in vain."""
    if isinstance(event, e.GameStarted):
        following, after = proceed(match, roll)
        if not following:
            raise _Fault("the first game begins before both are ready")
        return following, after
    if match.ready[event.seat]:
        raise _Fault(f"{SIDES[event.seat]} is ready twice")
    return [event], apply(match, event)


def _decided(match: Match, event: Event, roll: Roller) -> tuple[list[Event], Match]:
    """Events by the rules for a player's action, known by the first event that it led to."""
    action = _action(match, event)
    if action is None:
        raise _Fault(_out_of_place(match, event))
    try:
        following, after = decide(match, action, roll)
    except IllegalAction as refused:
        raise _Fault(f"{_where(match)}{event_text(event)}, against the rules: {refused}") from None
    if not following:
        raise _Fault(f"{_where(match)}{event_text(event)}, which changes nothing")
    return following, after


DECIDED = frozenset({Ending.TIME, Ending.ABANDONED, Ending.ADJUDICATED, Ending.VOIDED})  # not by the engine


def may_decide(match: Match, event: e.MatchEnded, is_ruled: bool = True) -> bool:
    """True if a server may give the match such an end now. is_ruled: it says by whom that was decided."""
    ending, winner = event.ending, event.winner
    if ending is Ending.VOIDED:
        voided = match.outcome is not None and match.outcome.ending is Ending.VOIDED
        return is_ruled and winner is None and not (match.phase is OVER and voided)
    if match.phase is OVER or winner is None or not match.game:
        return False
    if ending is Ending.ADJUDICATED:
        return is_ruled
    loses = 1 - winner in to_act(match)
    return loses and (ending is Ending.ABANDONED or (match.rules.clocked and match.phase is not READY))


_ACTIONS: dict[type[Event], Callable[[Any, Match], Action | None]] = {
    e.Readied: lambda event, _: a.Ready(event.seat),
    e.Rolled: lambda event, _: a.Roll(event.seat),
    e.Moved: lambda event, _: None if event.auto else a.Move(event.seat, event.moves),
    e.Doubled: lambda event, _: a.Double(event.seat),
    e.Taken: lambda event, _: a.Take(event.seat),
    e.Beavered: lambda event, _: a.Beaver(event.seat),
    e.ResignationOffered: lambda event, _: a.Resign(event.seat, event.value),
    e.ResignationRefused: lambda event, _: a.RefuseResignation(event.seat),
    e.AutoSet: lambda event, _: a.SetAuto(event.seat, event.auto, event.on),
    e.AbortAsked: lambda event, _: a.Abort(event.seat, event.on),
    e.GameEnded: lambda event, _: _ending_game(event),
    e.MatchEnded: lambda event, match: _ending_match(event, match),
}


def _action(match: Match, event: Event) -> Action | None:
    """The action that leads to an event; None for a step that only the rules take."""
    action = _ACTIONS.get(type(event))
    return None if action is None else action(event, match)


def _ending_game(event: e.GameEnded) -> Action | None:
    match event.ending:
        case Ending.DROP:
            return a.Drop(1 - event.winner)
        case Ending.RESIGNATION:
            return a.AcceptResignation(event.winner)
        case Ending.FORFEIT:
            return a.Forfeit(1 - event.winner)
    return None


def _ending_match(event: e.MatchEnded, match: Match) -> Action | None:
    match event.ending:
        case Ending.FORFEIT if event.winner is not None:
            return a.Forfeit(1 - event.winner)
        case Ending.LEFT:
            return a.Leave(0)
        case Ending.ABORTED:  # by the one who had not asked for it yet
            return a.Abort(int(asks_abort(match, 0)))
    return None


def _agree(expected: Event, now: Event | None) -> bool:
    """True if two events are the same; steps of a play may stand in any order."""
    if isinstance(expected, e.Moved) and isinstance(now, e.Moved):
        same = (expected.seat, expected.auto) == (now.seat, now.auto)
        return same and sorted(expected.moves) == sorted(now.moves)
    return expected == now


# --- sentences ---


def _where(match: Match) -> str:
    return f"after roll {match.rolls}, " if match.rolls else ""


def _out_of_place(match: Match, event: Event) -> str:
    if isinstance(event, e.OpeningRolled):
        return f"roll {match.rolls + 1} is drawn when roll {match.rolls} has not been played"
    return f"{_where(match)}{event_text(event)}, which does not follow"


def _difference(after: Match, expected: Event, now: Event | None, due: Sequence[Event]) -> str:
    """Two events that should be the same. after: the match when all that is `due` has happened."""
    number = after.rolls - sum(isinstance(one, e.OpeningRolled | e.Rolled) for one in due) + 1
    if isinstance(expected, e.OpeningRolled | e.Rolled):
        one, two = expected.dice
        if isinstance(now, e.OpeningRolled | e.Rolled) and now.dice != expected.dice:
            return f"roll {number} is {now.dice[0]}-{now.dice[1]}, but {one}-{two} follows from the seeds"
        instead = "nothing follows" if now is None else f"instead {event_text(now)}"
        return f"roll {number} is missing: {event_text(expected)}; {instead}"
    instead = "the events end" if now is None else event_text(now)
    return f"after roll {number - 1}, {instead}, where {event_text(expected)}"
