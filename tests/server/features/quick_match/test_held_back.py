"""Players whom the queue holds back: after void matches, and those that were left."""

import msgspec
import pytest
from tavla_server.errors import HeldBack
from tavla_server.features.quick_match.match_queue import (
    APART_S,
    FADE_S,
    HELD_BACK_S,
    Pairing,
    Void,
)
from tavla_server.store import keys

from tests.support.servers.queue_nodes import OPEN_MS, Node, names, void


async def test_each_void_match_holds_a_player_back_for_longer_until_it_fades(node: Node) -> None:
    for number, wait_s in enumerate((*HELD_BACK_S, HELD_BACK_S[-1]), 1):
        await void(node, "bob", f"victim {number}", f"{node.pool}-{number}")
        await void(node, "bob", f"victim {number}", f"{node.pool}-{number}")  # once more, by another node
        with pytest.raises(HeldBack) as held:
            await node.enqueue("bob")
        assert (held.value.wait_s, held.value.voids) == (wait_s, number)
        both = [f"{node.pool}-bob", f"{node.pool}-victim {number}"]
        assert await node.queue.held_back(both, node.now_ms) == {both[0]}, "in tournaments, too"
        assert await node.queue.held_back(both, node.now_ms + round(1000 * wait_s)) == set()
        node.now_ms += 1000
        with pytest.raises(HeldBack) as held:
            await node.enqueue("bob")
        assert held.value.wait_s == wait_s - 1
    node.now_ms += 1000 * round(HELD_BACK_S[-1])
    ticket = node.ticket("bob")
    assert await node.queue.enqueue(ticket, node.now_ms) is None
    await node.queue.withdraw([ticket])
    node.now_ms += round(1000 * FADE_S)
    await void(node, "bob", "another victim")
    with pytest.raises(HeldBack) as held:
        await node.enqueue("bob")
    assert (held.value.wait_s, held.value.voids) == (HELD_BACK_S[0], 1), "it has been so long"


async def test_of_the_matches_that_a_player_has_left_the_first_costs_nothing(node: Node) -> None:
    ids = f"{node.pool}-bob", f"{node.pool}-ada"
    for number, wait_s in enumerate((0, *HELD_BACK_S[:2]), 1):
        for _ in range(2):  # once more, by another node
            await node.queue.hold_back(Void(f"{node.pool}-{number}", ids, ids[:1], node.now_ms, left=True))
        if not wait_s:
            ticket = node.ticket("bob")
            assert await node.queue.enqueue(ticket, node.now_ms) is None
            await node.queue.withdraw([ticket])
            continue
        with pytest.raises(HeldBack) as held:
            await node.enqueue("bob")
        assert (held.value.wait_s, held.value.voids, held.value.left) == (wait_s, 0, number)
    await void(node, "bob", "another victim")
    with pytest.raises(HeldBack) as held:
        await node.enqueue("bob")
    assert (held.value.wait_s, held.value.voids, held.value.left) == (HELD_BACK_S[2], 1, 3), "both kinds"


async def test_a_player_who_is_held_back_while_waiting_is_paired_later_and_not_lost(node: Node) -> None:
    bob = node.ticket("bob")
    assert await node.renew(bob) == [None]
    await void(node, "bob", "eve")
    ada = node.ticket("ada")
    assert await node.renew(bob, ada) == [None, None]
    assert await node.queue.enqueue(node.ticket("bob"), node.now_ms, again=True) is None, "and waits on if asked again"
    node.now_ms += round(1000 * HELD_BACK_S[0])
    assert {*names((await node.renew(ada))[0])} == {"ada", "bob"}


async def test_the_two_of_a_void_match_are_not_paired_for_a_while(node: Node, other: Node) -> None:
    await void(node, "bob", "ada")
    node.now_ms += round(1000 * APART_S) - 1  # long after the wait
    ada, bob = node.ticket("ada", waited_ms=OPEN_MS), node.ticket("bob", waited_ms=OPEN_MS)
    other.now_ms = node.now_ms
    assert await node.renew(ada, bob) == [None, None], "though anyone would do by now"
    wanting = msgspec.structs.replace(node.ticket("bob"), wants=ada.id)
    assert await node.queue.enqueue(wanting, node.now_ms) is None, "nor if one asks for the other"
    assert names(await other.enqueue("cy")) == ("ada", "cy")
    await node.redis.delete(keys.QUEUE_DUE(ada.player.id))
    node.now_ms += 1
    assert names(await node.enqueue("ada")) == ("bob", "ada")


async def test_the_victim_has_its_place_in_the_queue_again_and_the_other_has_not(node: Node) -> None:
    ada, bob = node.ticket("ada", waited_ms=20_000), node.ticket("bob", waited_ms=15_000)
    pairing = (await node.renew(ada, bob))[0]
    assert isinstance(pairing, Pairing)
    await node.queue.acknowledge([ada, bob])
    node.now_ms += 40_000
    await void(node, "bob", "ada", pairing.match)
    node.now_ms += round(1000 * HELD_BACK_S[0])
    for ticket in (node.ticket("ada"), node.ticket("bob")):
        assert await node.queue.enqueue(ticket, node.now_ms) is None
    pool = keys.QUEUE_WAITING(node.pool)
    assert await node.redis.zscore(pool, ada.player.id) == ada.since_ms
    assert await node.redis.zscore(pool, bob.player.id) == node.now_ms
    elsewhere = node.ticket("ada", pool="another")
    await node.queue.enqueue(elsewhere, node.now_ms)
    assert await node.redis.zscore(keys.QUEUE_WAITING(elsewhere.pool), ada.player.id) == node.now_ms, "for other rules"


@pytest.mark.parametrize("late", ["maker", "seeker", "both apart"])
async def test_an_open_table_is_not_where_the_two_meet_nor_where_a_late_one_sits(node: Node, late: str) -> None:
    seeker = node.ticket("seeker")
    assert await node.renew(seeker) == [None]
    maker = f"{node.pool}-maker"
    if late == "both apart":
        await void(node, "maker", "seeker")
        node.now_ms += round(1000 * HELD_BACK_S[0])
    else:
        await void(node, late, "somebody else")
    assert await node.queue.leave_for_table(seeker, "m", maker, node.now_ms) == "apart"
    assert await node.renew(seeker) == [None], "and it waits on"
    node.now_ms += round(1000 * APART_S)
    pairing = await node.queue.leave_for_table(seeker, "m", maker, node.now_ms)
    assert isinstance(pairing, Pairing)
    assert pairing.match == "m"
