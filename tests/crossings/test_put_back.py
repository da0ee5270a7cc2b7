"""A match that was put back by an unmodified server, at each place: what players bring decides how its dice go on."""

import asyncio
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tavla_client import Refused
from tavla_engine.chain import LINKS
from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_server.commands.backup import backup, restore
from tavla_server.match.census import fork_all
from tavla_server.options import Options
from tavla_server.record.events import Forked
from tavla_server.store.client import connection_to

from tests.support.players.accounts import career
from tests.support.players.clients import clients
from tests.support.players.matches import a_turn, by_turn
from tests.support.players.plain import Player, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS, reveal, seated
from tests.support.servers.processes import NewServer, assert_no_fault, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past, check_journal, entries_of
from tests.support.stores.put_back import (
    GAP_MS,
    PLACES,
    RULES,
    amid_a_game,
    back,
    both_reveal,
    comes,
    forks_of,
    link,
    link_of,
    plays,
    put_back,
    resigns,
)


@pytest.mark.parametrize("place", PLACES)
async def test_the_dice_go_on_with_the_link_after_the_one_that_a_player_was_shown(valkey: Valkey, place: str) -> None:
    found = await put_back(valkey, place)
    match, before = found.match, len(entries_of(valkey.url, found.match))
    async with back(valkey, found) as pair:
        shown = await comes(pair[0], match, epoch=1, seq=before + 20, **found.seeds())
        assert (shown.epoch, shown.view["seed"], shown.view["seeds"]) == (2, link(valkey.url, match, 2), [*SEEDS])
        await comes(pair[1], match, **found.seeds(1))
        forked, *rest = entries_of(valkey.url, match)[before:]
        assert not rest, "it is known to both, and the seeds of both are revealed by one of them"
        assert isinstance(forked.events[0], Forked)
        for player in pair:
            await player.act(m.Ready, match)
            for one in pair:
                await one.reach(match, len(entries_of(valkey.url, match)))
        await plays(pair, match)
        record = check_journal(valkey.url, match)
    assert record.match.link == 3
    assert record.match.game == (2 if place == "between two games" else 1)


@pytest.mark.parametrize("number", [0, 1, 2, LINKS + 1])
async def test_what_is_no_newer_seed_of_the_server_changes_nothing(valkey: Valkey, number: int) -> None:
    found = await put_back(valkey, "between two games")
    seed = link(valkey.url, found.match, number) if number < 2 else "0c" * 32
    async with back(valkey, found) as (white, black):
        for player in (white, black):
            shown = await comes(player, found.match, epoch=1, seq=10**6, seed=seed, seeds=("0c" * 32, "0d" * 32))
            assert shown.epoch == 1
        assert refused(await black.ask(m.Attach, table=found.match, seed="x")) == "bad_message"
        assert forks_of(valkey.url, found.match) == []


async def test_who_watches_brings_nothing(valkey: Valkey) -> None:
    found = await put_back(valkey, "amid a game")
    async with back(valkey, found) as (white, _), Player(white.url) as eve:
        assert (await comes(eve, found.match, **found.seeds())).epoch == 1
        assert forks_of(valkey.url, found.match) == []


@pytest.mark.parametrize("place", PLACES)
async def test_behind_the_last_link_there_are_no_dice_and_the_match_is_void(valkey: Valkey, place: str) -> None:
    found = await put_back(valkey, place)
    async with back(valkey, found) as (white, black):
        shown = await comes(white, found.match, seed=link(valkey.url, found.match, LINKS), seeds=SEEDS)
        assert shown.view["phase"] == "over"
        assert shown.view.get("outcome", [None, 0, 0, "voided"]) == [None, 0, 0, "voided"]
        assert (await comes(black, found.match, **found.seeds(1))).view["phase"] == "over"
        assert len(forks_of(valkey.url, found.match)) == 1


