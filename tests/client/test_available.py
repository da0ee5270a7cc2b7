"""Bots that play those who ask: challenged, asked once more, seen by everyone, back after their process has died."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace
from tavla_client import Bot, Client, Invitation, Pilot, Refused, Runner, against, at_table, available, fits, in_pool
from tavla_client.bots import finders
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import Cautious, clients, until
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess
from tests.support.servers.scripted import MATCH, VIEW, Connection, scripted, snapshot

ONE: dict[str, bool | int | str] = {"length": 1}


class Telling(Cautious):
    """A bot that says what it plays."""

    level = "cautious"
    plays: ClassVar[dict[str, list[str]]] = {"variant": ["standard"]}

    def accept_challenge(self, invitation: Invitation) -> bool:
        return invitation.rules.get("length") != 9


@asynccontextmanager
async def at_work(url: str, new_bot: type[Bot] = Telling, places: int = 1, **who: Any) -> AsyncIterator[Client]:
    """A bot that is available until the end; its client."""
    who = who or {"name": unique("bot")}
    async with asyncio.timeout(PATIENCE_S), Client(url, bot=True, **who) as client:
        running = asyncio.create_task(Runner(client, new_bot, available(), None, places).run())
        try:
            yield client
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def test_a_person_challenges_an_available_bot_and_takes_a_rematch(server: ServerProcess) -> None:
    async with at_work(server.url) as bot, clients(server.url, "p") as (person,), person.lobby.lists("people") as lists:
        name = bot.me.name or ""

        def free() -> int:
            return lists.rows["people"][name].places if name in lists.rows["people"] else -1

        await until(lists, lambda: free() == 1)
        assert (lists.rows["people"][name].level, lists.rows["people"][name].rules) == (
            "cautious",
            {"variant": ["standard"]},
        )
        match = await person.challenges.send(name, ONE)
        await until(lists, lambda: free() == 0)
        first = await Pilot(Bot(), match).play()
        again = await person.challenges.rematch(match.id)
        assert again.view.series == tuple(
            int(won) for won in (first.won is (match.seat == 0), first.won is (match.seat == 1))
        )
        await Pilot(Bot(), again).play()
        await until(lists, lambda: free() == 1)


async def test_what_a_bot_does_not_play_is_declined_at_once(server: ServerProcess) -> None:
    async with at_work(server.url) as bot, clients(server.url, "p", "q") as (person, other):
        name = bot.me.name or ""
        refused: list[dict[str, bool | int | str]] = [{"length": 9}, {"length": 1, "variant": "hypergammon"}]
        for rules in refused:
            with pytest.raises(Refused, match="does not want to play"):
                await person.challenges.send(name, rules)
        await person.challenges.send(name, ONE)
        with pytest.raises(Refused, match="does not want to play"):
            await other.challenges.send(name, ONE)  # it has one place


@asynccontextmanager
async def challenged(by: str) -> AsyncIterator[tuple[Connection, m.Answer]]:
    """A bot, played by a script, that is available and accepts a challenge; its connection, and what it answers."""
    async with scripted() as server, Client(server.url, name="ada", bot=True) as client:
        connection = await server.accept()
        running = asyncio.create_task(Runner(client, Telling, available()).run())
        earlier = await connection.expect(m.Attach)
        await connection.send(m.Error(id=earlier.id, code="no_such_match", text="it is over"))
        subscribe = await connection.expect(m.Subscribe)
        await connection.send(m.Listing(id=subscribe.id, what="tables", seq=1, total=0, rows={}))
        await connection.send(m.Ok(id=(await connection.expect(m.Available)).id), challenge(MATCH, by))
        await connection.send(m.Career(id=(await connection.expect(m.Profile)).id, name=by, kind="guest"))
        accept = await connection.expect(m.Answer)
        assert (accept.challenge, accept.accept) == (MATCH, True)
        yield connection, accept
        running.cancel()
        await asyncio.wait([running])


async def test_who_challenges_while_a_place_is_being_taken_is_declined_at_once() -> None:
    async with challenged("bob") as (connection, accept):
        await connection.send(snapshot(accept.id, replace(VIEW, commitments=("0f" * 32, accept.commitment)), seat=1))
        taken = await connection.expect(m.Available)
        await connection.send(challenge("c2", "eve"), m.Ok(id=taken.id))
        await connection.send(m.Ok(id=(await connection.expect(m.Unsubscribe)).id))
        decline = await connection.expect(m.Answer)
        assert (decline.challenge, decline.accept) == ("c2", False)


async def test_a_challenge_that_cannot_be_accepted_is_looked_at_no_more() -> None:
    async with challenged("bob") as (connection, accept):
        await connection.send(m.Error(id=accept.id, code="account_needed", text="rated matches are for accounts"))
        decline = await connection.expect(m.Answer)
        assert (decline.challenge, decline.accept) == (MATCH, False)
        await connection.send(m.Ok(id=decline.id), challenge("c2", "eve"))
        profile = await connection.expect(m.Profile)
        assert profile.name == "eve", "and it goes on looking"


def challenge(id_: str, by: str) -> m.Challenged:
    """A player challenges ada to a single point."""
    return m.Challenged(challenge=id_, by=by, to="ada", rules=ONE, seat=0, expires=60)


async def test_a_bot_that_plays_in_a_pool_keeps_nobody_waiting_for_an_answer(server: ServerProcess) -> None:
    pool: dict[str, bool | int | str] = {"length": 7, "clock": "slow"}
    async with clients(server.url, "bot", bot=True) as (bot,), clients(server.url, "p") as (person,):
        running = asyncio.create_task(Runner(bot, Telling, in_pool(pool)).run())
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="does not want to play"):
            await person.challenges.send(bot.me.name or "", ONE)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


class Choosy(Telling):
    """A bot that plays no opponent twice."""

    def accept_challenge(self, invitation: Invitation) -> bool:
        return False


WAYS: list[tuple[str, Callable[[], Any], Callable[[Client], Any]]] = [
    ("table", lambda: at_table("den", ONE), lambda person: person.join("den")),
    (
        "pool",
        lambda: in_pool({"length": 1, "clock": "slow"}),
        lambda person: person.seek({"length": 1, "clock": "slow"}),
    ),
]


@pytest.mark.parametrize(("find", "sit_down"), [way[1:] for way in WAYS], ids=[way[0] for way in WAYS])
async def test_a_bot_at_a_table_or_in_a_pool_takes_a_rematch_as_long_as_it_has_matches_left(
    own_server: ServerProcess, find: Callable[[], Any], sit_down: Callable[[Client], Any]
) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        Client(own_server.url, name="bot1", bot=True) as bot,
        Client(own_server.url, name="person") as person,
    ):
        running = asyncio.create_task(Runner(bot, Telling, find(), 2).run())
        match = await _until_found(sit_down, person)
        await Pilot(Bot(), match).play()
        async with person.lobby.lists("tables", "matches") as lists:
            again = await person.challenges.rematch(match.id)
            assert sum(again.view.series) == 1
            await until(lists, lambda: lists.rows["matches"].keys() == {again.id} and not lists.rows["tables"])
            await Pilot(Bot(), again).play()
        with pytest.raises(Refused):  # declined, or it has gone by now
            await person.challenges.rematch(again.id)
        assert len((await running).results) == 2


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
async def test_a_table_that_is_still_being_opened_when_a_rematch_is_wanted_is_closed(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if late:
        monkeypatch.setattr(finders, "CLOSE_S", 0)
    async with scripted() as server, Client(server.url, name="ada", bot=True) as client:
        connection = await server.accept()
        running = asyncio.create_task(Runner(client, Telling, at_table("den", ONE)).run())
        for kind in (m.Attach, m.Join):
            request = await connection.expect(kind)
            await connection.send(m.Error(id=request.id, code="no_such_match", text="there is none"))
        create = await connection.expect(m.Create)
        await connection.send(replace(challenge("c2", "bob"), rematch="m0"))
        profile = await connection.expect(m.Profile)
        await connection.send(m.Career(id=profile.id, name="bob", kind="guest"))
        if late:
            await connection.expect(m.Answer)
        else:
            assert await connection.silent(), "it waits for its table"
        table = replace(VIEW, phase="open", players=("ada", None), commitments=(create.commitment, ""))
        await connection.send(snapshot(create.id, table))
        cancel = await connection.expect(m.Cancel)
        await connection.send(m.Ok(id=cancel.id))
        if not late:
            accept = await connection.expect(m.Answer)
            assert (accept.challenge, accept.accept) == ("c2", True)
        running.cancel()
        await asyncio.wait([running])


async def test_a_bot_at_a_table_may_decline_a_rematch_and_plays_on(own_server: ServerProcess) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        Client(own_server.url, name="bot1", bot=True) as bot,
        Client(own_server.url, name="person") as person,
    ):
        running = asyncio.create_task(Runner(bot, Choosy, at_table("den", ONE), 2).run())
        match = await _until_found(lambda person: person.join("den"), person)
        await Pilot(Bot(), match).play()
        with pytest.raises(Refused, match="does not want to play now"):
            await person.challenges.rematch(match.id)
        await Pilot(Bot(), await _until_found(lambda person: person.join("den"), person)).play()
        assert len((await running).results) == 2


async def _until_found(sit_down: Callable[[Client], Any], person: Client) -> Any:
    """The match, once the bot has opened its table."""
    while True:
        with suppress(Refused):
            return await sit_down(person)


async def test_an_opponent_who_has_gone_takes_up_no_place(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runner, "POLL_S", 0.05)
    async with at_work(server.url) as bot, clients(server.url, "q") as (other,), other.lobby.lists("people") as lists:
        name = bot.me.name or ""
        async with Client(server.url, name=unique("p")) as person:
            left = await person.challenges.send(name, ONE)
            token = person.me.token
            await until(lists, lambda: name in lists.rows["people"] and not lists.rows["people"][name].places)
        await until(lists, lambda: lists.rows["people"][name].places == 1)
        # Once more, should that row be of the moment before the player had come to the match.
        match = await _until_found(lambda other: other.challenges.send(name, ONE), other)
        async with Client(server.url, token=token) as person:
            back = await person.attach(left.id)
            await asyncio.gather(Pilot(Bot(), back).play(), Pilot(Bot(), match).play())


async def test_of_too_many_matches_that_were_left_the_oldest_is_given_up(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runner, "POLL_S", 0.05)
    monkeypatch.setattr(Runner, "KEPT", 1)
    async with at_work(server.url, Bot) as bot, clients(server.url, "eve") as (eve,):
        async with Client(server.url, name=unique("p")) as person:
            left = await person.challenges.send(bot.me.name or "", ONE)
            watched = await eve.attach(left.id)
        async for change in watched.changes():
            if change.view.phase == "over":
                break
        assert change.view.outcome is not None
        assert (change.view.outcome[0], change.view.outcome[3]) == (left.seat, "forfeit")


async def test_a_bot_that_comes_back_goes_on_with_its_match(server: ServerProcess) -> None:
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("p")) as person:
        async with at_work(server.url) as bot:
            match = await person.challenges.send(bot.me.name or "", {"length": 3})
            token = bot.me.token
        seat = 1 - (match.seat or 0)
        async for change in match.changes(newest=True):
            if not change.online[seat]:
                break
        assert match.claim_after is not None, "a program has no time to spare, even without a clock"
        playing = asyncio.create_task(Pilot(Bot(), match).play())
        async with at_work(server.url, token=token):
            result = await playing
        assert max(result.score) >= 3


async def test_a_bot_challenges_one_player_again_and_again(server: ServerProcess) -> None:
    async with at_work(server.url) as other, clients(server.url, "bot", bot=True) as (bot,):
        summary = await Runner(bot, Telling, against(other.me.name or "", ONE), 3).run()
        assert {result.opponent for result in summary.results} == {other.me.name}
        assert len(summary.results) == 3


FITS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {"variant": "hypergammon"}, True),
    ({"variant": ["standard"]}, {}, True),
    ({"variant": ["standard"]}, {"variant": "hypergammon"}, False),
    ({"length": [1, 3], "cube": [True]}, {"length": 3}, True),
    ({"length": [1, 3], "cube": [True]}, {"length": 3, "cube": False}, False),
    ({"option of a newer server": [1]}, {}, False),
]


@pytest.mark.parametrize(("plays", "rules", "expected"), FITS)
def test_which_rules_a_bot_plays(plays: dict[str, Any], rules: dict[str, Any], expected: bool) -> None:
    assert fits(plays, rules) is expected
