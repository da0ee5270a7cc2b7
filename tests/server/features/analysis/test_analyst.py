"""Archived matches are judged by processes of their own: once, though servers and judges are killed or given up."""

import asyncio
import contextlib
import importlib.util
import os
import random
import signal
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from tavla_engine.decisions import THEMES
from tavla_engine.rules import Rules, Variant
from tavla_engine.xgid import parse_xgid, xgid
from tavla_protocol import messages as m
from tavla_server.errors import StartError
from tavla_server.features.analysis import analyst as analyst_module
from tavla_server.features.analysis import judge
from tavla_server.features.analysis.analyst import IDLE_S, Analyst, _task, analysing
from tavla_server.features.analysis.daily import before, choice_of
from tavla_server.features.analysis.judge import JUDGE, Judge
from tavla_server.features.archive.analyses import TRIES, Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import Judgement
from tavla_server.telemetry.metrics import UNANALYSED
from tavla_server.telemetry.snapshots import snapshot

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.matches import at_match
from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.processes import NewServer, ServerProcess, alive, assert_no_fault, children, kill
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import STEP_MS, journal_of, match_id, player, put_into
from tests.support.tries import MANY, first_of

pytestmark = pytest.mark.slow  # it starts programs

HYPERGAMMON = Rules(length=1, variant=Variant.HYPERGAMMON)
USUAL = Rules(length=1)
MOST = 5  # actions of a match: Sage needs a tenth of a second for each
KILLS = 2 if MANY else 1  # less than TRIES; whose judge is killed waits until its claim has lapsed


async def ended(archive: Archive, rng: random.Random, count: int, rules: Rules = USUAL) -> list[str]:
    made = [match_id(rng) for _ in range(count)]
    for match in made:
        journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), rules, most=MOST)
        await put_into(archive, match, journal)
    return made


async def judged(archive: Archive) -> dict[str, m.Analysis | None]:
    """The analysis of each match in ada's history."""
    return {row.match: row.analysis for row in (await archive.history_by_name("ada", "")).matches}


async def until_all_are_judged(archive: Archive) -> dict[str, m.Analysis]:
    async with asyncio.timeout(4 * PATIENCE_S):
        while True:
            found = await judged(archive)
            done = {match: one for match, one in found.items() if one is not None and not one.rough}
            if len(done) == len(found):
                return done
            await asyncio.sleep(0.1)  # a look at the database every now and then


def judges_of(pid: int) -> list[int]:
    """The processes that a server has started to judge."""
    return children(pid, "tavla_bots.judge")


def none_lives(pids: list[int]) -> bool:
    return not any(map(alive, pids))


def said(nodes: list[ServerProcess], event: str) -> list[str]:
    return [line for node in nodes for line in node.lines if f'"event": "{event}"' in line]