async def test_of_two_who_were_shown_more_and_less_both_bring_what_they_have(valkey: Valkey) -> None:
    found = await put_back(valkey, "amid a game", black_sees=1)
    assert [link_of(view) for view in found.views] == [2, 1]
    async with back(valkey, found) as (white, black):
        assert (await comes(black, found.match, **found.seeds(1))).view["seed"] == link(valkey.url, found.match, 1)
        assert (await comes(white, found.match, **found.seeds(0))).epoch == 3
        await black.reach(found.match, white.matches[found.match].seq)
        await plays((white, black), found.match)
        assert check_journal(valkey.url, found.match).match.link == 3
        assert forks_of(valkey.url, found.match) == [link(valkey.url, found.match, number) for number in (1, 2)]


async def test_a_match_that_is_put_back_twice_burns_a_link_each_time(valkey: Valkey) -> None:
    found = await put_back(valkey, "amid a game")
    match = found.match
    async with back(valkey, found) as pair:
        await comes(pair[0], match, **found.seeds())
        await comes(pair[1], match)
        await plays(pair, match)
        await resigns(pair, match)
        seen = pair[0].matches[match].view
    assert link_of(seen) == 3
    found.past.bring_back()
    async with back(valkey, found) as pair:
        await comes(pair[1], match, **found.seeds(1))
        shown = await comes(pair[0], match, seed=seen.seed, seeds=seen.seeds)
        assert (shown.epoch, shown.view["game"]) == (3, 1)
        await pair[1].reach(match, shown.seq)
        await plays(pair, match)
        assert check_journal(valkey.url, match).match.link == 4


