"""The ways in which a rigged server cheats: a table of modes, each a lie in one place.

`instead` puts other events into the journal, `applied` has them mean something else, `shown` changes the view that all
see, and `told` what `record` answers. A mode is pure but for what it remembers of matches that it made void.
"""

from collections.abc import Callable

from msgspec.structs import replace
from tavla_engine.actions import Auto, Seat
from tavla_engine.conditions import no_double, to_act
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import (
    AbortAsked,
    AutoSet,
    Doubled,
    Ending,
    GameEnded,
    MatchEnded,
    Moved,
    OpeningRolled,
    ResignationOffered,
    Rolled,
)
from tavla_engine.match import CUBE, MOVE, ROLL, Match, new_match
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.position import Play, Position
from tavla_engine.values import with_one
from tavla_protocol.view import View
from tavla_server.record.events import Created, Event, Seated
from tavla_server.record.state import Record, apply

from tests.support.servers.rigged.dice import truth
from tests.support.servers.rigged.dice_modes import DICE_MODES, SIXES, TEMPTING
from tests.support.servers.rigged.mode import Mode
from tests.support.servers.rigged.retelling import Entries, with_another_play, with_events
from tests.support.servers.rigged.seed_modes import SEED_MODES, is_last

UNASKED_S = 6.0  # longer than a client excuses what was asked for by an earlier connection of its player


# --- rules ---


def _start_loser(_before: Record, after: Record, event: Event) -> Record:
    if isinstance(event, OpeningRolled) and after.match.phase is MOVE:
        return replace(after, match=replace(after.match, turn=1 - after.match.turn))
    return after


