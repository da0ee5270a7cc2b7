"""The ways in which a rigged server cheats: a table of modes, each a lie in one place.

`instead` puts other events into the journal, `applied` has them mean something else, `shown` changes the view that all
see, and `told` what `record` answers. A mode is pure but for what it remembers of matches that it made void.
"""

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec.structs import replace
from tavla_engine.actions import Auto, Seat
from tavla_engine.conditions import no_double, to_act
from tavla_engine.dice import Dice, commitment
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
from tavla_server.record.events import Agreed, Cancelled, Created, Event, Revealed, Seated
from tavla_server.record.projection import agreed_text
from tavla_server.record.state import Record, apply

from tests.support.servers.rigged.dice import agreed_anew, liked_salt, liked_seed, margin, pips, pleases, truth
from tests.support.servers.rigged.retelling import Entries, with_another_play, with_events

BY_NAME = "by_name"  # no mode of all matches: players' names say which
BEYOND = 4  # the last roll that the last view admits to
UNASKED_S = 6.0  # longer than a client excuses what was asked for by an earlier connection of its player
EARLY = 2  # rolls, after which a flag may fall
VOIDS = 2  # matches of a victim that are void whatever the dice
SIXES, ONES = (6, 6), (1, 1)
TEMPTING: tuple[Dice, ...] = (SIXES, (5, 5), (4, 4), (3, 3), (6, 5), (5, 4), (2, 2), (4, 3), (2, 1), ONES)


def _honest_events(_record: Record, event: Event, _friend: Seat) -> list[Event]:
    return [event]


def _honest_view(_record: Record, view: View, _friend: Seat) -> View:
    return view


def _honest_record(_record: Record, entries: Entries, _friend: Seat) -> Entries:
    return entries


def _honest_state(_before: Record, after: Record, _event: Event) -> Record:
    return after


def _nothing(_record: Record, _friend: Seat) -> Event | None:
    return None


class Mode(NamedTuple):
    """A way to cheat.

    unasked: what the server does by itself at a record that has not changed for UNASKED_S, in an entry of its own.

    instead: the events that stand in place of one, by the record before it. shown: the view that is shown of a record,
    by the true one. told: the entries that `record` tells, by those of the journal. applied: the record after an event,
    by those before it and after it as the rules have it. All are told the friend's seat but the last.
    """

    instead: Callable[[Record, Event, Seat], list[Event]] = _honest_events
    shown: Callable[[Record, View, Seat], View] = _honest_view
    told: Callable[[Record, Entries, Seat], Entries] = _honest_record
    applied: Callable[[Record, Record, Event], Record] = _honest_state
    unasked: Callable[[Record, Seat], Event | None] = _nothing


# --- dice ---


