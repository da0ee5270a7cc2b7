"""Check a history against a journal: nothing lost, nothing done twice, no client shown what did not happen.

Pure: a history and a journal in, a list of what is wrong with them out. Ratings are judged by themselves, since they go
over many matches.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tavla_engine.chain import LINKS, ChainDice, chain_commitment, link_number
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending, GameEnded, GameStarted, MatchEnded, Moved, OpeningRolled, Rolled
from tavla_protocol import messages as m
from tavla_protocol.actions import ENGINE_ACTIONS
from tavla_protocol.view import View
from tavla_server.match.lifecycle import reveal
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Forked, Revealed, Seated
from tavla_server.record.projection import view_of
from tavla_server.record.rating import START_RATING
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record

from tests.faults.history import Answered, History, Saw
from tests.support.players.seeds import SEALER

PRECISION = 1e-6  # of ratings, which are added up in another order


class Stored(NamedTuple):
    """A match's journal. ids: of its entries, as the store has them."""

    ids: list[str]
    entries: list[Entry]


class Loss(NamedTuple):
    """A time, by the monotonic clock, whose acknowledgements the store was allowed to lose."""

    since_s: float
    until_s: float

    def covers(self, at_s: float) -> bool:
        """True if what was shown or answered then may be gone."""
        return self.since_s <= at_s <= self.until_s


NO_LOSS = Loss(0.0, -1.0)


class Verdict(NamedTuple):
    """Verdict on a history. faults: a sentence each. record: the match as its journal ends.

    acknowledged: so many actions were; lost: of these.
    """

    faults: list[str]
    acknowledged: int
    lost: int
    record: Record


class Case:
    """A match on trial. versions: the record after each entry; the first one is before all of them."""

    def __init__(self, history: History, stored: Stored, loss: Loss) -> None:
        self.history, self.stored, self.loss = history, stored, loss
        self.lost = 0
        self.versions = [Record(history.match)]
        self.broken = ""
        for seq, entry in enumerate(stored.entries, 1):
            try:
                self.versions.append(apply_entry(self.versions[-1], entry))
            except Exception as error:  # whatever the rules make of a journal that makes no sense
                self.broken = f"entry {seq} does not follow from those before it: {error!r}"
                break
        self.views = [view_of(record) for record in self.versions]

    @property
    def end(self) -> Record:
        """The match as its journal ends."""
        return self.versions[-1]

    def keeps(self, saw: Saw) -> bool:
        """True if the journal has what was seen."""
        seq, epoch = saw.seq, saw.epoch
        return seq < len(self.views) and self.versions[seq].epoch == epoch and self.views[seq] == saw.view


def check(history: History, stored: Stored, loss: Loss = NO_LOSS) -> Verdict:
    """Try one match whose clients have seen all there is to see."""
    case = Case(history, stored, loss)
    faults = list(itertools.chain.from_iterable(rule(case) for rule in RULES))
    accepted = sum(answer.seq is not None for answer in history.verdicts().values())
    return Verdict([f"match {history.match}: {fault}" for fault in faults], accepted, case.lost, case.end)


def _no_hole(case: Case) -> Iterator[str]:
    if case.stored.ids != [f"{number}-0" for number in range(1, len(case.stored.ids) + 1)]:
        yield f"the journal has a hole: {case.stored.ids}"
    if case.broken:
        yield case.broken


def _once(case: Case) -> Iterator[str]:
    """Every acknowledged action is there once, at the place that its answer named; a refused one is not."""
    places = defaultdict(list)
    for seq, entry in enumerate(case.stored.entries, 1):
        places[entry.player, entry.action].append(seq)
    for who, seqs in places.items():
        if len(seqs) > 1:
            yield f"action {who} acted {len(seqs)} times, at {seqs}"
    for who, answer in case.history.verdicts().items():
        if answer.seq is None and places[who]:
            yield f"action {who} was refused ({answer.code}), and acted at {places[who]}"
        elif answer.seq is not None and answer.seq not in places[who] and not _changed_nothing(case, answer):
            if not case.loss.covers(answer.at_s):
                yield f"action {who} was acknowledged at {answer.seq}, and is lost"
            case.lost += 1


def _changed_nothing(case: Case, answer: Answered) -> bool:
    """True if an action was one that leaves the match as it is, like asking for what is so already."""
    request = case.history.requests()[answer.player, answer.id]
    if answer.seq is None or answer.seq >= len(case.versions):
        return False
    record = case.versions[answer.seq]
    seat = record.seat_of(answer.player)
    assert seat is not None, "players act"
    try:
        if isinstance(request, m.Reveal):
            decide = reveal(seat, request.seed, request.binding)
        else:
            decide = engine_decide(ENGINE_ACTIONS[type(request)](seat, request))
        events, _ = decide(record, MatchDice())
    except IllegalAction:
        return False
    return not events


def _asked_for(case: Case) -> Iterator[str]:
    requests = case.history.requests()
    for seq, entry in enumerate(case.stored.entries, 1):
        seating = any(isinstance(event, Created | Seated) for event in entry.events)
        revealing = any(isinstance(event, Revealed) and event.seat is not None for event in entry.events)
        if entry.player and not (seating or revealing) and (entry.player, entry.action) not in requests:
            yield f"entry {seq} is an action that nobody has sent"


