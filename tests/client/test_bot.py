"""The bot kit against a real server: whole matches, hooks that fail, hooks that hang, several matches at once."""

import asyncio
import logging
import random
import re
import threading
from collections import Counter
from typing import Any, cast

import pytest
from tavla_client import (
    BadBot,
    Bot,
    Client,
    Failure,
    Failures,
    Invitation,
    Pilot,
    Refused,
    Result,
    Runner,
    Turn,
    at_table,
    available,
    in_pool,
)

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import Cautious, clients, match_of_bots, until
from tests.support.players.plain import unique
from tests.support.servers.processes import NewServer, ServerProcess

ONE: dict[str, bool | int | str] = {"length": 1}
THREE: dict[str, bool | int | str] = {"length": 3}


class Awaiting(Bot):
    """Every hook is a coroutine, and uses the cube."""

    async def choose_play(self, turn: Turn) -> Any:
        await asyncio.sleep(0)
        return turn.plays[-1].moves

    async def offer_double(self, turn: Turn) -> bool:
        return turn.view.cube < 4

    async def take_double(self, turn: Turn) -> bool:
        return True


class Faulty(Bot):
    """Every hook raises, or answers nonsense."""

    def choose_play(self, turn: Turn) -> Any:
        return [[(24, 23)] * 4, None, "13/7", [(3, 9)], 7][turn.view.rolls % 5]

    def offer_double(self, turn: Turn) -> bool:
        raise RuntimeError("offer_double")

    def take_double(self, turn: Turn) -> bool:
        raise SystemExit(3)

    def offer_resign(self, turn: Turn) -> int:
        return 99

    async def on_match_end(self, result: Result) -> None:
        raise RuntimeError("on_match_end")


class Resigning(Bot):
    """Gives up each game as soon as it may, at the lowest price, then at a higher one."""

    asked = 0

    def offer_resign(self, turn: Turn) -> int:
        self.asked += 1
        return 1 + self.asked % 2


class Greedy(Bot):
    """Accepts gammons only."""

    def accept_resign(self, turn: Turn) -> bool:
        return turn.offered_resignation > 1


@pytest.mark.parametrize(
    ("white", "black"), [(Cautious, Awaiting), (Faulty, Awaiting), (Resigning, Greedy), (Resigning, Bot), (Bot, Faulty)]
)
async def test_bots_play_a_match_to_its_end(server: ServerProcess, white: type[Bot], black: type[Bot]) -> None:
    first, second = await match_of_bots(server.url, white(), black(), THREE)
    assert first.won is not second.won
    assert first.score == second.score[::-1]
    assert max(first.score) >= 3


def test_a_bot_without_hooks_never_doubles_or_resigns_and_accepts_everything() -> None:
    bot, any_turn, any_invitation = Bot(), cast(Turn, None), cast(Invitation, None)
    assert bot.offer_double(any_turn) is False
    assert bot.take_double(any_turn) is True
    assert bot.offer_resign(any_turn) == 0
    assert bot.accept_resign(any_turn) is True
    assert bot.accept_challenge(any_invitation) is True


class Bare(Bot):
    """Plays bare pairs, in place of a play of the turn."""

    def choose_play(self, turn: Turn) -> Any:
        return [list(move) for move in turn.plays[0].moves]


@pytest.mark.parametrize("kind", [Cautious, Bare])
async def test_what_a_hook_answers_is_done(
    server: ServerProcess, caplog: pytest.LogCaptureFixture, kind: type[Bot]
) -> None:
    with caplog.at_level(logging.WARNING, "tavla_client"):
        await match_of_bots(server.url, kind(), kind(), ONE)
    assert caplog.text == "", "nothing had to be done instead"


class Forgetful(Bot):
    """Answers nothing, at which people forget the `return`."""

    def choose_play(self, turn: Turn) -> Any:
        return None

    def take_double(self, turn: Turn) -> Any:
        return None


async def failures_of(
    url: str, kind: type[Bot], rules: dict[str, bool | int | str], other: type[Bot] = Awaiting
) -> Counter[Failure]:
    """Failures in a match of one bot against another."""
    failures = Failures()
    await match_of_bots(url, kind(), other(), rules, failures)
    return failures.counts


