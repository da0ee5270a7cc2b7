"""Players whom the queue holds back: after void matches, and those that were left."""

import re

import msgspec
import pytest
from tavla_server.errors import Refused
from tavla_server.features.quick_match.match_queue import (
    APART_S,
    FADE_S,
    HELD_BACK_S,
    Pairing,
    Void,
)
from tavla_server.store import keys

from tests.support.servers.queue_nodes import OPEN_MS, Node, names, void


def reasons(refused: Refused) -> tuple[int, int]:
    """The numbers of void matches, and of those that were left, for which a player is held back."""
    text = str(refused).replace("a match was void", "1 matches were void")
    void, left = (re.search(words, text) for words in (r"(\d+) matches were void", r"have left (\d+) matches"))
    return int(void[1]) if void else 0, int(left[1]) if left else 0


async def test_each_void_match_holds_a_player_back_for_longer_until_it_fades(mine: Node) -> None:
    for number, wait_s in enumerate((*HELD_BACK_S, HELD_BACK_S[-1]), 1):
        await void(mine, "bob", f"victim {number}", f"{mine.pool}-{number}")
        await void(mine, "bob", f"victim {number}", f"{mine.pool}-{number}")  # once more, by another node
        with pytest.raises(Refused) as held:
            await mine.enqueue("bob")
        assert (held.value.retry_after, reasons(held.value)) == (wait_s, (number, 0))
        both = [f"{mine.pool}-bob", f"{mine.pool}-victim {number}"]
        assert await mine.queue.held_back(both, mine.now_ms) == {both[0]}, "in tournaments, too"
        assert await mine.queue.held_back(both, mine.now_ms + round(1000 * wait_s)) == set()
        mine.now_ms += 1000
        with pytest.raises(Refused) as held:
            await mine.enqueue("bob")
        assert held.value.retry_after == wait_s - 1
    mine.now_ms += 1000 * round(HELD_BACK_S[-1])
    ticket = mine.ticket("bob")
    assert await mine.queue.enqueue(ticket, mine.now_ms) is None
    await mine.queue.withdraw([ticket])
    mine.now_ms += round(1000 * FADE_S)
    await void(mine, "bob", "another victim")
    with pytest.raises(Refused) as held:
        await mine.enqueue("bob")
    assert (held.value.retry_after, reasons(held.value)) == (HELD_BACK_S[0], (1, 0)), "it has been so long"


async def test_of_the_matches_that_a_player_has_left_the_first_costs_nothing(mine: Node) -> None:
    ids = f"{mine.pool}-bob", f"{mine.pool}-ada"
    for number, wait_s in enumerate((0, *HELD_BACK_S[:2]), 1):
        for _ in range(2):  # once more, by another node
            await mine.queue.hold_back(Void(f"{mine.pool}-{number}", ids, ids[:1], mine.now_ms, left=True))
        if not wait_s:
            ticket = mine.ticket("bob")
            assert await mine.queue.enqueue(ticket, mine.now_ms) is None
            await mine.queue.withdraw([ticket])
            continue
        with pytest.raises(Refused) as held:
            await mine.enqueue("bob")
        assert (held.value.retry_after, reasons(held.value)) == (wait_s, (0, number))
    await void(mine, "bob", "another victim")
    with pytest.raises(Refused) as held:
        await mine.enqueue("bob")
    assert (held.value.retry_after, reasons(held.value)) == (HELD_BACK_S[2], (1, 3)), "both kinds"


async def test_a_player_who_is_held_back_while_waiting_is_paired_later_and_not_lost(mine: Node) -> None:
    bob = mine.ticket("bob")
    assert await mine.renew(bob) == [None]
    await void(mine, "bob", "eve")
    ada = mine.ticket("ada")
    assert await mine.renew(bob, ada) == [None, None]
    assert await mine.queue.enqueue(mine.ticket("bob"), mine.now_ms, again=True) is None, "and waits on if asked again"
    mine.now_ms += round(1000 * HELD_BACK_S[0])
    assert {*names((await mine.renew(ada))[0])} == {"ada", "bob"}


async def test_the_two_of_a_void_match_are_not_paired_for_a_while(mine: Node, other: Node) -> None:
    await void(mine, "bob", "ada")
    mine.now_ms += round(1000 * APART_S) - 1  # long after the wait
    ada, bob = mine.ticket("ada", waited_ms=OPEN_MS), mine.ticket("bob", waited_ms=OPEN_MS)
    other.now_ms = mine.now_ms
    assert await mine.renew(ada, bob) == [None, None], "though anyone would do by now"
    wanting = msgspec.structs.replace(mine.ticket("bob"), wants=ada.id)
    assert await mine.queue.enqueue(wanting, mine.now_ms) is None, "nor if one asks for the other"
    assert names(await other.enqueue("cy")) == ("ada", "cy")
    await mine.redis.delete(keys.QUEUE_DUE(ada.player.id))
    mine.now_ms += 1
    assert names(await mine.enqueue("ada")) == ("bob", "ada")


async def test_the_victim_has_its_place_in_the_queue_again_and_the_other_has_not(mine: Node) -> None:
    ada, bob = mine.ticket("ada", waited_ms=20_000), mine.ticket("bob", waited_ms=15_000)
    pairing = (await mine.renew(ada, bob))[0]
    assert isinstance(pairing, Pairing)
    await mine.queue.acknowledge([ada, bob])
    mine.now_ms += 40_000
    await void(mine, "bob", "ada", pairing.match)
    mine.now_ms += round(1000 * HELD_BACK_S[0])
    for ticket in (mine.ticket("ada"), mine.ticket("bob")):
        assert await mine.queue.enqueue(ticket, mine.now_ms) is None
    pool = keys.QUEUE_WAITING(mine.pool)
    assert await mine.redis.zscore(pool, ada.player.id) == ada.since_ms
    assert await mine.redis.zscore(pool, bob.player.id) == mine.now_ms
    elsewhere = mine.ticket("ada", pool="another")
    await mine.queue.enqueue(elsewhere, mine.now_ms)
    assert await mine.redis.zscore(keys.QUEUE_WAITING(elsewhere.pool), ada.player.id) == mine.now_ms, "for other rules"


@pytest.mark.parametrize("late", ["maker", "seeker", "both apart"])
async def test_an_open_table_is_not_where_the_two_meet_nor_where_a_late_one_sits(mine: Node, late: str) -> None:
    seeker = mine.ticket("seeker")
    assert await mine.renew(seeker) == [None]
    maker = f"{mine.pool}-maker"
    if late == "both apart":
        await void(mine, "maker", "seeker")
        mine.now_ms += round(1000 * HELD_BACK_S[0])
    else:
        await void(mine, late, "somebody else")
    assert await mine.queue.leave_for_table(seeker, "m", maker, mine.now_ms) == "apart"
    assert await mine.renew(seeker) == [None], "and it waits on"
    mine.now_ms += round(1000 * APART_S)
    pairing = await mine.queue.leave_for_table(seeker, "m", maker, mine.now_ms)
    assert isinstance(pairing, Pairing)
    assert pairing.match == "m"
