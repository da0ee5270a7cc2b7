"""Programs that play those who ask: what everyone sees of them, and who may sit down with whom."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode
from tavla_server.features.people.people import OFFER_BYTES_LIMIT, OFFERS
from tavla_server.limits import Limits
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN, PATIENCE_S
from tests.support.players.lobby import Watch
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey


def bot(url: str) -> Player:
    """A program that has not connected yet."""
    return Player(url, hello={"name": unique("bot"), "bot": True})


async def test_an_available_program_is_seen_until_it_is_not_any_more(server: ServerProcess) -> None:
    async with Player(server.url) as eve, bot(server.url) as gnu:
        name = gnu.name or ""
        watch = Watch(eve)
        await watch.follow("people")
        await watch.until("people", lambda rows: name in rows)
        said = {"places": 3, "level": "beginner", "rules": {"variant": ["standard"], "cube": [True, False]}}
        assert isinstance(await gnu.ask(m.Available, **said), m.Ok)
        row = (await watch.until("people", lambda rows: "places" in rows[name]))[name]
        assert {**row, **said} == row
        await gnu.ask(m.Available, places=0)
        await watch.until("people", lambda rows: "places" not in rows[name])
        await gnu.ask(m.Available, places=1)
        await watch.until("people", lambda rows: "places" in rows[name])
        async with Player(server.url, token=gnu.token):
            await gnu.close()
            await watch.until("people", lambda rows: "places" not in rows[name])


async def test_people_are_never_available(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Available, places=1)) == "bots_only"


async def test_a_table_that_waits_for_the_computer_is_taken_by_exactly_one_program(server: ServerProcess) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = [await stack.enter_async_context(Player(server.url)) for _ in range(2)]
        bots = [await stack.enter_async_context(bot(server.url)) for _ in range(5)]
        table = await ada.get(m.Snapshot, m.Create, name=unique("t"), opponent="computer")
        assert refused(await bob.ask(m.Join, table=table.match)) == "bots_only"
        answers = await asyncio.gather(*(one.ask(m.Join, table=table.match) for one in bots))
        assert sum(isinstance(answer, m.Snapshot) for answer in answers) == 1
        assert {answer.code for answer in answers if isinstance(answer, m.Error)} == {"table_full"}


async def test_a_limit_says_when_to_ask_again(valkey: Valkey) -> None:
    limits = Limits(rates={"tables": Rate(NEVER_AGAIN, 1.0)})
    async with inside(valkey.url, limits=limits) as node, bot(node) as gnu:
        assert isinstance(await gnu.ask(m.Create, name=unique("t")), m.Snapshot)
        answer = await gnu.ask(m.Create, name=unique("t"))
        assert refused(answer) == "too_many"
        assert isinstance(answer, m.Error)
        assert 1 / NEVER_AGAIN - PATIENCE_S < answer.retry_after <= 1 / NEVER_AGAIN


async def test_programs_and_people_play_for_their_ratings_when_both_have_asked_for_it(
    server: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob, bot(server.url) as gnu, bot(server.url) as other:
        for player in (ada, bob, gnu, other):
            assert isinstance(await player.ask(m.Register, password="long enough"), m.Ok)
        rated = {**rules, "rated": True}

        async def opened(player: Player, opponent: str = "person") -> str:
            table = await player.get(m.Snapshot, m.Create, name=unique("t"), rules=rated, opponent=opponent)
            return table.match

        for_people, for_programs, of_a_program = await opened(ada), await opened(ada, "computer"), await opened(gnu)
        assert refused(await gnu.ask(m.Join, table=for_people)) == "people_only"
        assert isinstance(await gnu.ask(m.Join, table=for_programs), m.Snapshot)
        assert isinstance(await other.ask(m.Join, table=of_a_program), m.Snapshot)
        assert isinstance(await bob.ask(m.Join, table=for_people), m.Snapshot)
        for player in (ada, gnu, bob, other):
            assert isinstance(await player.ask(m.Seek, rules=rated), m.Ok)
        found = {player.name: (await player.next(m.Matched)).match for player in (ada, bob, gnu, other)}
        assert found[ada.name] == found[bob.name] != found[gnu.name] == found[other.name]


ODD_OFFERS: list[tuple[dict[str, list[bool | int | str]], str]] = [
    ({"come to my site": []}, "there is no option"),
    ({"come to my site": [1]}, "there is no option"),
    ({"variant": ["standard", "no such"]}, "no table has variant 'no such'"),
    ({"length": [1, 65]}, "no table has length 65"),
    ({"cube": ["yes"]}, "no table has cube 'yes'"),
    ({"clock": ["fast", "none", "never"]}, "no table has clock 'never'"),
]


@pytest.mark.parametrize(("rules", "text"), ODD_OFFERS)
async def test_what_no_table_has_is_not_told_to_all(
    server: ServerProcess, rules: dict[str, list[bool | int | str]], text: str
) -> None:
    async with bot(server.url) as program:
        answer = await program.ask(m.Available, places=1, rules=rules)
        assert refused(answer) == ErrorCode.BAD_RULES
        assert isinstance(answer, m.Error)
        assert text in answer.text


async def test_what_one_program_says_of_itself_is_a_short_row(node: str) -> None:
    async with bot(node) as program, Player(node) as reader:
        modest: dict[str, list[bool | int | str]] = {"length": list(range(20)), "cube": [True, False], "rated": [False]}
        assert isinstance(await program.ask(m.Available, places=1, level="x" * 20, rules=modest), m.Ok)
        for field in ("delay_s", "reserve_s", "beavers", "automatic_doubles"):
            modest[field] = [0]
        modest |= {"reserve_s": list(range(300, 320)), "delay_s": list(range(20)), "cube_cap": [2**9, 2**10] * 10}
        modest |= {"preset": ["tournament", "money", "club", "mpgn", "seats"] * 4, "forfeit_multiplier": [3] * 20}
        modest |= {"opening": ["roll_off", "winner", "seat_0_cube"] * 6}
        assert refused(await program.ask(m.Available, places=1, rules=modest)) == ErrorCode.BAD_RULES
        listing = await reader.get(m.Listing, m.List, what="people")
        assert max(len(pack(row)) for row in listing.rows.values()) <= OFFER_BYTES_LIMIT + 200


async def test_a_program_says_what_it_plays_so_often_and_no_more(valkey: Valkey) -> None:
    burst = int(OFFERS.burst)
    async with (
        inside(valkey.url, limits=Limits(rates={"offers": Rate(NEVER_AGAIN, burst)})) as url,
        bot(url) as program,
    ):
        answers = [await program.ask(m.Available, places=number % 2) for number in range(burst + 10)]
        refusals = [answer for answer in answers if isinstance(answer, m.Error)]
        assert refusals
        assert {refused(answer) for answer in refusals} == {ErrorCode.TOO_MANY}
        assert not any(isinstance(answer, m.Error) for answer in answers[:burst])