async def test_failed_decisions_are_counted_and_each_kind_is_told_once(
    server: ServerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "tavla_client"):
        counts = await failures_of(server.url, Faulty, THREE)
    assert counts[Failure("Faulty.on_match_end", "RuntimeError: on_match_end")] == 1
    assert counts[Failure("Faulty.choose_play", "its answer means nothing: write `return` and one of turn.plays")] > 1
    resigning = Failure("Faulty.offer_resign", "its answer means nothing: write `return 0`, or 1, 2 or 3 to resign")
    assert counts[resigning] > 1
    assert len(caplog.records) == len(counts)
    assert "The default is done" in caplog.text


async def test_who_answers_none_is_told_what_to_write(server: ServerProcess) -> None:
    counts = await failures_of(server.url, Forgetful, THREE)
    assert counts[Failure("Forgetful.choose_play", "it answered None: write `return` and one of turn.plays")] > 1
    del counts[Failure("Forgetful.choose_play", "it answered None: write `return` and one of turn.plays")]
    assert set(counts) <= {Failure("Forgetful.take_double", "it answered None: write `return True` or `return False`")}


def test_a_hook_that_is_misspelt_says_how_it_is_spelt() -> None:
    class Odd(Bot):
        def chose_play(self, turn: Turn) -> Any:
            return turn.plays[0]

    with pytest.raises(BadBot, match=r"Odd.chose_play is no hook: write choose_play, or _chose_play if it is your own"):
        Odd()

    class Mended(Odd):
        def choose_play(self, turn: Turn) -> Any:
            return self.chose_play(turn)

    Mended()

    class Fine(Bot):
        def choose_play(self, turn: Turn) -> Any:
            return self.choose_plays(turn)

        def choose_plays(self, turn: Turn) -> Any:
            return turn.plays[0]

        def _take_doubles(self, turn: Turn) -> bool:
            return True


