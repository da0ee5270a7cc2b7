"""Every end of a match, at every place of a backup: ratings, archive and tournament have it once, as it ended.

All are played on one store, which is backed up once and brought back: some are in the archive by then, of some the
lobby still has the row, and some go on and end after the restore.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.rules import Rules, preset
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.commands.backup import backup, restore
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.scan import LAST, _ended
from tavla_server.features.archive.summary import summary
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.caretaker import Caretaker
from tavla_server.features.tournaments.events import Opened, Paired, Scored
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.views import match_of, standing_of
from tavla_server.match.lifecycle import opening
from tavla_server.match.unsettled_lists import ListedMatch
from tavla_server.options import ARCHIVE, Options
from tavla_server.own_store import embedded_store
from tavla_server.player import Player
from tavla_server.record.events import Event, Forked, Ruled, Seated, Terms, decode_entry, encode_entry
from tavla_server.record.rating import was_played
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import Timings

from tests.support.games import ends
from tests.support.games.ends import Table
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.servers.handclock import HandClock
from tests.support.servers.nodes import Node, timed_node_on
from tests.support.servers.valkey import folder_in_memory
from tests.support.stores.finished import journal_of, match_id, player, put_into, summary_of
from tests.support.stores.journals import unsettled

DAY_MS = 86_400_000
TOURNAMENT = "abcdefgh2345"
SOON = Timings(left_ms=-DAY_MS, leftovers_s=0.05, absence_s=60)  # what was listed just now, too; a minute for days


class End(NamedTuple):
    """An end of a match. rules: by options, rated and to one point but for these. ending: None = it was not played.

    counts: for ratings. kind: of the players.
    """

    reach: Callable[[Table], Awaitable[None]]
    ending: Ending | None
    rules: Mapping[str, bool | int | str] = {}
    counts: bool = True
    kind: m.Kind = "account"


ENDS = {
    "borne off": End(ends.borne_off, Ending.BORNE_OFF),
    "dropped": End(ends.dropped, Ending.LEFT, {"length": 0}),
    "resigned": End(ends.resigned, Ending.RESIGNATION),
    "left": End(ends.left, Ending.LEFT, {"length": 0}),
    "forfeited": End(ends.forfeited, Ending.FORFEIT),
    "aborted": End(ends.aborted, Ending.ABORTED, counts=False),
    "no seed": End(ends.unrevealed, None, counts=False),  # before what takes longer than a seed may
    "flag": End(ends.timed_out, Ending.TIME, {"clock": "fast"}),
    "claimed": End(ends.claimed, Ending.ABANDONED, kind="bot"),
    "left by both": End(ends.left_by_both, Ending.ABANDONED),
    "ruled": End(ends.won_by_ruling, Ending.ADJUDICATED),
    "voided": End(ends.voided, Ending.VOIDED, counts=False),
    "voided after its end": End(ends.voided_after_its_end, Ending.VOIDED, counts=False),
    "round over": End(ends.round_over, Ending.ADJUDICATED, {"clock": "slow"}),
}
STAGES = "archived", "listed", "live"  # where a match is when the backup is made
MATCHES = [(stage, end) for stage in STAGES for end in ENDS]  # by their numbers in the tournament


class Found(NamedTuple):
    """A match as all have it in the end. before: its record at the backup. entries, archived: its journal."""

    before: Record
    record: Record
    entries: list[bytes]
    archived: list[bytes] | None
    careers: tuple[m.Career, m.Career]
    scored: Scored | None
    points: int


class Club:
    """A node on a store, with an archive and a tournament of which all matches are."""

    def __init__(self, node: Node, redis: Client, clock: HandClock, heartbeat: Callable[[], Awaitable[object]]) -> None:
        self.node, self._redis, self._clock, self._heartbeat = node, redis, clock, heartbeat
        self.tournament = TournamentSession(TOURNAMENT, TournamentJournal(redis, "test"), clock, lambda *_: None)
        nothing: Any = None
        registry: Any = SimpleNamespace(get=self._get)
        liveness = SimpleNamespace(credit_ms=nothing)
        core: Any = SimpleNamespace(registry=node, presence=nothing, clock=clock, liveness=liveness)
        node.effects.score = Caretaker(core, registry, nothing, nothing, nothing, nothing).score

    async def _get(self, _: str) -> TournamentSession:
        return self.tournament

    async def pass_time(self, ms: int) -> None:
        self._clock.move(ms)
        await self._heartbeat()

    async def found(self) -> None:
        """Make the tournament, and pair all who are to play."""
        now_ms, maker = self._clock.now_ms(), Player("maker", "maker")
        await self.tournament.submit(
            decider.opening(Opened("all", maker, Rules(length=1), now_ms, now_ms + DAY_MS, bytes(16)))
        )
        pairs = []
        for number, (_, end) in enumerate(MATCHES):
            pair = [Player(f"{seat}of{number}", f"{seat}of{number}", ENDS[end].kind, 1500.0) for seat in ("w", "b")]
            for one in pair:
                row: Any = {"name": one.name, "kind": one.kind, "rating": 1500, "experience": 0}
                await self._redis.hset(keys.PLAYER(one.id), mapping=row)
                await self.tournament.submit(decider.entry(one, one.id, 2 * len(MATCHES)))
            pairs.append(Paired((pair[0].id, pair[1].id)))
        await self.tournament.submit(decider.pairing(pairs))

    def id_of(self, number: int) -> str:
        return match_of(TOURNAMENT, self.tournament.state, number)

    def points_of(self, player: str) -> int:
        """A player's points in the tournament, an arena."""
        state = self.tournament.state
        return standing_of(TOURNAMENT, state, state.entrants[player]).points

    async def open(self, stage: str) -> None:
        """Open the matches of a stage."""
        for number, (its, name) in enumerate(MATCHES):
            if its == stage:
                end, state = ENDS[name], self.tournament.state
                committed = COMMITMENTS if end.ending is None else ("", "")
                players = [state.entrants[id_].player for id_ in state.pairs[number].players]
                seated = [Seated(seat, players[seat], commitment=committed[seat]) for seat in (0, 1)]
                rules = preset("tournament", {"length": 1, "clock": "none", "rated": True, **end.rules})
                await self.node.effects._tables.enter(self.id_of(number), *(player.id for player in players))
                session = await self.node.get(self.id_of(number))
                assert await Table(session, self.pass_time).do(
                    opening("friday-1", rules, Terms(tournament=(TOURNAMENT, number)), *seated)
                )
        await self.node.settle()

    async def end(self, stage: str) -> None:
        """Let the matches of a stage end."""
        for number, (its, name) in enumerate(MATCHES):
            if its == stage:
                table = Table(await self.node.get(self.id_of(number)), self.pass_time)
                await ENDS[name].reach(table)
                assert table.session.record.over

    async def settle(self) -> None:
        """Have all done that follows from what is over."""
        async with asyncio.timeout(PATIENCE_S):
            await self.node.settle()
            while await unsettled(self._redis):
                await self.node.settler.sweep()
                await self.node.archiver.sweep()


