"""Pairing in the queue: the script on a real store, with time passed in."""

import operator
import random
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_engine.rules import preset
from tavla_server.errors import Refused
from tavla_server.features.quick_match import match_queue
from tavla_server.features.quick_match.match_queue import (
    APART_S,
    HELD_BACK_S,
    IN_A_ROW,
    OPEN_S,
    POOLS_LIMIT,
    Pairing,
    Ticket,
)
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.patience import ask_until
from tests.support.servers.queue_nodes import OPEN_MS, Node, names, void
from tests.support.servers.valkey import Valkey

# --- who is paired with whom ---


async def test_two_who_want_the_same_are_paired_and_both_are_told_the_same(mine: Node, other: Node) -> None:
    first, second = mine.ticket("ada"), other.ticket("bob")
    assert await mine.queue.enqueue(first, mine.now_ms) is None
    pairing = await other.queue.enqueue(second, other.now_ms)
    assert pairing == Pairing(first.match, (first, second), (first.since_ms, second.since_ms))
    assert await mine.renew(first) == await other.renew(second) == [pairing]


async def test_who_has_copied_a_commitment_is_not_paired_with_whose_it_is(mine: Node) -> None:
    ada, bob = (replace(mine.ticket(name), commitment="0f" * 32) for name in ("ada", "bob"))
    assert [await mine.queue.enqueue(ticket, mine.now_ms) for ticket in (ada, bob)] == [None, None]
    pairing = await mine.queue.enqueue(replace(mine.ticket("eve"), commitment="0e" * 32), mine.now_ms)
    assert "eve" in names(pairing)


@pytest.mark.parametrize(
    ("gap", "waited_s", "paired", "why"),
    [
        (100, 0, True, "as near as at first"),
        (101, 0, False, "too far at first"),
        (101, 0.2, True, "the band has widened"),
        (-200, 10, True, "to both sides"),
        (201, 10, False, "not by so much"),
        (399, OPEN_S - 0.01, True, "just before the end"),
        (400.5, OPEN_S - 0.01, False, "just before the end"),
        (2000, OPEN_S, True, "in the end anyone will do"),
    ],
)
async def test_the_band_widens_for_the_one_who_waits(
    mine: Node, gap: float, waited_s: float, paired: bool, why: str
) -> None:
    await mine.enqueue("ada", 1500)
    mine.now_ms += round(1000 * waited_s)
    assert (await mine.enqueue("bob", 1500 + gap) is not None) == paired, why


async def test_a_renewal_pairs_those_whose_band_has_widened(mine: Node, other: Node) -> None:
    far, farther = mine.ticket("ada", 1500), other.ticket("bob", 1700)
    assert await mine.renew(far) == await other.renew(farther) == [None]
    mine.now_ms += 10_000
    [pairing] = await mine.renew(far)
    assert names(pairing) == ("ada", "bob")
    assert await other.renew(farther) == [pairing]


ORDERS: list[tuple[dict[str, tuple[int, float]], list[tuple[str, str]], str]] = [
    # player -> (waited in ms, rating), the pairs, why this row is here
    ({"ada": (300, 1500), "bob": (200, 1500), "cy": (100, 1500)}, [("ada", "bob")], "the longest waiting two of three"),
    (
        {"ada": (300, 1500), "bob": (200, 1590), "cy": (100, 1510)},
        [("ada", "cy")],
        "the nearest for who waited longest",
    ),
    ({"ada": (300, 1500), "bob": (200, 1420), "cy": (100, 1590)}, [("ada", "bob")], "the nearest may be below"),
    ({"ada": (300, 1000), "bob": (200, 1500), "cy": (100, 1500)}, [("bob", "cy")], "nobody fits the longest waiting"),
    (
        {"ada": (400, 1500), "bob": (300, 1540), "cy": (200, 1545), "dee": (100, 1490)},
        [("ada", "dee"), ("bob", "cy")],
        "two pairs at once",
    ),
    (
        {"ada": (OPEN_MS, 1000), "bob": (200, 1500), "cy": (100, 1510)},
        [("ada", "bob")],
        "who has waited long takes the nearest, though others would fit it better",
    ),
]


@pytest.mark.parametrize(("waiting", "pairs", "why"), ORDERS, ids=[why for *_, why in ORDERS])
async def test_the_longest_waiting_comes_first_and_gets_the_nearest(
    mine: Node, waiting: dict[str, tuple[int, float]], pairs: list[tuple[str, str]], why: str, rng: random.Random
) -> None:
    made = [mine.ticket(player, rating, "", waited) for player, (waited, rating) in waiting.items()]
    rng.shuffle(made)
    answers = await mine.renew(*made)
    found = {names(answer) for answer in answers if answer is not None}
    assert found == set(pairs), why
    assert sum(answer is not None for answer in answers) == 2 * len(pairs)


@pytest.mark.parametrize("times", range(IN_A_ROW + 1))
async def test_two_are_not_paired_three_times_in_a_row_while_others_wait(mine: Node, times: int) -> None:
    for _ in range(times):
        await pair_once(mine, "ada", "bob")
    await mine.enqueue("cy", 2500)
    assert await mine.enqueue("ada") is None
    assert (await mine.enqueue("bob") is not None) == (times < IN_A_ROW - 1)


