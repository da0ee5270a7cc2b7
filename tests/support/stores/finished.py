"""Finished matches for the archive: real journals, played by the rules alone, without a server."""

import random
from collections.abc import Sequence

from tavla_engine import actions as a
from tavla_engine.conditions import to_act
from tavla_engine.match import Phase
from tavla_engine.rules import Rules
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import Summary, summary
from tavla_server.match.lifecycle import reveal, with_terms
from tavla_server.player import Player
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Event, Seated, Terms, encode_entry
from tavla_server.record.reducer import with_clock_and_tally
from tavla_server.record.state import Record, apply_all

from tests.support.games.chance import choose_action
from tests.support.players.seeds import COMMITMENTS, SEEDS

STEP_MS = 5_000  # between two actions
ONE_POINT, USUAL = Rules(length=1), Terms()


def journal_of(
    rng: random.Random,
    match: str,
    players: Sequence[Player],
    rules: Rules = ONE_POINT,
    *,
    began_ms: int = 1_789_000_000_000,
    terms: Terms = USUAL,
    table: str = "sofa",
    most: int = 4000,
    seed: bytes = b"",
) -> list[bytes]:
    """The journal of a match that was played at random to its end. most: actions, then a player forfeits.

    seed: the server's; the same one = the same match, played on otherwise.
    """
    created = Created(table, rules, seed or rng.randbytes(32), terms)
    seated = [Seated(seat, player, f"{seat}5" * 16, COMMITMENTS[seat]) for seat, player in enumerate(players)]
    record, journal, time_ms, dice = Record(match), [], began_ms, MatchDice()

    def add(who: str, decide: Decide) -> None:
        nonlocal record, time_ms
        events, after = decide(record, dice)
        shown = dice.seeds_to_show(record, after)
        events, after = [*events, *shown], apply_all(after, shown)
        entry = Entry(who, rng.getrandbits(48), time_ms, 0, tuple(events))
        record = with_clock_and_tally(after, record.match, entry)
        journal.append(encode_entry(entry))
        time_ms += STEP_MS

    def sit(*events: Event) -> Decide:
        return lambda record, _: (list(events), apply_all(record, events))

    add(players[0].id, sit(created, seated[0]))
    add(players[1].id, lambda record, _: with_terms([seated[1]], apply_all(record, [seated[1]])))
    while not record.over:
        if record.missing_seeds:
            seat = record.missing_seeds[0]
            add(players[seat].id, reveal(seat, SEEDS[seat], record.binding))
            continue
        if len(journal) > most:
            seat = rng.choice(to_act(record.match))
            money = not rules.length and record.match.phase is Phase.READY
            action: a.Action = a.Leave(seat) if money else a.Forfeit(seat)
        else:
            action = choose_action(record.match, rng)
        add(players[action.seat].id, engine_decide(action))
    return journal


def player(rng: random.Random, name: str, rating: float | None = None) -> Player:
    """A player, with an account if there is a rating."""
    return Player(rng.randbytes(8).hex(), name, "guest" if rating is None else "account", rating)


def match_id(rng: random.Random) -> str:
    """A match id."""
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz234567", k=12))


async def summary_of(match: str, journal: Sequence[bytes]) -> Summary:
    """The archive's columns of a match that is over."""
    found = await summary(match, journal)
    assert found is not None, "it is over"
    return found


async def put_into(archive: Archive, match: str, journal: list[bytes]) -> bool:
    """Archive a match that is over; False if it is there."""
    return await archive.put(await summary_of(match, journal), journal)
