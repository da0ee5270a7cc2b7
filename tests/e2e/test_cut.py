"""A connection that is cut in the middle of a turn: the client is back soon, and the opponent hardly notices."""

import random

from tavla_client import Client, Match
from tavla_protocol import messages as m

from tests.support.players.plain import Player, unique, within
from tests.support.players.turns import plays_of
from tests.support.servers.processes import ServerProcess
from tests.support.stores.journals import check_journal
from tests.support.wire.proxy import Proxy

RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 1}


async def start(client: Client, player: Player) -> Match:
    """A match between the two."""
    match = await client.create(unique("t"), RULES)
    await player.ask(m.Join, table=match.id)
    while match.view.phase in ("open", "reveal") or match.online != (True, True):
        await within(match.next_change())
    await player.sync()
    return match


async def to_our_turn(match: Match, player: Player, rng: random.Random) -> None:
    """Until the client has dice to play."""
    while not match.to_act or match.view.phase != "move":
        if match.to_act:
            await within(match.roll())
        elif player.matches[match.id].seq < match.seq:
            await player.reach(match.id, match.seq)
        else:
            await player.take_turn(match.id, rng)
            while match.seq < player.matches[match.id].seq:
                await within(match.next_change())


async def test_a_cut_connection_is_back_and_the_opponent_saw_only_a_short_notice(
    server: ServerProcess, rng: random.Random
) -> None:
    async with (
        Proxy.to_port(server.port) as proxy,
        Client(f"ws://127.0.0.1:{proxy.port}", name=unique("p")) as client,
        Player(server.url) as other,
    ):
        match = await start(client, other)
        seen = other.matches[match.id]
        for _ in range(3):
            await to_our_turn(match, other, rng)
            await other.reach(match.id, match.seq)
            other.inbox.clear()
            before = match.view
            proxy.reset()
            gone = await other.next(m.Presence)
            back = await other.next(m.Presence)
            assert (gone.seat, gone.online, back.seat, back.online) == (match.seat, False, match.seat, True)
            assert match.view == seen.view == before
            assert await other.sync() == [], "nothing but the notice"
            await within(match.move(rng.choice(plays_of(match.view))))
            assert (await other.reach(match.id, match.seq)) == match.view
        check_journal(server.store_url, match.id, seen.views)


async def test_an_action_whose_answer_was_cut_off_acts_once(server: ServerProcess, rng: random.Random) -> None:
    async with (
        Proxy.to_port(server.port) as proxy,
        Client(f"ws://127.0.0.1:{proxy.port}", name=unique("p")) as client,
        Player(server.url) as other,
    ):
        match = await start(client, other)
        for cut in (0, 1, 20):
            await to_our_turn(match, other, rng)
            if match.view.phase == "over":
                break
            seq = match.seq
            proxy.down_left = cut  # the move arrives, its answer does not, or not as a whole
            await within(match.move(rng.choice(plays_of(match.view))))
            assert match.seq == seq + 1
            assert await other.reach(match.id, match.seq) == match.view
        check_journal(server.store_url, match.id, other.matches[match.id].views)