async def test_two_may_be_paired_any_number_of_times_when_nobody_else_waits(mine: Node) -> None:
    for _ in range(2 * IN_A_ROW):
        await pair_once(mine, "ada", "bob")


async def test_after_other_opponents_in_between_the_count_starts_again(mine: Node) -> None:
    for one, two in (("ada", "bob"), ("ada", "bob"), ("ada", "cy"), ("bob", "cy")):
        await pair_once(mine, one, two)
    await mine.enqueue("dee", 2500)
    await pair_once(mine, "ada", "bob")


async def test_three_who_were_paired_too_often_do_not_wait_for_ever(mine: Node) -> None:
    for one, two in (("ada", "bob"), ("ada", "bob"), ("cy", "dee"), ("cy", "dee")):
        await pair_once(mine, one, two)
    waiting = [mine.ticket("ada", 1500, "", OPEN_MS), mine.ticket("bob", 1500), mine.ticket("cy", 9000)]
    assert sorted(names((await mine.renew(*waiting))[0])) == ["ada", "bob"]


async def pair_once(mine: Node, one: str, two: str) -> None:
    """Two begin to wait one after the other, are paired, and go to their match."""
    assert await mine.enqueue(one) is None
    assert names(await mine.enqueue(two)) == (one, two)
    for player in (one, two):
        await mine.redis.delete(keys.QUEUE_DUE(f"{mine.pool}-{player}"))


async def test_who_wants_other_rules_waits_apart(mine: Node) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"length": 5},
        {"variant": "nackgammon"},
        {"clock": "fast"},
        {"cube": False},
        {"rated": True},
        {"length": 0},
    ]
    pools = [match_queue.pool_of(preset("tournament", change)) for change in changes]
    assert len(set(pools)) == len(pools)
    assert match_queue.pool_of(preset("club")) != match_queue.pool_of(preset("money"))
    assert match_queue.pool_of(preset("tournament", {"clock": "normal"})) == match_queue.pool_of(
        preset("tournament", {"delay_s": 12, "reserve_s": 120})
    )


# --- one ticket, one match ---


async def test_who_is_paired_in_one_pool_waits_in_no_other(mine: Node) -> None:
    everywhere = [mine.ticket("ada", pool=str(number)) for number in range(3)]
    assert await mine.renew(*everywhere) == [None] * 3
    pairing = await mine.enqueue("bob", pool="1")
    assert names(pairing) == ("ada", "bob")
    for pool in ("0", "2"):
        assert await mine.enqueue("cy", pool=pool) is None
    assert await mine.renew(*everywhere) == ["gone", pairing, "gone"]


async def test_a_second_ticket_takes_the_place_of_the_first(mine: Node, other: Node) -> None:
    first, second = mine.ticket("ada", waited_ms=5000), other.ticket("ada")
    await mine.queue.enqueue(first, mine.now_ms)
    assert await other.queue.enqueue(second, other.now_ms) is None, "nobody is paired with themselves"
    assert await mine.renew(first) == ["gone"]
    pairing = await mine.enqueue("bob", 1500)
    assert pairing is not None
    assert pairing.tickets[0] == second
    assert pairing.since_ms[0] == first.since_ms, "and has its waiting time"


async def test_one_who_was_paired_is_told_so_until_that_is_dropped(mine: Node, other: Node) -> None:
    await mine.enqueue("ada")
    pairing = await mine.enqueue("bob")
    assert pairing is not None
    again = other.ticket("ada", pool="another")
    assert await other.queue.enqueue(again, other.now_ms) == pairing, "wherever and for whatever they wait"
    assert await other.renew() == []
    assert await other.queue.enqueue(again, other.now_ms, drop="another") == pairing
    assert await other.queue.enqueue(again, other.now_ms, drop=pairing.match) is None
    assert await other.renew(again) == [None]


async def test_a_withdrawn_ticket_is_not_paired(mine: Node) -> None:
    ticket = mine.ticket("ada")
    await mine.renew(ticket)
    assert await mine.queue.withdraw([ticket]) == [None]
    assert await mine.queue.withdraw([ticket]) == [None], "twice is as good as once"
    assert await mine.enqueue("bob") is None


async def test_a_ticket_that_was_paired_cannot_be_withdrawn(mine: Node) -> None:
    ticket = mine.ticket("ada")
    await mine.renew(ticket)
    pairing = await mine.enqueue("bob")
    assert pairing is not None
    assert await mine.queue.withdraw([ticket]) == [pairing]


async def test_the_ticket_of_a_newer_connection_stays_when_the_older_one_is_withdrawn(mine: Node) -> None:
    older, newer = mine.ticket("ada"), mine.ticket("ada")
    await mine.renew(older)
    await mine.queue.enqueue(newer, mine.now_ms)
    await mine.queue.withdraw([older])
    assert names(await mine.enqueue("bob")) == ("ada", "bob")