@asynccontextmanager
async def club_on(data: Path, clock: HandClock, works: bool = True) -> AsyncIterator[Club]:
    """A node on the store and the archive of a data folder; it dies without a word."""
    store, database = embedded_store(data), Database(f"sqlite:///{data / ARCHIVE}")
    await store.start()
    try:
        archive = Archive(database)
        node_on = timed_node_on(store.url, clock, SOON, archive, dies=True, works=works)
        async with connection_to(store.url) as redis, node_on as (node, liveness):
            await liveness.heartbeat()
            club = Club(node, redis, clock, liveness.heartbeat)
            await club.tournament.read_on()
            yield club
    finally:
        await database.close()
        await store.stop()


async def played(folder: Path) -> tuple[str, list[Found]]:
    """Play all, with a backup and a restore in between; what the command said, and each match in the end."""
    clock, data, copy = HandClock(Clock().now_ms()), folder / "data", folder / "backup.tar"
    data.mkdir()
    async with club_on(data, clock) as club:
        await club.found()
        await club.open("archived")
        await club.end("archived")
        await club.settle()
        await club.open("listed")
    async with club_on(data, clock, works=False) as club:
        await club.end("listed")
    async with club_on(data, clock) as club:
        await club.open("live")
        before = [(await club.node.get(club.id_of(number))).record for number in range(len(MATCHES))]
        await backup(Options(data=data), copy)
    said, _ = await restore(copy, folder / "restored")
    async with (
        club_on(folder / "restored", clock) as club,
        connection_to(embedded_store(folder / "restored").url) as redis,
    ):
        await club.end("live")
        await club.settle()
        database = Database(f"sqlite:///{folder / 'restored' / ARCHIVE}")
        archive, found = Archive(database), []
        for number in range(len(MATCHES)):
            match = club.id_of(number)
            record, entries = (await club.node.get(match)).record, await redis.entries(keys.MATCH_LOG(match))
            white, black = [await Ratings(redis).career(player) for player in record.players if player is not None]
            found.append(
                Found(
                    before[number],
                    record,
                    [fields[b"e"] for _, fields in entries],
                    await archive.journal(match),
                    (white, black),
                    club.tournament.state.pairs[number].scored,
                    sum(club.points_of(player.id) for player in record.players if player is not None),
                )
            )
        await database.close()
    return said, found


@pytest.fixture(scope="module")
def all_played() -> Iterator[tuple[str, Sequence[Found]]]:
    with folder_in_memory() as folder:
        yield asyncio.run(played(folder))