@contextlib.asynccontextmanager
async def analyst(archive: Archive, claim_ms: int, judge: Judge = JUDGE, idle_s: float = IDLE_S) -> AsyncIterator[None]:
    """An analyst in this process; its judge runs in another one."""
    task = asyncio.create_task(Analyst(archive, Analyses(archive._database, "here", claim_ms), judge, idle_s).run())
    yield
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize(
    ("archive_url", "victim"),
    first_of([("postgresql", "server"), ("sqlite", "judge")], 1),
    indirect=["archive_url"],
)
@pytest.mark.long
async def test_whoever_is_killed_each_match_is_judged_once(
    new_server: NewServer, own_valkey: Valkey, archive: Archive, archive_url: str, rng: random.Random, victim: str
) -> None:
    made = await ended(archive, rng, KILLS)  # one is in hand at each kill
    made += await ended(archive, rng, 1, HYPERGAMMON)
    options = ("--redis", own_valkey.url, "--archive", archive_url, "--analysis")
    nodes = [new_server(*options, data=own_valkey.path.parent / str(number)) for number in range(2)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    for _ in range(KILLS):
        await wait_until(
            lambda: any(judges_of(node.pid) for node in nodes) or len(said(nodes, "analysed")) == len(made)
        )
        await asyncio.sleep(rng.uniform(0, 1))
        for node in nodes:
            judges = judges_of(node.pid)
            if victim == "judge":
                for judge in judges:
                    kill(rng.choice([judge, *children(judge, "tavla_bots.sage_script")]))
            elif judges:
                node.kill()
                await wait_until(partial(none_lives, judges))  # no process judges for a server that is gone
                await asyncio.to_thread(node.start)
    found = await until_all_are_judged(archive)
    assert sorted(found) == sorted(made)
    assert {found[match].error for match in made} == {""}
    sage = importlib.util.find_spec("bgsage") is not None
    assert {found[match].by.startswith("Sage ") for match in made[:-1]} == {sage}
    assert found[made[-1]].by == "the house evaluator", "the only one that knows hypergammon"
    for node in nodes:
        assert node.stop() == 0
        assert_no_fault(node)
    lines = said(nodes, "analysed")
    for match in made:
        assert len([line for line in lines if match in line]) <= 1, "once; a killed server may not have said so"


async def test_a_match_at_which_all_judges_fail_is_given_up_and_keeps_no_other_from_it(
    archive: Archive, rng: random.Random
) -> None:
    made = await ended(archive, rng, 2)
    with capture_logs() as lines:
        async with analyst(archive, -1, Judge("no_such.program"), idle_s=0):
            found = await until_all_are_judged(archive)
    assert {match: found[match].error for match in made} == dict.fromkeys(made, f"given up after {TRIES} tries")
    failed = [line for line in lines if line["event"] == "analysis_failed"]
    assert [line["match"] for line in failed].count(made[0]) == TRIES
    assert "No module named" in failed[0]["error"]
    assert len([line for line in lines if line["event"] == "analysis_given_up"]) == 2


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_a_match_that_cannot_be_read_is_given_up(archive: Archive, rng: random.Random) -> None:
    await ended(archive, rng, 1)
    async with archive._database.writing() as connection:
        await connection.execute(sa.text("UPDATE matches SET journal = '\x01'"))
    async with analyst(archive, -1, idle_s=0):
        (found,) = (await until_all_are_judged(archive)).values()
    assert found.error == f"given up after {TRIES} tries"


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_who_is_so_late_that_another_has_taken_the_match_leaves_it(
    archive: Archive, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst_module, "RENEW_S", 0.01)
    (match,) = await ended(archive, rng, 1)
    other = Analyses(archive._database, "other")
    with capture_logs() as lines:
        async with analyst(archive, -1, Judge("http.server", "0", "0", end_s=0.1)):
            await wait_until(lambda: bool(children(os.getpid(), "http.server")))
            assert await other.claim() == (match, 2)
            await wait_until(lambda: "analysis_failed" in [line["event"] for line in lines])
    assert "another has taken it over" in lines[0]["error"]
    assert await other.renew(match), "it is still the other's"


async def test_a_judge_that_never_ends_is_ended(archive: Archive, rng: random.Random) -> None:
    await ended(archive, rng, 1)
    with capture_logs() as lines:
        async with analyst(archive, 15_000, Judge("http.server", "0", "0", limit_s=0.5, end_s=0.1)):
            await wait_until(lambda: "analysis_failed" in [line["event"] for line in lines])
    assert "not done after" in lines[0]["error"], lines
    assert judges_of(os.getpid()) == []


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_figures_of_the_house_stay_where_no_better_judge_comes_to_an_end(
    archive: Archive, rng: random.Random
) -> None:
    (match,) = await ended(archive, rng, 1)
    first = Analyses(archive._database, "first", -1)
    assert await first.claim() == (match, 1)
    rough = Judgement(by="the house evaluator", ratings=(5.0, 6.0), rough=True)
    assert await first.finish(match, rough)
    async with analyst(archive, -1, Judge("no_such.program"), idle_s=0):
        (found,) = (await until_all_are_judged(archive)).values()
    assert found == m.Analysis(by="the house evaluator", ratings=(5.0, 6.0))


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)
async def test_a_game_that_the_house_alone_knows_is_judged_once(archive: Archive, rng: random.Random) -> None:
    await ended(archive, rng, 1, HYPERGAMMON)
    with capture_logs() as lines:
        async with analyst(archive, 15_000):
            (found,) = (await until_all_are_judged(archive)).values()
    assert (found.by, found.rough) == ("the house evaluator", False)
    assert [line["event"] for line in lines if line["event"].startswith("analysed")] == ["analysed"]