async def test_before_the_table_was_full_the_seed_is_kept_for_whoever_sits_down(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        opened = await white.get(m.Snapshot, m.Create, rules=RULES, side="white", commitment=COMMITMENTS[0])
        match, past = opened.match, Past(valkey.url, opened.match)
        joined = await black.get(m.Snapshot, m.Join, table=match, commitment=COMMITMENTS[1])
        await white.reach(match, joined.seq)
        await both_reveal((white, black), match)
        await resigns((white, black), match)
        seen, token = white.matches[match].view, white.token
    past.bring_back()
    async with inside(valkey.url) as url, Player(url, token=token) as white, Player(url) as eve:
        shown = await comes(white, match, seed=seen.seed, seeds=seen.seeds)
        assert (shown.epoch, shown.view.get("phase", "open"), shown.view["seed"]) == (2, "open", seen.seed)
        joined = await eve.get(m.Snapshot, m.Join, table=match, commitment=COMMITMENTS[1])
        await white.reach(match, joined.seq)
        await both_reveal((white, eve), match)
        await plays((white, eve), match)
        record = check_journal(valkey.url, match)
        assert (record.match.game, record.match.link) == (1, 2)


async def test_seeds_that_were_shown_for_other_terms_are_not_taken_for_those_of_a_seat_taken_anew(
    valkey: Valkey,
) -> None:
    async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
        opened = await white.get(m.Snapshot, m.Create, rules=RULES, side="white", commitment=COMMITMENTS[0])
        match, past = opened.match, Past(valkey.url, opened.match)
        await white.reach(match, (await black.get(m.Snapshot, m.Join, table=match, commitment=COMMITMENTS[1])).seq)
        await both_reveal((white, black), match)
        seen, token = white.matches[match].view, white.token
    past.bring_back()
    async with inside(valkey.url) as url, Player(url, token=token) as white, Player(url) as eve:
        anew = commitment(bytes.fromhex("0c" * 32))
        await comes(white, match)
        await eve.get(m.Snapshot, m.Join, table=match, commitment=anew)
        shown = await comes(white, match, seed=seen.seed, seeds=seen.seeds)
        assert (shown.view["phase"], shown.view.get("seeds", ["", ""])) == ("reveal", ["", ""])
        assert set(shown.view["unrevealed"]) == {0, 1}


async def test_an_action_of_another_epoch_is_stale_though_its_number_is_the_newest(own_valkey: Valkey) -> None:
    """A player has seen one change more than there is left: a fork has taken its place, and its number."""
    async with inside(own_valkey.url) as url, Player(url) as white, Player(url) as black:
        match = await seated(white, black, rules=RULES)
        await amid_a_game((white, black), match)
        past = Past(own_valkey.url, match)
        await plays((white, black), match, 1)
        before, tokens = white.matches[match].seq, (white.token, black.token)
    past.bring_back()
    async with connection_to(own_valkey.url) as redis:
        assert await fork_all(redis) == (1, 0)
    async with (
        inside(own_valkey.url) as url,
        Player(url, token=tokens[0]) as white,
        Player(url, token=tokens[1]) as black,
    ):
        for player in (white, black):
            shown = await comes(player, match)
            assert (shown.epoch, shown.seq) == (2, before)
            for old in (0, 1):
                assert refused(await player.act(m.Roll, match, epoch=old)) == "stale"
        mover, other = by_turn(white, black, match)
        assert refused(await other.act(m.Roll, match)) == "not_your_turn"
        await a_turn(mover, match, random.Random(match))


async def test_a_restore_makes_void_what_has_no_dice_yet_and_nobody_is_blamed(
    new_server: NewServer, tmp_path: Path
) -> None:
    """A library that reveals at once, and a player who does so when the backup is made: what both saw then is gone."""
    server = new_server()
    await asyncio.to_thread(server.start)
    async with clients(server.url, "ada") as (ada,), AsyncExitStack() as stack:
        bob, eve = [await stack.enter_async_context(Player(server.url)) for _ in range(2)]
        table = await ada.create(unique("t"), RULES, "white")
        joined = await bob.get(m.Snapshot, m.Join, table=table.id, commitment=COMMITMENTS[1])
        await bob.until(table.id, lambda view: view.unrevealed == (1,))
        left = await eve.get(m.Snapshot, m.Create, rules=RULES, side="white", commitment=COMMITMENTS[0])
        assert ada.me.gone is None
        made_ms = 1000 * time.time()
        await backup(Options(data=server.data), tmp_path / "backup.tar")
        shown = await reveal(bob, joined.match)
        met = await ada.join(left.match)
        await eve.until(left.match, lambda view: view.phase == "reveal" and len(view.unrevealed) == 1)
        await reveal(eve, left.match)
        late = await ada.create(unique("t"), RULES, "white")
        for match in (table, met):
            while not match.view.game:
                await match.next_change()
        await asyncio.to_thread(server.kill, store=True)
        has, _ = await restore(tmp_path / "backup.tar", tmp_path / "new")
        assert "of which 0 go on; void, since their dice had not begun: 2;" in has
        server.options[server.options.index(str(server.data))] = str(tmp_path / "new")
        server.data = tmp_path / "new"
        await asyncio.to_thread(server.start)
        for match in (table, met):
            while match.view.phase != "over":
                await match.next_change()
            assert (match.view.outcome, match.view.unrevealed) == ((None, 0, 0, "put_back"), ())
            assert (match.dice.fault, match.losses) == ("", 1), "it is told that something is lost, and no more"
        bob, eve = [await stack.enter_async_context(Player(server.url, token=one.token)) for one in (bob, eve)]
        seen = await comes(bob, table.id, epoch=1, seq=joined.seq + 2, seed=shown.seed, seeds=shown.seeds)
        assert (seen.epoch, seen.view["phase"], seen.view["outcome"]) == (2, "over", [None, 0, 0, "put_back"])
        assert (await comes(eve, left.match)).view["outcome"] == [None, 0, 0, "put_back"]
        with pytest.raises(Refused, match="the server was brought back from a backup, and matches"):
            await late.next_change()
        start, end = ada.me.gone or (0, 0)
        assert made_ms - GAP_MS < start <= end < time.time() * 1000
        assert table.id not in (await bob.get(m.Listing, m.List, what="tables")).rows
        assert (await career(bob, bob)).unrevealed[0] == 0
    assert_no_fault(server)
