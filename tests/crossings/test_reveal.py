"""Seeds that are shown from another device than the one with the board, however the match was made."""

from collections.abc import Awaitable, Callable

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.challenges import challenged
from tests.support.players.matches import played_on
from tests.support.players.plain import Player, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.seekers import matched, seek
from tests.support.players.tournaments import arena_of, entered, standings_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock

RULES: dict[str, bool | int | str] = {"length": 1, "clock": "normal"}
Way = Callable[[Player, Player], Awaitable[str]]


async def at_a_table(ada: Player, bob: Player) -> str:
    opened = await ada.get(m.Snapshot, m.Create, name=unique("t"), rules=RULES, commitment=COMMITMENTS[0])
    await bob.get(m.Snapshot, m.Join, table=opened.match, commitment=COMMITMENTS[1])
    return opened.match


async def by_quick_match(ada: Player, bob: Player) -> str:
    for player, commitment in zip((ada, bob), COMMITMENTS, strict=True):
        await seek(player, RULES, commitment=commitment)
    return (await matched(bob)).match


async def by_a_challenge(ada: Player, bob: Player) -> str:
    heard = await challenged(ada, bob, commitment=COMMITMENTS[0])
    accept = {"challenge": heard.challenge, "accept": True, "commitment": COMMITMENTS[1]}
    return (await bob.get(m.Snapshot, m.Answer, **accept)).match


async def in_a_tournament(ada: Player, bob: Player) -> str:
    async with Player(ada.url) as director:
        tournament = await arena_of(director)
    for player, commitment in zip((ada, bob), COMMITMENTS, strict=True):
        await entered(player, tournament, commitment)
    return (await matched(bob)).match


@pytest.mark.parametrize("way", [at_a_table, by_quick_match, by_a_challenge, in_a_tournament])
async def test_the_device_that_has_the_seed_shows_it_when_another_one_has_the_seat(valkey: Valkey, way: Way) -> None:
    async with inside(valkey.url) as url, Player(url) as laptop, Player(url) as bob:
        match = await way(laptop, bob)
        async with Player(url, token=laptop.token) as phone:
            assert (await phone.get(m.Snapshot, m.Attach, table=match)).seat is not None
            while match not in laptop.matches or laptop.matches[match].view.phase != "reveal":
                await laptop.receive()
            await laptop.next(m.Replaced)
            assert refused(await laptop.act(m.Ready, match)) == ErrorCode.NOT_SEATED
            for player, seed in ((laptop, SEEDS[0]), (bob, SEEDS[1])):
                assert isinstance(await player.act(m.Reveal, match, seed=seed), m.Ok)
            for player in (laptop, phone, bob):
                view = await player.until(match, lambda view: view.game > 0)
                assert {*view.seeds} == {*SEEDS}
            assert isinstance(await phone.act(m.Forfeit, match), m.Ok)
            await bob.until(match, lambda view: view.phase == "over")


async def test_a_match_of_a_tournament_counts_whichever_device_has_shown_the_seed(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as laptop, Player(url) as bob, Player(url) as director:
        tournament = await arena_of(director)
        for player, commitment in zip((laptop, bob), COMMITMENTS, strict=True):
            await entered(player, tournament, commitment)
        match = (await matched(bob)).match
        async with Player(url, token=laptop.token) as phone:
            await phone.get(m.Snapshot, m.Attach, table=match)
            await matched(laptop)
            for player, seed in ((laptop, SEEDS[0]), (bob, SEEDS[1])):
                await player.until(match, lambda view: view.phase in ("reveal", "over"))
                assert isinstance(await player.act(m.Reveal, match, seed=seed), m.Ok)
            for player in (phone, bob):
                await player.until(match, lambda view: view.game > 0)
            await played_on(match, phone, bob)
            assert isinstance(await bob.act(m.Forfeit, match), m.Ok)
            await ask_until(lambda: standings_of(bob, tournament), lambda found: found[laptop.name or ""].points)


@pytest.mark.parametrize("way", [at_a_table, by_quick_match, by_a_challenge, in_a_tournament])
async def test_who_shows_no_seed_on_any_device_is_named_and_nobody_else(valkey: Valkey, way: Way) -> None:
    async with (
        inside(valkey.url, Timings(reveal_s=1.5, reveal_away_s=2.0, return_ms=100)) as url,
        Player(url) as laptop,
        Player(url) as bob,
    ):
        match = await way(laptop, bob)
        async with Player(url, token=laptop.token) as phone:
            await phone.get(m.Snapshot, m.Attach, table=match)
            await bob.until(match, lambda view: view.phase == "reveal")
            assert isinstance(await bob.act(m.Reveal, match, seed=SEEDS[1]), m.Ok)
            for player in (phone, bob):
                view = await player.until(match, lambda view: view.phase == "over")
                assert [view.players[seat] for seat in view.unrevealed] == [laptop.name]