async def test_a_judge_tells_what_was_hard_how_long_it_took_and_what_makes_a_puzzle(rng: random.Random) -> None:
    """A puzzle: a mistake with one right answer."""
    journal = journal_of(rng, "m", (player(rng, "ada"), player(rng, "bob")), Rules(length=3), most=80)
    told = await JUDGE._replace(choice="glance").analysis(_task(journal, ""))
    found = msgspec.json.decode(msgspec.json.encode(told), type=Judgement)
    hard, right, hard_ms, others, others_ms = (sum(both) for both in zip(*found.thinking, strict=True))
    assert right <= hard
    assert hard + others > 0
    assert hard_ms >= hard * STEP_MS
    assert others_ms >= others * STEP_MS
    for plays, times in zip(found.best, found.thinking, strict=True):
        assert len(plays) <= times.right
    assert found.puzzles, "the two play by chance"
    for position, theme, margin, finding in found.puzzles:
        at = before(journal, finding)
        assert at is not None
        assert (position, theme in THEMES) == (xgid(at), True)
        assert 0.05 <= margin <= finding.loss + 0.001
        assert finding in found.findings
        at, done = parse_xgid(position), finding.done
        assert choice_of(at, done, finding.best) != choice_of(at, done, done)


async def test_a_server_that_stops_gives_back_what_it_was_at(archive: Archive, rng: random.Random) -> None:
    (match,) = await ended(archive, rng, 1)
    other = Analyses(archive._database, "other")
    async with analyst(archive, 15_000, Judge("http.server", "0", "0", end_s=0.1)):
        await wait_until(lambda: bool(children(os.getpid(), "http.server")))
    assert await other.claim() == (match, 1)


async def test_players_see_it_in_their_history(new_server: NewServer) -> None:
    server = new_server("--analysis", "--workers", "2")
    await asyncio.to_thread(server.start)
    async with at_match(server.url, {"length": 1}) as (white, black, match):
        await black.act(m.Forfeit, match)
        await white.until(match, lambda view: view.phase == "over")
        record = await black.look_back(m.Record, match=match)
        assert isinstance(record, m.Recorded), record
        assert record.judging is (record.analysis is None)
        async with asyncio.timeout(2 * PATIENCE_S):
            while True:
                answer = await black.look_back(m.History)
                assert isinstance(answer, m.Played), answer
                if answer.matches and (found := answer.matches[0].analysis) and not found.rough:
                    break
        analysis = answer.matches[0].analysis
        assert (analysis.by != "", analysis.error) == (True, "")
        record = await black.look_back(m.Record, match=match)
        assert isinstance(record, m.Recorded), record
        assert (record.analysis, record.judging) == (analysis, False)
    assert server.stop(signal.SIGTERM) == 0
    assert [len(said([server], event)) for event in ("analysed_roughly", "analysed")] == [1, 1]
    assert "the house evaluator" in said([server], "analysed_roughly")[0]


def test_of_very_many_findings_the_costliest_are_kept() -> None:
    losses = [turn * 7 % 500 / 1000 for turn in range(500)]
    found: list[Any] = [
        {"game": 1, "turn": turn, "seat": turn % 2, "done": "24/20", "best": "24/18", "loss": loss, "mark": None}
        for turn, loss in enumerate(losses)
    ]
    kept = judge._costly(found)
    assert len(msgspec.json.encode(kept)) <= judge.MOST_BYTES
    assert len(kept) > 100
    assert list(kept) == sorted(kept), "in the order of the match"
    assert sorted((one.loss for one in kept), reverse=True) == sorted(losses, reverse=True)[: len(kept)]
    assert judge._costly(found[:1]) == (), "it has cost nothing"


def test_without_an_archive_there_is_nothing_to_judge(new_server: NewServer, own_valkey: Valkey) -> None:
    said = fails_to_start(new_server("--redis", own_valkey.url, "--analysis"))
    assert said == "tavla-server: --analysis needs an archive: give --archive URL"


async def test_without_the_bots_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyst_module, "NEEDED", ("no_such_module",))
    with pytest.raises(StartError, match=r"install tavla\[bots\]"):
        async with analysing(f"sqlite:///{tmp_path}/archive.sqlite3", "house"):
            pass
    assert not (tmp_path / "archive.sqlite3").exists()


async def test_the_matches_that_wait_are_a_metric(
    tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Analyst, "run", lambda _: asyncio.Event().wait())  # none is judged meanwhile
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with archive_at(url) as archive:
        await ended(archive, rng, 3)
        async with analysing(url, "house"):
            assert (await snapshot())[UNANALYSED.name] == {"": [3]}
        assert (await snapshot())[UNANALYSED.name] == {}
    async with analysing("postgresql://nobody@127.0.0.1:1/nothing", "house"):
        assert (await snapshot())[UNANALYSED.name] == {}


async def test_a_database_that_is_away_is_waited_for() -> None:
    async with archive_at("postgresql://nobody@127.0.0.1:1/nothing") as archive:
        with capture_logs() as lines:
            async with analyst(archive, 1000, idle_s=0.05):
                await wait_until(lambda: "analysis_waits" in [line["event"] for line in lines])
