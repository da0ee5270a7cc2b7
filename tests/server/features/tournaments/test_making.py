"""Tournaments as they are made: their names and terms, who may come, and how many there may be."""

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.accounts.skeletons import skeleton
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import registered
from tests.support.players.moderators import appointed
from tests.support.players.operators import does
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import RULES, arena_of, direct, entered, one_match, record_of
from tests.support.servers.processes import ServerProcess, inside, page
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rules": {"preset": "money"}}, ErrorCode.BAD_RULES),
    ({"rules": {"length": 3, "clock": "none"}}, ErrorCode.BAD_RULES),
    ({"rules": {"length": 65}}, ErrorCode.BAD_RULES),
    ({"rules": {"length": 3}, "min_rating": 1600, "max_rating": 1500}, ErrorCode.BAD_RULES),
    ({"rules": {"length": 3, "rated": True}, "private": True}, ErrorCode.BAD_RULES),
]


@pytest.mark.parametrize(("fields", "code"), REFUSED)
async def test_a_tournament_is_to_points_and_has_a_clock(
    server: ServerProcess, fields: dict[str, Any], code: str
) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        assert refused(await ada.ask(m.CreateTournament, name="friday", **fields)) == code


async def test_a_tournament_has_a_name_of_its_own(server: ServerProcess) -> None:
    """Not the house's, no player's, and while it is listed and not over, no other tournament's or one like it."""
    async with Player(server.url, unique("Ali")) as ada, Player(server.url) as bob:
        await registered(ada, bob)
        assert ada.name is not None
        for name in (ada.name.replace("l", "1"), "Support", "moderators-cup", "__proto__"):
            assert refused(await bob.ask(m.CreateTournament, name=name)) == ErrorCode.NAME_RESERVED
        for name in ("Wıntеr Support", "the ＡDMIN cup"):
            assert refused(await bob.ask(m.CreateTournament, name=name)) == ErrorCode.NAME_RESERVED
        assert refused(await bob.ask(m.CreateTournament, name="\u200b")) == ErrorCode.NOTHING_SAID
        cup = unique("Yılbaşı tavla kupası b")
        made = await bob.get(m.Organised, m.CreateTournament, name=cup)
        alike = cup.replace("b", "8", 1).replace(" ", "-").upper()
        assert refused(await ada.ask(m.CreateTournament, name=alike)) == ErrorCode.NAME_TAKEN
        assert isinstance(await ada.ask(m.CreateTournament, name=cup, private=True), m.Organised), (
            "nobody is told of it"
        )
        await direct(bob, made.tournament, "extend")
        await until_closed(bob, made.tournament)
        await connection_forgets(server.store_url, keys.TOURNAMENT_NAME(skeleton(cup)))
        assert isinstance(await ada.ask(m.CreateTournament, name=cup), m.Organised), "it is over"


async def connection_forgets(store_url: str, key: str) -> None:
    """A minute later."""
    async with connection_to(store_url) as redis:
        await redis.delete(key)


async def until_closed(player: Player, tournament: str) -> None:
    """Wait for the end of a tournament."""
    await ask_until(lambda: record_of(player, tournament), lambda found: found.closed)


async def test_a_private_tournament_is_for_those_who_are_told_its_id(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(pairing_round_s=0.05)) as url, guests(url, 3) as (ada, bob, eve):
        tournament = await arena_of(eve, private=True)
        match = await one_match(tournament, ada, bob)
        for what in ("tournaments", "matches", "tables"):
            listing = await eve.get(m.Listing, m.List, what=what)
            assert tournament not in str(listing.rows)
        told = await record_of(eve, tournament)
        assert told.about is not None
        assert told.about.private
        assert refused(await eve.ask(m.Record, match=match)) == ErrorCode.PRIVATE
        code = told.pairings[0].code
        assert isinstance(await eve.ask(m.Record, match=match, code=code), m.Recorded)
        assert match_ids.code_of(tournament, "another") != code
        watched = await eve.get(m.Snapshot, m.Attach, match=match, code=code)
        assert tournament not in str(watched), "whoever has the link of one match is not led to the others"
        played = await ada.get(m.Snapshot, m.Attach, match=match)
        assert played.view["tournament"] == [tournament, 0], "its players know where it belongs"
        await ask_until(lambda: record_of(eve, tournament), lambda found: found.pairings[0].over)
        assert match in (await asyncio.to_thread(page, url, f"/t/{tournament}.mat"))[1]