async def test_a_player_waits_in_a_limited_number_of_pools(mine: Node, other: Node) -> None:
    for number in range(POOLS_LIMIT):
        await mine.enqueue("ada", pool=str(number))
    with pytest.raises(Refused, match="kinds of match already"):
        await mine.enqueue("ada", pool="one too many")
    assert await mine.enqueue("ada", pool="0") is None, "again in the same pool is no more"
    await mine.dies()
    assert await other.enqueue("ada", pool="one too many") is None, "a dead mine's do not count"


# --- nodes that die, and a store that forgets ---


async def test_the_tickets_of_a_dead_node_are_never_paired(mine: Node, other: Node) -> None:
    await mine.renew(mine.ticket("ada"))
    await mine.dies()
    assert await other.enqueue("bob") is None
    assert names(await other.enqueue("cy")) == ("bob", "cy")


async def test_a_node_is_dead_when_it_has_not_been_heard_of_for_a_while(
    mine: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(match_queue._OPTIONS, "node_ms", 50)
    await mine.renew(mine.ticket("ada"))
    await ask_until(lambda: mine.redis.exists(keys.QUEUE_NODE(mine.queue.node)), operator.not_)
    assert await other.enqueue("bob") is None


async def test_a_node_that_was_thought_dead_puts_its_tickets_back(mine: Node, other: Node) -> None:
    ticket = mine.ticket("ada", waited_ms=5000)
    await mine.renew(ticket)
    await mine.dies()
    far = other.ticket("far", 2500)
    assert await other.renew(far) == [None], "and with that ada's ticket is thrown away"
    assert await mine.renew(ticket) == [None]
    pairing = await other.enqueue("bob")
    assert names(pairing) == ("ada", "bob")
    assert pairing is not None
    assert pairing.since_ms[0] == ticket.since_ms


async def test_a_store_that_has_forgotten_everything_learns_it_again(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        mine = Node(redis, "pool")
        waiting = [mine.ticket("ada", 1000), mine.ticket("bob", 2000)]
        assert await mine.renew(*waiting) == [None, None]
        await redis.flushall()
        assert await mine.renew(*waiting) == [None, None]
        assert names(await mine.enqueue("cy", 1990)) == ("bob", "cy")


async def test_a_call_whose_answer_was_lost_may_be_made_again(mine: Node) -> None:
    first, second = mine.ticket("ada"), mine.ticket("bob")
    assert [await mine.queue.enqueue(first, mine.now_ms) for _ in range(2)] == [None, None]
    answers = [await mine.queue.enqueue(second, mine.now_ms) for _ in range(2)]
    assert answers[0] is not None
    assert answers[0] == answers[1]


async def test_nothing_is_left_behind(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        mine = Node(redis, "pool")
        await mine.enqueue("ada")
        await mine.enqueue("bob")
        await mine.renew(lonely := mine.ticket("cy"))
        await mine.queue.withdraw([lonely])
        assert [key for key in await redis.keys() if await redis.pttl(key) < 0] == [], "what is left goes by itself"
        assert await redis.keys("*waiting*") == await redis.keys("*pools*") == []


# --- all of it at once ---


async def test_however_they_come_and_go_nobody_is_paired_twice_or_lost(
    mine: Node, other: Node, rng: random.Random
) -> None:
    """Players come and give up at random on two nodes; in the end at most one for each pool is left alone."""
    nodes, pools = [mine, other], ["a", "b", "c"]
    waiting: dict[str, tuple[Node, list[Ticket]]] = {}
    paired: dict[str, str] = {}

    def note(pairing: Pairing | str | None) -> None:
        if isinstance(pairing, Pairing):
            for ticket in pairing.tickets:
                assert paired.setdefault(ticket.player.name, pairing.match) == pairing.match, "paired twice"
                waiting.pop(ticket.player.name, None)

    async def arrive(name: str) -> None:
        at, rating = rng.choice(nodes), rng.gauss(1500, 150)
        waiting[name] = at, [at.ticket(name, rating, pool) for pool in rng.sample(pools, rng.randint(1, 3))]
        for ticket in waiting[name][1]:
            note(await at.queue.enqueue(ticket, at.now_ms))

    async def give_up(name: str) -> None:
        at, tickets = waiting.pop(name)
        for answer in await at.queue.withdraw(tickets):
            note(answer)

    async def leave_a_match_void(name: str) -> None:
        await void(rng.choice(nodes), name, rng.choice(list(waiting)))

    do: dict[str, Callable[[str], Any]] = {"arrive": arrive, "give_up": give_up, "void": leave_a_match_void}
    for number in range(300):
        what = rng.choices(["arrive", "give_up", "void"], [4, 1, 1])[0] if len(waiting) > 1 else "arrive"
        await do[what](f"p{number}" if what == "arrive" else rng.choice(list(waiting)))
        for at in nodes:
            at.now_ms += rng.randrange(100)
    for at in nodes:
        at.now_ms += OPEN_MS + round(1000 * max(APART_S, HELD_BACK_S[-1]))
        own = [ticket for where, tickets in list(waiting.values()) for ticket in tickets if where is at]
        for answer in await at.renew(*own):
            note(answer)
    assert len(waiting) <= len(pools), waiting
    assert all(list(paired.values()).count(match) == 2 for match in paired.values())
