"""Matches in an archive that were judged long ago, without a judge."""

import asyncio
import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import sqlalchemy as sa
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.decisions import theme
from tavla_engine.match import Match, new_match
from tavla_engine.notation import format_play, parse_play
from tavla_engine.plays import legal_plays, resolve_play
from tavla_engine.position import Play
from tavla_engine.rules import Rules, preset
from tavla_engine.xgid import xgid
from tavla_protocol.messages import Finding
from tavla_server.features.archive.analyses import Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import JudgedPuzzle, Judgement
from tavla_server.features.archive.schema import analyses
from tavla_server.options import ARCHIVE
from tavla_server.player import Player
from tavla_server.record.events import TableEvent, Terms, decode_entry

from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess
from tests.support.servers.valkey import folder_in_memory
from tests.support.stores.finished import USUAL, journal_of, match_id, player, put_into

BEGAN_MS, JUDGED_MS = 1_789_000_000_000, 1_789_036_000_000  # of one day, and no match takes so long
RULES = Rules(length=3)
RATED = preset("tournament", {"length": 1, "rated": True})
OLD_SEED = 5
OLD_MATCH = match_id(random.Random(OLD_SEED))
Place = tuple[Match, Finding]


def decided(journal: list[bytes], rules: Rules = RULES) -> list[Place]:
    """Every decision of a match with the state before it, at the event that each has led to."""
    events = (event for entry in map(decode_entry, journal) for event in entry.events)
    return decided_by([event for event in events if not isinstance(event, TableEvent)], rules)


def decided_by(events: Iterable[e.Event], rules: Rules) -> list[Place]:
    """Likewise of a match's events."""
    found: list[Place] = []
    match, turn = new_match(rules), 0
    for event in events:
        now = match
        match = apply(match, event)
        match event:
            case e.GameStarted():
                turn = 0
            case e.OpeningRolled(one, other):
                turn += one != other
            case e.Rolled(seat):
                turn += 1
                found.append((now, Finding(now.game, turn, seat, "no double", "double", 0.1)))
            case e.Moved(seat, moves) if moves:
                play = format_play(now.position, moves)
                found.append((now, Finding(now.game, turn, seat, play, play, 0.1)))
            case e.Doubled(seat):
                found.append((now, Finding(now.game, turn + 1, seat, "double", "no double", 0.1)))
            case e.Taken(seat):
                found.append((now, Finding(now.game, turn + 1, seat, "take", "drop", 0.1)))
            case e.GameEnded(winner, _, _, e.Ending.DROP):
                found.append((now, Finding(now.game, turn + 1, 1 - winner, "drop", "take", 0.1)))
    return found


async def judged(
    archive: Archive,
    rng: random.Random,
    finding: Finding | None = None,
    terms: Terms = USUAL,
    by: str = "somebody",
    margin: float = 0.15,
) -> str:
    """A match of ada and bob in the archive. finding: of its judge; else its first play. by: "" = it was not judged.

    margin: of its puzzle, in which the best is not the play that was made.
    """
    match = match_id(rng)
    plays: list[Place] = []
    while not plays:  # a match may end before anyone has played
        journal = journal_of(
            rng, match, (player(rng, "ada"), player(rng, "bob")), RULES, began_ms=BEGAN_MS, terms=terms
        )
        plays = [one for one in decided(journal) if "/" in one[1].done and _others(one[0], one[1].done)]
    await put_into(archive, match, journal)
    if not by:
        return match
    at, first = plays[0]
    best = format_play(at.position, _others(at, first.done)[0])
    chosen = finding or first
    puzzle = JudgedPuzzle(xgid(at), theme(at, first.done, best), margin, first._replace(best=best))
    judge = Analyses(archive._database, "here")
    assert await judge._take(match) == 1
    assert await judge.finish(match, Judgement(by=by, findings=(chosen,), puzzles=(puzzle,)))
    async with archive._database.writing() as connection:
        await connection.execute(sa.update(analyses).values(until_ms=JUDGED_MS))
    return match


def _others(at: Match, done: str) -> list[Play]:
    """Plays that lead elsewhere than the one that was made."""
    assert at.dice is not None, "a play"
    made = resolve_play(at.position, at.dice, parse_play(done))[1]
    return [play for after, play in legal_plays(at.position, at.dice).items() if after != made]


async def judged_for_ratings(
    archive: Archive, rng: random.Random, players: Sequence[Player], judgement: Judgement, began_ms: int = BEGAN_MS
) -> str:
    """A rated match of two accounts in the archive, with its judgement."""
    match = match_id(rng)
    journal = journal_of(rng, match, players, RATED, began_ms=began_ms, most=5)
    await put_into(archive, match, journal)
    judge = Analyses(archive._database, "here")
    assert await judge._take(match) == 1
    assert await judge.finish(match, judgement)
    return match


@contextmanager
def server_of_old_matches() -> Iterator[ServerProcess]:
    """A server on which ada and bob have played two matches long ago. The first, OLD_MATCH, was judged."""
    with folder_in_memory() as folder:
        server = ServerProcess(folder / "data")
        server.data.mkdir()
        with ThreadPoolExecutor(1) as pool:  # the loop of this thread may be another's
            pool.submit(asyncio.run, _fill(f"sqlite:///{server.data / ARCHIVE}")).result()
        with started(server):
            yield server


async def _fill(url: str) -> None:
    database, rng = Database(url), random.Random(OLD_SEED)
    for by in ("GNU Backgammon, 2-ply", ""):
        await judged(Archive(database), rng, by=by)
    await database.close()
