"""Puzzles by theme and level: which come, and what an account's answers do to its rating."""

import random
from pathlib import Path

import pytest
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.xgid import parse_xgid
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.analysis.pool import PuzzlePool, PuzzleRatings
from tavla_server.features.archive.archive import Archive
from tavla_server.limits import Limits, Quota
from tavla_server.record.events import Terms
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.players.accounts import registered
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.judged import BEGAN_MS, JUDGED_MS, judged

DAY_MS = 86_400_000


async def filled(url: str, rng: random.Random, *margins: float) -> list[str]:
    """An archive of judged matches, each with a puzzle."""
    async with archive_at(url) as archive:
        return [await judged(archive, rng, margin=margin) for margin in margins]


def some_play(puzzle: m.Puzzle) -> str:
    """A legal play of a puzzle."""
    at = parse_xgid(puzzle.xgid)
    assert at.dice is not None
    return format_play(at.position, next(iter(legal_plays(at.position, at.dice).values())))


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_a_pool_has_what_was_public_and_judged_before_its_day(archive: Archive, rng: random.Random) -> None:
    public = await judged(archive, rng)
    await judged(archive, rng, terms=Terms(code="abcd"))
    pool = PuzzlePool(archive)
    assert await pool.fill("1", JUDGED_MS) == {}, "judged later"
    found = await pool.fill("2", JUDGED_MS + 1)
    assert [one.match for one in found.values()] == [public]
    (key,) = found
    assert public not in key
    later = await judged(archive, rng)
    assert await pool.fill("2", JUDGED_MS + 1) == found, "a day has one pool"
    assert {one.match for one in (await pool.fill("3", JUDGED_MS + DAY_MS)).values()} == {public, later}
    assert pool.find(key) == found[key]
    assert pool.find("0f") is None


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_an_answer_counts_once_for_both(archive: Archive, redis: Client, rng: random.Random) -> None:
    await judged(archive, rng, margin=0.15)
    ((key, puzzle),) = (await PuzzlePool(archive).fill("1", JUDGED_MS + 1)).items()
    ratings = PuzzleRatings(redis)
    assert puzzle.rating == pytest.approx(1500)
    assert await ratings.answer("ada", puzzle, True, BEGAN_MS) == 0, "there is no such account"
    for name in ("ada", "bob"):
        await redis.hset(keys.PLAYER(name), "kind", "account")
    assert await ratings.answer("ada", puzzle, True, BEGAN_MS) == pytest.approx(50)
    assert await ratings.answer("ada", puzzle, True, BEGAN_MS) == 0
    assert (await ratings.of_player("ada")) == (1550, 10)
    assert await ratings.of_puzzles({key: puzzle}) == {key: pytest.approx(1490)}
    assert await ratings.answer("bob", puzzle, False, BEGAN_MS) < -48
    assert (await ratings.of_puzzles({key: puzzle}))[key] > 1499
    assert await ratings.keys_of("ada") == {key}
    assert await ratings.of_puzzles({}) == {}
    assert not await redis.exists(keys.PUZZLE_CHANGES()), "what is not asked any more is forgotten"


async def test_an_account_is_asked_each_puzzle_once_and_rated(
    valkey: Valkey, rng: random.Random, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    matches = await filled(url, rng, 0.05, 0.15, 0.5)
    limits = Limits(puzzles=Quota(3, 60))
    async with inside(valkey.url, limits=limits, archive=url) as node, Player(node) as ada:
        await registered(ada)
        assert (await ada.get(m.Career, m.Profile, name=ada.name)).puzzles is None
        first = await ada.get(m.Puzzle, m.Solve)
        assert (first.rating, first.own, first.match, first.finding) == (1500, (1500, 0), "", None)
        assert (await ada.get(m.Puzzle, m.Solve)).puzzle == first.puzzle, "until it is answered"
        for level, rating in (("easy", 1200), ("medium", 1500), ("hard", 1700)):
            assert (await ada.get(m.Puzzle, m.Solve, level=level)).rating == rating
        assert (await ada.get(m.Puzzle, m.Solve, theme=first.theme)).theme == first.theme
        assert (await ada.get(m.Puzzle, m.Solve, theme="cube")).xgid == ""
        assert refused(await ada.ask(m.Solve, puzzle=first.puzzle, choice="1/2")) == ErrorCode.BAD_MESSAGE
        assert refused(await ada.ask(m.Solve, puzzle="0f", choice="1/2")) == ErrorCode.NO_SUCH_MATCH
        told = await ada.get(m.Puzzle, m.Solve, puzzle=first.puzzle, choice=some_play(first))
        assert (told.match in matches, told.by, told.own is None) == (True, "somebody", False)
        assert told.finding is not None
        assert told.own is not None
        again = await ada.get(m.Puzzle, m.Solve, puzzle=first.puzzle, choice=told.finding.best)
        assert (again.right, again.own) == (True, (told.own[0], 0)), "a second answer changes nothing"
        assert (await ada.get(m.Career, m.Profile, name=ada.name)).puzzles == told.own[0]
        second = await ada.get(m.Puzzle, m.Solve)
        assert second.puzzle != first.puzzle
        await ada.get(m.Puzzle, m.Solve, puzzle=second.puzzle, choice=some_play(second))
        assert refused(await ada.ask(m.Solve, puzzle=second.puzzle, choice=some_play(second))) == ErrorCode.TOO_MANY


async def test_a_guest_is_asked_without_a_rating(valkey: Valkey, rng: random.Random, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    await filled(url, rng, 0.15)
    async with inside(valkey.url, archive=url) as node, Player(node) as eve:
        puzzle = await eve.get(m.Puzzle, m.Solve)
        wrong = await eve.get(m.Puzzle, m.Solve, puzzle=puzzle.puzzle, choice=some_play(puzzle))
        assert wrong.finding is not None
        for choice, is_right in ((wrong.finding.best, True), (wrong.finding.done, False)):
            told = await eve.get(m.Puzzle, m.Solve, puzzle=puzzle.puzzle, choice=choice)
            assert (told.own, told.right) == (None, is_right)
        assert (await eve.get(m.Puzzle, m.Solve)).puzzle == puzzle.puzzle


async def test_without_an_archive_there_are_none(node: str) -> None:
    async with Player(node) as eve:
        assert refused(await eve.ask(m.Solve)) == ErrorCode.NO_ARCHIVE
