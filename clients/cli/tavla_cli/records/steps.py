"""A record as steps that one can look at: each with its view, and what has happened since the one before. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from tavla_engine import events as e
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match
from tavla_protocol import match_view
from tavla_protocol.view import View

from tavla_cli.records.marks import begins_turn, figures, marks_of, sentence, turns
from tavla_cli.records.record import Record, plain_rules
from tavla_cli.text.cleaning import clean
from tavla_cli.text.story import result, story

_STOPS = (e.Doubled, e.Beavered, e.ResignationOffered, e.GameEnded, e.MatchEnded)


class Step(NamedTuple):
    """A moment of a match. said: what has happened since the step before. time_ms: since 1970; 0 = unknown.

    turn: of the game, from 1; 0 before its first roll.
    """

    match: Match
    view: View
    said: tuple[str, ...]
    turn: int
    time_ms: int


def steps(record: Record) -> list[Step]:
    """Stops of a replay: after each roll and each offer, and where a game ends.

    A match in which nothing has happened has one step, before its first game.
    """
    marks = marks_of(record)
    found = [_step(record, record.start, None, 0, record.times[0] if record.times else 0)]
    remarks = list(record.notes)
    for place, (turn, _, event, match) in enumerate(turns(record)):
        remarks += [sentence(finding, record.names[finding[2]]) for finding in marks.get(place, ())]
        if isinstance(event, e.PositionSet):
            remarks.append(_set_up(match, record.names))
        following = record.events[place + 1] if place + 1 < len(record.events) else None
        if _is_stop(event, following) or (following is None and _differs(match, found[-1].match)):
            found.append(_step(record, match, found[-1].view, turn, record.times[place], remarks))
            remarks = []
    return found[1:] or found


def turns_of(all_steps: Sequence[Step]) -> dict[int, int]:
    """Number of turns in each game, by the game's number."""
    return {step.match.game: step.turn for step in all_steps}


def view_of(match: Match) -> View:
    """A match as a client would see it, as far as its rules and the board go."""
    return replace(match_view.view_of(match), rules=plain_rules(match.rules), players=("white", "black"))


def _is_stop(event: Event, following: Event | None) -> bool:
    if isinstance(following, e.PositionSet) or (isinstance(event, e.Moved) and _is_given_up(following)):
        return True  # the step after it shows another board, or the end alone
    is_stop = begins_turn(event) or isinstance(event, _STOPS)
    return is_stop and not isinstance(following, e.MatchEnded)  # which tells of both


def _is_given_up(event: Event | None) -> bool:
    """True for the end of a game or match that no play has brought about."""
    return isinstance(event, e.GameEnded | e.MatchEnded) and event.ending is not Ending.BORNE_OFF


def _differs(one: Match, other: Match) -> bool:
    return (one.phase, one.board) != (other.phase, other.board)


def _step(
    record: Record, match: Match, before: View | None, turn: int, time_ms: int, remarks: Sequence[str] = ()
) -> Step:
    shown = record.view
    pledges = shown.commitments if record.told is not None else ("-", "-")  # other programs know of none
    view = replace(view_of(match), players=record.names, kinds=shown.kinds, name=shown.name, commitments=pledges)
    said = () if before is None else (*_said(before, view), *remarks)
    if view.phase == "over" and (judged := figures(record)):
        said = (*said, judged)
    return Step(match, view, said, turn, time_ms)


def _set_up(match: Match, names: Sequence[str]) -> str:
    """A position that was set up: its cube and who is on roll, in one sentence."""
    value, owner, _ = match.cube
    cube = f"the cube is at {value}" + ("" if owner is None else f", {names[owner]} owns it")
    return clean(f"a set-up position: {cube}; {names[match.turn]} is on roll")


def _said(before: View, view: View) -> Iterator[str]:
    yield from story(before, view, None)
    if view.phase == "over":
        yield result(view, None)