def _shown(case: Case) -> Iterator[str]:
    """Faults of the views: each is that of the journal, each client saw the end of it, and none was thrown back."""
    newest: dict[str, tuple[int, int]] = {}
    for saw in case.history.saw:
        at_s, client, epoch, seq, _ = saw
        if not case.keeps(saw) and not case.loss.covers(at_s):
            yield f"{client} saw a version {seq} (epoch {epoch}) that is not in the journal"
        if (epoch, seq) < newest.get(client, (0, 0)) and case.loss == NO_LOSS:
            yield f"{client} was thrown back from {newest[client]} to {(epoch, seq)}"
        newest[client] = epoch, seq
    for client, saw in case.history.last_views().items():
        if saw.seq != len(case.stored.entries) and not case.loss.covers(saw.at_s):
            yield f"{client} saw version {saw.seq} last, the journal ends with {len(case.stored.entries)}"


def _dice(case: Case) -> Iterator[str]:
    """Faults of the dice: each number has one roll, the committed one, in every view; and each roll has one play.

    What was lost may have had more rolls than what was played instead.
    """
    record, number = case.end, 0
    if None in record.players:
        return  # no dice were rolled
    record = SEALER.unseal(record)
    dice, played, links = ChainDice(record.seed, LINKS, record.binding, record.seeds), set(), {0: 0}

    def roll(number: int, link: int) -> tuple[int, int]:
        return dice.of_link(link).roll(number)

    newest, is_on = 0, False  # the newest seed that is shown, and whether a game is on
    for seq, entry in enumerate(case.stored.entries, 1):
        for event in entry.events:
            if isinstance(event, OpeningRolled | Rolled):
                number += 1
                link = links[number] = newest + 1
                if event.dice != roll(number, link):
                    yield f"entry {seq} has {event.dice} for roll {number}, committed was {roll(number, link)}"
            elif isinstance(event, Moved):
                if number in played:
                    yield f"entry {seq} is a second play on roll {number}"
                played.add(number)
            elif isinstance(event, Forked) and event.seed:
                newest = link_number(bytes.fromhex(event.seed), record.commitment) or 0
            elif isinstance(event, GameStarted | GameEnded | MatchEnded):
                newest += is_on and not isinstance(event, GameStarted)
                is_on = isinstance(event, GameStarted)
    for saw in case.history.saw:
        if saw.view.rolls in links or case.loss.covers(saw.at_s):
            committed, view = chain_commitment(record.seed), saw.view
            shown = link_number(bytes.fromhex(view.seed), committed) or 0 if view.seed else 0
            due = [roll(view.rolls, link) for link in {shown + 1, links.get(view.rolls, shown + 1)} if link <= LINKS]
            yield from _dice_of(saw.client, view, due, committed)
        else:
            yield f"{saw.client} saw roll {saw.view.rolls}, the journal has {number}"


def _dice_of(client: str, view: View, due: list[tuple[int, int]], committed: str) -> Iterator[str]:
    high_first = [tuple(sorted(dice, reverse=True)) for dice in due]  # after a fork, those of before it may wait on
    if view.dice and tuple(view.dice) not in high_first:
        yield f"{client} saw {view.dice} as roll {view.rolls}, committed was {due}"
    if view.commitment != committed:
        yield f"{client} saw another commitment: {view.commitment}"


def _time(case: Case) -> Iterator[str]:
    """These players always act at once and always come back: each loss on time is the server's fault.

    But they go when they are shown the end of the match: if that is lost, nobody plays it to its end again.
    """
    ends = (saw for saw in case.history.saw if saw.view.phase == "over" and case.loss.covers(saw.at_s))
    if not all(map(case.keeps, ends)):
        return
    for seq, entry in enumerate(case.stored.entries, 1):
        for event in entry.events:
            if isinstance(event, MatchEnded) and event.ending in (Ending.TIME, Ending.ABANDONED):
                yield f"entry {seq} ends the match: {event.ending.value}"


RULES = (_no_hole, _once, _asked_for, _shown, _dice, _time)


class Rated(NamedTuple):
    """Values of a player in the store. changes: the number of times that the rating changed."""

    rating: float
    experience: int
    changes: int


def check_ratings(records: Iterable[Record], kept: dict[str, Rated]) -> list[str]:
    """Try the ratings of players all of whose rated matches are given; kept: by player id."""
    due = {player: Rated(START_RATING, 0, 0) for player in kept}
    for record in records:
        tally = record.tally
        for player, change in zip(record.players, tally.changes, strict=True):
            if player is not None and tally.results:
                rating, experience, changes = due[player.id]
                due[player.id] = Rated(rating + change, experience + tally.experience, changes + 1)
    return [
        f"player {player} has {kept[player]}, the journals give {due[player]}"
        for player in kept
        if abs(kept[player].rating - due[player].rating) > PRECISION or kept[player][1:] != due[player][1:]
    ]