async def test_a_hook_that_took_the_time_is_named_when_the_clock_has_run_out(
    server: ServerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    class Dreamer(Bot):
        async def choose_play(self, turn: Turn) -> Any:
            await asyncio.Event().wait()

    with caplog.at_level(logging.WARNING, "tavla_client"):
        counts = await failures_of(server.url, Dreamer, {**ONE, "reserve_s": 2}, Bot)
    assert counts == {Failure("Dreamer.choose_play", "the clock ran out"): 1}
    assert re.search(r"it took \d+\.\d s, \d+\.\d s at most at once", caplog.text)


async def test_a_hook_that_never_returns_holds_up_no_other_match(server: ServerProcess) -> None:
    release = threading.Event()

    class Sleeper(Bot):
        def choose_play(self, turn: Turn) -> Any:
            release.wait(PATIENCE_S)
            return turn.plays[0]

    try:
        async with clients(server.url, "s", "o", bot=True) as (sleeper, other):
            held = await sleeper.create(unique("t"), ONE)
            opponent = await other.join(held.id)
            playing = asyncio.create_task(Pilot(Sleeper(), held).play())
            answering = asyncio.create_task(Pilot(Cautious(), opponent).play())
            quick = await sleeper.create(unique("t"), ONE)
            joined = await other.join(quick.id)
            await asyncio.gather(Pilot(Cautious(), quick).play(), Pilot(Cautious(), joined).play())
            assert not playing.done()
            await opponent.forfeit()
            assert (await playing).won, "an end comes through while a hook still thinks"
            assert (await answering).ending == "forfeit"
    finally:
        release.set()


async def test_a_runner_plays_several_matches_at_once(
    server: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    seen, most = set[str](), 0

    class Counting(Cautious):
        def choose_play(self, turn: Turn) -> Any:
            nonlocal most
            seen.add(turn.match)
            most = max(most, len(seen))
            return super().choose_play(turn)

        def on_match_end(self, result: Result) -> None:
            seen.discard(result.match)

    pool = {**rules, "length": 1}
    async with clients(server.url, "r", "r", bot=True) as (one, two):
        summaries = await asyncio.gather(
            Runner(one, Counting, in_pool(pool), 4, 2).run(), Runner(two, Bot, in_pool(pool), 4, 2).run()
        )
    assert [len(summary.results) for summary in summaries] == [4, 4]
    assert summaries[0].wins + summaries[1].wins == 4
    assert most == 2


async def test_a_runner_goes_on_with_the_matches_of_an_earlier_run(server: ServerProcess) -> None:
    name, table = unique("r"), unique("t")
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("o"), bot=True) as other:
        async with Client(server.url, name=name, bot=True) as first:
            match = await first.create(table, ONE)
            opponent = await other.join(table)
            await first.create(unique("t"), ONE)
            token = first.me.token
        async with Client(server.url, token=token, bot=True) as again:
            assert match.id in again.me.matches
            runner = Runner(again, Cautious, at_table(unique("t"), ONE), 1)
            summary, _ = await asyncio.gather(runner.run(), Pilot(Bot(), opponent).play())
            assert [result.match for result in summary.results] == [match.id], "it counts for this run"
            assert await again.lobby.tables("mine") == {}


async def test_an_available_bot_plays_those_who_ask_for_the_computer(server: ServerProcess) -> None:
    asked: list[Invitation] = []

    class Choosy(Cautious):
        def accept_challenge(self, invitation: Invitation) -> bool:
            asked.append(invitation)
            return invitation.rules.get("length") == 1

    async with clients(server.url, "b", bot=True) as (bot,), clients(server.url, "p") as (person,):
        asking = {"length": 9}, {"length": 1}
        long, short = [await person.create(unique("t"), rules, opponent="computer") for rules in asking]
        summary, result = await asyncio.gather(Runner(bot, Choosy, available(), 1).run(), Pilot(Bot(), short).play())
        assert summary.results[0].match == result.match == short.id
        assert long.view.phase == "open"
        assert {invitation.opponent for invitation in asked} >= {person.me.name}
        await long.cancel()


async def test_a_bot_that_is_stopped_while_it_thinks_leaves_nothing_behind(server: ServerProcess) -> None:
    thinking = asyncio.Event()

    class Thinker(Bot):
        async def choose_play(self, turn: Turn) -> Any:
            thinking.set()
            await asyncio.Event().wait()

    bots = clients(server.url, "t", "a", bot=True)
    async with bots as (client, available_one), clients(server.url, "p") as (person,):
        before = asyncio.all_tasks()
        match = await client.create(unique("t"), {**ONE, "opening": "seat_0", "cube": False}, "white")
        await person.join(match.id)
        tasks = [
            asyncio.create_task(Pilot(Thinker(), match).play()),
            asyncio.create_task(Runner(available_one, Cautious, available()).run()),
        ]
        await thinking.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before


async def test_a_bot_that_is_stopped_closes_the_table_at_which_it_waits(server: ServerProcess) -> None:
    table = unique("t")
    running_bot, following = clients(server.url, "b", bot=True), clients(server.url, "p")
    async with running_bot as (bot,), following as (person,), person.lobby.lists("tables") as lists:
        running = asyncio.create_task(Runner(bot, Cautious, at_table(table, ONE)).run())
        await until(lists, lambda: table in [open_one.name for open_one in lists.rows["tables"].values()])
        running.cancel()
        await asyncio.wait([running])
        await until(lists, lambda: table not in [open_one.name for open_one in lists.rows["tables"].values()])


async def test_a_table_that_cannot_be_is_an_error_and_no_endless_search(server: ServerProcess) -> None:
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("b"), bot=True) as bot:
        with pytest.raises(Refused, match="no option"):
            await Runner(bot, Cautious, at_table(unique("t"), {"colour": "red"}), 1).run()


async def test_a_match_survives_a_server_that_is_killed(
    new_server: NewServer, rng: random.Random, caplog: pytest.LogCaptureFixture
) -> None:
    server = new_server()
    server.start()
    turns = 0

    class Killing(Cautious):
        def choose_play(self, turn: Turn) -> Any:
            nonlocal turns
            turns += 1
            if turns == fatal:
                server.kill()
                server.restart()
            return super().choose_play(turn)

    fatal = rng.randint(3, 12)
    first, second = await match_of_bots(server.url, Killing(), Cautious(), {"length": 2})
    assert turns > fatal
    assert first.score == second.score[::-1]
    assert not first.dice.is_fault
    assert not second.dice.is_fault
    assert "in your name" not in caplog.text, "of an honest server"