def _play_illegally(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The friend's plays become such as other dice allow."""
    if not isinstance(event, Moved) or event.seat != friend or not event.moves:
        return [event]
    assert record.match.dice is not None, "a turn has dice"
    return [Moved(friend, _illegal_play(record.match.position, record.match.dice) or event.moves)]


def _illegal_play(position: Position, dice: Dice) -> Play | None:
    legal = legal_plays(position, dice)
    for other in TEMPTING:
        for after, play in legal_plays(position, other).items():
            if play and after not in legal:
                return play
    return None


def _play_as_forced(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Every other turn of the victim's is played at once, as if it were forced."""
    if not isinstance(event, Rolled) or event.seat == friend or record.match.rolls % 4 > 1:
        return [event]
    match = apply(record, event).match
    assert match.dice is not None, "a roll has dice"
    plays = legal_plays(match.position, match.dice)
    return [event, Moved(event.seat, next(iter(plays.values())), auto=True)] if len(plays) > 1 else [event]


def _roll_for(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The victim, who may double, is not asked: the dice are rolled."""
    match event:
        case Created(rules=rules):
            return [replace(event, rules=rules._replace(length=3, cube=True))]
        case Moved(seat) if seat == friend:
            match_then = apply(record, event).match
            may_double = no_double(match_then, 1 - seat) is None and not match_then.auto_roll[1 - seat]
            if may_double and any(match_then.board[seat][1:]):
                return [event, Rolled(1 - seat, *truth(record)(record.match.rolls + 1))]
    return [event]


def _wrong_score(_record: Record, view: View, _friend: Seat) -> View:
    """The points of a game go to its loser."""
    if view.outcome is None:
        return view
    winner, points, kind, ending = view.outcome
    if winner is None:
        return view
    white, black = view.score
    return replace(view, score=(black, white), outcome=(1 - winner, points, kind, ending))


def _wrong_cube(record: Record, view: View, friend: Seat) -> View:
    """The cube is twice as high, and the friend's."""
    return replace(view, cube=2 * view.cube, owner=friend) if record.match.game else view


# --- terms ---


def _other_rules(_before: Record, after: Record, event: Event) -> Record:
    """Longer matches than the victim has asked for, without the Crawford rule."""
    if isinstance(event, Seated) and None not in after.players:
        rules = after.match.rules
        return replace(after, match=new_match(rules._replace(length=rules.length + 2, crawford=False)))
    return after


def _other_opponent(record: Record, view: View, friend: Seat) -> View:
    """Another name than that of the player who has sat down, from the first game on."""
    return replace(view, players=with_one(view.players, friend, "somebody-else")) if record.match.game else view


# --- records ---


def _told_sixes(_record: Record, entries: Entries, friend: Seat) -> Entries:
    return with_events(
        entries, lambda event: [Rolled(friend, *SIXES) if isinstance(event, Rolled) and event.seat == friend else event]
    )


def _told_another_play(record: Record, entries: Entries, _friend: Seat) -> Entries:
    return with_another_play(record.match.rules, truth(record), entries) if record.over else entries


# --- what players notice by what they remember ---

vanished = set[str]()  # matches that nobody finds any more


def _vanish(record: Record, event: Event, _friend: Seat) -> list[Event]:
    """The match is not there any more when all seeds, and so the dice, can be known."""
    if is_last(record, event):
        vanished.add(record.id)
    return [event]


def _refuse(_record: Record, event: Event, friend: Seat) -> list[Event]:
    """The victim may not resign, and loses by more."""
    if isinstance(event, ResignationOffered) and event.seat != friend:
        raise IllegalAction(Reason.WRONG_PHASE, "nobody may resign now")
    return [event]


def _play_otherwise(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The victim's plays become other ones."""
    if not isinstance(event, Moved) or event.seat == friend or event.auto:
        return [event]
    assert record.match.dice is not None, "a turn has dice"
    done = check_play(record.match.position, record.match.dice, event.moves)
    plays = legal_plays(record.match.position, record.match.dice)
    return [replace(event, moves=next((play for after, play in plays.items() if after != done), event.moves))]


def _unasked(act: Callable[[Match, Seat], Event | None]) -> Mode:
    """An act in the victim's name, at its turn, that the victim has not asked for."""

    def unasked(record: Record, friend: Seat) -> Event | None:
        match = record.match
        waits = to_act(match) == (1 - friend,) and match.phase in (MOVE, ROLL, CUBE)
        return act(match, 1 - friend) if waits else None

    return Mode(unasked=unasked)


def _friend_doubles(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The friend doubles where it would roll."""
    would_roll = isinstance(event, Rolled) and event.seat == friend and record.match.phase is ROLL
    return [Doubled(friend)] if would_roll and no_double(record.match, friend) is None else [event]


def _drop(match: Match, victim: Seat) -> Event | None:
    return GameEnded(1 - victim, match.cube.value, 1, Ending.DROP) if match.phase is CUBE else None


def _auto_roll(match: Match, victim: Seat) -> Event:
    """On, and off again: a client that stood still tells of none, and would wait for the next."""
    return AutoSet(victim, Auto.ROLL, not match.auto_roll[victim])


def _abort(match: Match, victim: Seat) -> Event:
    """Asked for, and taken back, for the same reason."""
    return AbortAsked(victim, match.aborts[victim] is None)


def _some_play(match: Match, victim: Seat) -> Event | None:
    if match.dice is None:
        return None
    return Moved(victim, next(iter(legal_plays(match.position, match.dice).values())))


REMEMBERED = {
    "vanish": Mode(_vanish),
    "refuses": Mode(_refuse),
    "other_play": Mode(_play_otherwise),
    "plays_for": _unasked(_some_play),
    "doubles_for": _unasked(lambda match, victim: Doubled(victim) if match.phase is ROLL else None),
    "drops_for": _unasked(_drop)._replace(instead=_friend_doubles),
    "resigns_for": _unasked(lambda _, victim: ResignationOffered(victim, 1)),
    "rolls_on_for": _unasked(_auto_roll),
    "aborts_for": _unasked(_abort),
    "forfeits_for": _unasked(lambda _, victim: MatchEnded(1 - victim, Ending.FORFEIT)),
}

MODES: dict[str, Mode] = {
    **DICE_MODES,
    **SEED_MODES,
    "wrong_starter": Mode(applied=_start_loser),
    "illegal_play": Mode(_play_illegally),
    "as_forced": Mode(_play_as_forced),
    "rolled_for": Mode(_roll_for),
    "other_rules": Mode(applied=_other_rules),
    "other_opponent": Mode(shown=_other_opponent),
    "record_differs": Mode(told=_told_another_play),
    "record_sixes": Mode(told=_told_sixes),
    "wrong_score": Mode(shown=_wrong_score),
    "wrong_cube": Mode(shown=_wrong_cube),
}