async def test_a_tournament_for_some_ratings_takes_others_whom_the_director_adds(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as eve, Player(server.url) as guest:
        await registered(ada)
        tournament = await arena_of(eve, min_rating=1600, max_rating=2000)
        asked = {"tournament": tournament, "commitment": COMMITMENTS[0]}
        assert refused(await guest.ask(m.EnterTournament, **asked)) == ErrorCode.ACCOUNT_NEEDED
        assert refused(await ada.ask(m.EnterTournament, **asked)) == ErrorCode.NOT_ALLOWED
        await direct(eve, tournament, "add", player=ada.name)
        await entered(ada, tournament, COMMITMENTS[0])
        listing = await ada.get(m.Listing, m.List, what="tournaments")
        row = msgspec.convert(listing.rows[tournament], m.Tournament)
        assert (row.min_rating, row.max_rating) == (1600, 2000)
        (ruling,) = (await record_of(ada, tournament)).rulings
        assert (ruling.what, ruling.player) == ("add", ada.name)


@pytest.mark.parametrize("private", [False, True])
async def test_tournaments_are_counted_by_player_network_and_kind_as_they_are_made(
    own_valkey: Valkey, private: bool
) -> None:
    limits = Limits(tournaments=2, tournaments_by_network=4, tournaments_listed=6)

    async def make(one: Player, **others: Any) -> m.Organised | m.Error:
        asked = {"name": unique("a"), "rules": RULES, "starts": 600_000, "private": private} | others
        answer = await one.ask(m.CreateTournament, **asked)
        assert isinstance(answer, m.Organised | m.Error)
        return answer

    async with (
        inside(own_valkey.url, limits=limits, behind_proxy=True) as here,
        inside(own_valkey.url, limits=limits, behind_proxy=True) as there,
        contextlib.AsyncExitStack() as stack,
    ):

        async def director(url: str, address: str) -> Player:
            player = await stack.enter_async_context(Player(url, headers={"X-Forwarded-For": address}))
            await registered(player)
            return player

        hostile = [await director(here if number % 2 else there, f"2001:db8:0:{number:x}::1") for number in range(5)]

        async def make_some(one: Player) -> list[str]:
            answers = [await make(one) for _ in range(3)]
            return [answer.tournament for answer in answers if isinstance(answer, m.Organised)]

        made = [id_ for some in await asyncio.gather(*map(make_some, hostile)) for id_ in some]
        assert len(made) == limits.tournaments_by_network, "of one network of 56 bits, whoever asks"
        ada, bob, eve = [await director(here, f"192.0.2.{number}") for number in range(3)]
        assert [type(await make(ada)) for _ in range(3)] == [m.Organised, m.Organised, m.Error]
        assert refused(await make(bob)) == ErrorCode.TOO_MANY, "the list is full"
        assert isinstance(await make(bob, private=not private), m.Organised), "the other one is not"
        await appointed(eve, own_valkey.url)
        shown: dict[str, str] = {}
        for one in hostile:
            shown |= (await eve.get(m.Inspected, m.Inspect, player=one.name)).tournaments
        assert set(shown) == set(made)
        await direct(eve, made[0], "extend", minutes=0)
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(await make(bob), m.Error):
                pass  # until a node has looked after it
        said = await does(own_valkey, "list", "tournaments")
        (line,) = [line for line in said if line.startswith(made[1])]
        assert ("private" if private else "public") in line.split()
        (told,) = await does(own_valkey, "end-tournament", made[1], "it is not meant")
        assert told.endswith("ends; matches that are played count")
        await ask_until(lambda: make(eve), lambda found: not isinstance(found, m.Error))