def _skip(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Rolls without a play, before the one that pleases."""
    if not isinstance(event, Rolled):
        return [event]
    rolled, number = [event], record.match.rolls + 1
    while not pleases(rolled[-1].dice, event.seat == friend):
        number += 1
        rolled.append(Rolled(event.seat, *truth(record)(number)))
    return [*rolled]


def _nothing_to_count_back(record: Record, view: View, _friend: Seat) -> View:
    """No turns in `last`, where counting back from `rolls` would find other dice for them."""
    if not view.last:
        return view
    roll, done = truth(record), view.rolls - bool(view.dice)
    fits = [sorted(turn[1:3]) == sorted(roll(done - back)) for back, turn in enumerate(reversed(view.last))]
    return view if all(fits) else replace(view, last=())


def _lied_of(number: int) -> bool:
    """True if `two_faced` lies of this roll."""
    return number % 3 == 2


def _other_dice(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Another pair than the seeds have; the view tells the right one in `last`, when it was played."""
    if not (isinstance(event, Rolled) and _lied_of(record.match.rolls + 1)):
        return [event]
    wanted: tuple[Dice, ...] = (SIXES, (5, 5)) if event.seat == friend else ((2, 1), ONES)
    return [Rolled(event.seat, *next(dice for dice in wanted if pips(dice) != pips(event.dice)))]


def _right_in_last(record: Record, view: View, _friend: Seat) -> View:
    if not (record.match.game and view.last):
        return view
    roll, last = truth(record), list(view.last)
    done = view.rolls - bool(view.dice)
    for back in range(1, len(last) + 1):
        seat, _, _, *moves = last[-back]
        last[-back] = (seat, *sorted(roll(done + 1 - back), reverse=True), *moves)
    return replace(view, last=tuple(last))


def _right_in_record(record: Record, entries: Entries, _friend: Seat) -> Entries:
    roll, number = truth(record), 0

    def right(event: Event) -> list[Event]:
        nonlocal number
        number += isinstance(event, OpeningRolled | Rolled)
        return [Rolled(event.seat, *roll(number)) if isinstance(event, Rolled) else event]

    return with_events(entries, right)


def _beyond(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Free choice, from the roll on after which the last view knows of none.

    One roll in four is true: with these two alone both players may be closed out on the bar, for ever.
    """
    if not isinstance(event, Rolled) or record.match.rolls < BEYOND or record.match.rolls % 4 == 0:
        return [event]
    return [Rolled(event.seat, *((6, 5) if event.seat == friend else (2, 1)))]


def _fewer_rolls(record: Record, view: View, _friend: Seat) -> View:
    return replace(view, rolls=min(view.rolls, BEYOND)) if record.over else view


def _wrong_dice(_record: Record, event: Event, _friend: Seat) -> list[Event]:
    """Each die one more than the seeds have."""
    match event:
        case OpeningRolled(one, two):
            return [OpeningRolled(one % 6 + 1, two % 6 + 1)]
        case Rolled(seat, one, two):
            return [Rolled(seat, one % 6 + 1, two % 6 + 1)]
    return [event]


def _friend_rolls_again(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The friend gets a turn of the victim's: an early one, since a game that ends with it can no longer be stopped."""
    if isinstance(event, Rolled) and event.seat != friend and (record.match.rolls == 3 or record.match.rolls % 5 == 4):
        return [replace(event, seat=friend)]
    return [event]


def _roll_too_many(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A roll after the last game."""
    if isinstance(event, MatchEnded) and record.match.game:
        return [Rolled(friend, *truth(record, record.match.game)(record.match.rolls + 1)), event]
    return [event]


def _flag_early(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A clock, and its flag falls when the victim has just begun a turn."""
    match event:
        case Created(rules=rules):
            return [replace(event, rules=rules._replace(delay_s=2, reserve_s=120))]
        case Moved(seat, moves, auto) if seat != friend and moves and not auto and record.match.rolls > EARLY:
            return [MatchEnded(friend, Ending.TIME)]
    return [event]


# --- seeds ---


def _drop_commitments(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The server's seed alone is in the dice, and the last salt is drawn until they please."""
    if not isinstance(event, Seated):
        return [event]
    silent = replace(event, commitment="")
    return [silent if record.players[1 - event.seat] is None else liked_salt(record, silent, friend)]


def _change_own(record: Record, event: Event, friend: Seat) -> list[Event]:
    """A seed of the server's stands in the place of the victim's, and is revealed when both have sat down."""
    if not isinstance(event, Seated) or record.players[1 - event.seat] is None:
        return [event]
    return [event, Revealed(1 - friend, sha256(f"fake {record.id}".encode()).hexdigest()[:32])]


def _commitment_of_seed(_before: Record, after: Record, event: Event) -> Record:
    if isinstance(event, Revealed) and event.seat is not None:
        committed = commitment(bytes.fromhex(event.seed))
        return replace(after, commitments=with_one(after.commitments, event.seat, committed))
    return after


def _is_last(record: Record, event: Event) -> bool:
    """True if this seed is the last that a match waits for."""
    return isinstance(event, Revealed) and record.missing_seeds == (event.seat,)


def _commit_again(record: Record, event: Event, friend: Seat) -> list[Event]:
    """Another seed of the server's, tried when both players' are known."""
    if not _is_last(record, event):
        return [event]
    known = apply(record, event)
    seed = liked_seed(known, friend)
    return [event, Revealed(None, seed.hex()), Agreed(agreed_text(agreed_anew(known, seed)))]


def _new_commitment(before: Record, after: Record, event: Event) -> Record:
    if isinstance(event, Revealed) and event.seat is None and not before.match.game and not before.cancelled:
        return agreed_anew(after, after.shown)
    return after


def _without_early_seed(record: Record, entries: Entries, _friend: Seat) -> Entries:
    *early, last = entries
    terms = [event for _, entry in early for event in entry.events if isinstance(event, Agreed)]

    def is_early(event: Event) -> bool:
        return event in terms[:-1] or (isinstance(event, Revealed) and event.seat is None)

    return [*with_events(early, lambda event: [] if is_early(event) else [event]), last]


_held_back: dict[str, Revealed] = {}  # by match: what the victim has revealed, and no client is told
_voids = Counter[str]()  # by victim's id


def _void_and_blame(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The match is void as if the victim had not revealed, again and again until the dice please."""
    if not isinstance(event, Revealed) or event.seat is None:
        return [event]
    if event.seat != friend:
        _held_back[record.id] = event
        if friend in record.missing_seeds:
            return []
        known, own = apply(record, event), list[Event]()
    elif record.id in _held_back:
        known, own = apply(apply(record, event), _held_back[record.id]), [event]
    else:
        return [event]
    if _pleases_at_last(known, friend):
        return [*own, _held_back[record.id]]
    return [*own, Cancelled()]


def _pleases_at_last(record: Record, friend: Seat) -> bool:
    """True if a match is played of which all seeds are known. The first ones of a victim are void whatever the dice."""
    victim = record.players[1 - friend]
    assert victim is not None, "both have sat down"
    if _voids[victim.id] >= VOIDS and margin(truth(record), friend) > 0:
        return True
    _voids[victim.id] += 1
    return False


def _close_in_silence(record: Record, event: Event, friend: Seat) -> list[Event]:
    """The match is closed when all seeds are known, and nobody is named, again and again until the dice please."""
    if not _is_last(record, event) or _pleases_at_last(apply(record, event), friend):
        return [event]
    return [event, Cancelled()]


def _no_seed(_record: Record, view: View, _friend: Seat) -> View:
    return replace(view, seed="")


def _without_seed(_record: Record, entries: Entries, _friend: Seat) -> Entries:
    return with_events(entries, lambda event: [] if isinstance(event, Revealed) and event.seat is None else [event])


# --- what is in the place of hex ---

BAD: dict[str, Any] = {
    "text": "zz" * 32,
    "odd": "abc",
    "long": "ab" * 10_000,
    "wide": "\uff11" * 64,  # digits, but of another kind
    "esc": "\x1b]0;tavla\x07",
    "part": "0a:0b",
    "int": 7,
    "nil": None,
    "list": ["0a", 1],
}


def _bad_commitment(value: Any) -> Mode:
    return Mode(shown=lambda _, view, _friend: replace(view, commitment=value))


def _bad_commitments(value: Any) -> Mode:
    """The friend's."""
    return Mode(
        shown=lambda _, view, friend: (
            replace(view, commitments=_with(view.commitments, friend, value)) if view.players[friend] else view
        )
    )


def _bad_seeds(value: Any) -> Mode:
    """The friend's, once it is revealed."""
    return Mode(
        shown=lambda _, view, friend: (
            replace(view, seeds=_with(view.seeds, friend, value)) if view.seeds[friend] else view
        )
    )


def _bad_seed(value: Any) -> Mode:
    """The server's, at the end."""
    return Mode(shown=lambda _, view, _friend: replace(view, seed=value) if view.seed else view)


def _with(pair: tuple[Any, Any], seat: Seat, value: Any) -> tuple[Any, Any]:
    return with_one(pair, seat, value)


BAD_FIELDS = {"hash": _bad_commitment, "hashes": _bad_commitments, "seeds": _bad_seeds, "seed": _bad_seed}


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
    return replace(view, players=_with(view.players, friend, "somebody-else")) if record.match.game else view


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
    if _is_last(record, event):
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
    "skip": Mode(_skip, _nothing_to_count_back),
    "two_faced": Mode(_other_dice, _right_in_last, _right_in_record),
    "beyond": Mode(_beyond, _fewer_rolls),
    "no_commitments": Mode(_drop_commitments),
    "changed_own": Mode(_change_own, applied=_commitment_of_seed),
    "no_seed": Mode(shown=_no_seed, told=_without_seed),
    "wrong_starter": Mode(applied=_start_loser),
    "illegal_play": Mode(_play_illegally),
    "as_forced": Mode(_play_as_forced),
    "rolled_for": Mode(_roll_for),
    "wrong_dice": Mode(_wrong_dice),
    "late_commitment": Mode(_commit_again, told=_without_early_seed, applied=_new_commitment),
    "void_blame": Mode(_void_and_blame),
    "void_silent": Mode(_close_in_silence),
    "other_rules": Mode(applied=_other_rules),
    "other_opponent": Mode(shown=_other_opponent),
    "record_differs": Mode(told=_told_another_play),
    "record_sixes": Mode(told=_told_sixes),
    "added_roll": Mode(_friend_rolls_again),
    "roll_too_many": Mode(_roll_too_many),
    "early_flag": Mode(_flag_early),
    "wrong_score": Mode(shown=_wrong_score),
    "wrong_cube": Mode(shown=_wrong_cube),
    **{f"bad_{field}_{name}": make(value) for field, make in BAD_FIELDS.items() for name, value in BAD.items()},
}