@pytest.mark.slow
def test_a_restore_says_how_many_go_on(all_played: tuple[str, Sequence[Found]]) -> None:
    assert f"of which {len(ENDS) - 1} go on; void, since their dice had not begun: 1;" in all_played[0]


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "name"), MATCHES)
async def test_an_end_is_known_to_all_whenever_a_backup_was_made(
    all_played: tuple[str, Sequence[Found]], stage: str, name: str
) -> None:
    end, found = ENDS[name], all_played[1][MATCHES.index((stage, name))]
    before, record, entries, archived, careers, scored, points = found
    if stage == "live":
        assert (before.over, record.epoch) == (False, before.epoch + 1), "it was forked, and ended anew"
    else:
        assert record == before, "what is over stays as it was"
    assert archived == (entries if end.ending is not None else None)
    outcome = record.match.outcome
    if end.ending is not None:
        assert outcome is not None
        told = await summary_of(record.id, entries)
        assert (outcome.ending, told.ending, told.winner) == (end.ending, end.ending.value, outcome.winner)
    assert any(record.tally.changes) == end.counts, "who ends it early loses, and the other gains nothing"
    for career, change in zip(careers, record.tally.changes, strict=True):
        assert career.rating == round(1500 + change, 2)
        assert [line.match for line in career.results] == [record.id] * bool(record.tally.results)
    is_put_back = (stage, name) == ("live", "no seed")
    assert [career.unrevealed[0] for career in careers] == [0, name == "no seed" and not is_put_back]
    assert scored is not None
    if is_put_back:
        assert outcome is not None
        assert (outcome.ending, record.missing_seeds) == (Ending.PUT_BACK, ()), "nobody is named"
        assert scored == Scored(scored.number, None, again=True)
    elif name == "no seed":
        assert (scored.winner, scored.absent) == (0, (1,))
    else:
        assert outcome is not None
        assert (scored.winner, scored.absent) == (outcome.winner, ())
        is_unplayed = outcome.winner is not None and not was_played(record.match)
        assert (scored.unplayed, points) == (is_unplayed, 2 * (outcome.winner is not None and not is_unplayed))


VOID = Ruled("mod", "why"), MatchEnded(None, Ending.VOIDED)
BEHIND: list[tuple[tuple[Event, ...], ...]] = [(), ((Forked(),),), (VOID,), (VOID, (Forked(),)), ((Forked(),), VOID)]


@pytest.mark.parametrize("entries", BEHIND)
async def test_an_end_is_found_whatever_stands_behind_it(
    entries: Sequence[tuple[Event, ...]], rng: random.Random
) -> None:
    match = match_id(rng)
    journal = journal_of(rng, match, [player(rng, name) for name in ("ada", "bob")], most=6)
    last, alone = decode_entry(journal[-1]), await summary(match, journal)
    assert alone is not None
    journal += [encode_entry(replace(last, events=events)) for events in entries]
    told = await summary_of(match, journal)
    assert told.ending == ("voided" if VOID in entries else alone.ending)
    rows = [(b"", {b"e": entry}) for entry in reversed(journal[-LAST:])]
    assert _ended(match, rows) == ListedMatch(match, last.time_ms)


async def test_a_match_that_is_paired_anew_after_a_restore_has_a_place_of_its_own_in_the_archive(
    redis: Client, rng: random.Random, tmp_path: Path
) -> None:
    """The archive is newer than the store: it has what was played in the time that the store has lost."""
    clock, journal, id_ = HandClock(Clock().now_ms()), TournamentJournal(redis, "test"), unique("t")
    database, pairs = (
        Database(f"sqlite:///{tmp_path}/archive.sqlite3"),
        [Paired(("ada", "bob")), Paired(("bob", "cem"))],
    )
    made = Opened("friday", Player("ada", "ada"), Rules(length=1), clock.now_ms(), clock.now_ms() + DAY_MS, bytes(16))
    session = TournamentSession(id_, journal, clock, lambda *_: None)
    await session.submit(decider.opening(made))
    for name in ("ada", "bob", "cem"):
        await session.submit(decider.entry(Player(name, name), f"0f-{name}", 9))
    old = session.journal
    for pair in pairs:
        await session.submit(decider.pairing([pair]))
        match, players = match_of(id_, session.state, 0), [Player(name, name) for name in pair.players]
        played = journal_of(rng, match, players, terms=Terms(tournament=(id_, 0)), most=6)
        assert await put_into(Archive(database), match, played)
        await redis.delete(keys.TOURNAMENT_LOG(id_))
        clock.move(1)
        session = TournamentSession(id_, journal, clock, lambda *_: None)
        for number, entry in enumerate(old, 1):
            assert await journal.append(id_, number, entry)
        await session.read_on()
    assert await Archive(database).count() == len(pairs)
    await redis.delete(keys.TOURNAMENT_LOG(id_))
    await database.close()
