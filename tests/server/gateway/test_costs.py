"""Costs of requests: what one network asks for is not taken from others."""

import asyncio
import contextlib

import pytest
from tavla_protocol import messages as m
from tavla_server.gateway import costs
from tavla_server.gateway.costs import Costs
from tavla_server.limits import Limits
from tavla_server.token_bucket import Rate, Rates

from tests.support.patience import PATIENCE_S
from tests.support.players.lobby import Watch
from tests.support.players.plain import Player
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey

NOTHING = 1e-6  # of an allowance that comes back while a test runs
NAMES = ("cost-player", "cost-address", "cost-network")
HERE = [f"2001:db8:0:{number:x}::1" for number in range(4)]  # four addresses of one network of 56 bits
ELSEWHERE = "2001:db8:0:100::1"


def scarce(name: str, burst: float) -> Limits:
    """Limits with one of the three allowances scarce, and the others plenty."""
    rates = {known: Rate(NOTHING, 1e6, known) for known in NAMES}
    rates[name] = Rate(NOTHING, burst, name)
    player, address, network = rates.values()
    return Limits(player_cost=player, address_cost=address, network_cost=network)


@pytest.mark.parametrize("name", NAMES)
def test_each_of_three_pays_and_the_longest_wait_holds(name: str) -> None:
    counted = Costs(Rates(now=lambda: 0.0), scarce(name, 10.0))
    assert [counted.charge(5.0, "address", "network", "player") for _ in range(2)] == [0.0, 0.0]
    wait_s = counted.charge(5.0, "address", "network", "player")
    assert wait_s == pytest.approx(5.0 / NOTHING)
    assert counted.charge(5.0, "address", "network", "player") == pytest.approx(2 * wait_s), "it adds up"
    assert counted.charge(5.0, "another", "one", "there") == 0.0
    assert counted.charge(5.0, "", "", "") == 0.0, "this machine before hello"


async def test_a_network_waits_for_what_it_asks_and_others_do_not(valkey: Valkey) -> None:
    most = 200
    few, answered = scarce("cost-network", most * costs.A_LIST), dict.fromkeys(HERE, 0)

    async def ask_on(guest: Player, address: str) -> None:
        while True:
            await guest.ask(m.List)
            answered[address] += 1

    async with (
        inside(valkey.url, limits=few, behind_proxy=True) as url,
        Player(url, headers={"X-Forwarded-For": ELSEWHERE}) as other,
        contextlib.AsyncExitStack() as stack,
    ):
        guests = {one: await stack.enter_async_context(Player(url, headers={"X-Forwarded-For": one})) for one in HERE}
        asked = [asyncio.create_task(ask_on(guest, address)) for address, guest in guests.items()]
        async with asyncio.timeout(PATIENCE_S):
            before = -1
            while before <= most / 2 or before != sum(answered.values()):  # a busy machine may begin late
                before = sum(answered.values())
                for _ in range(30):
                    assert isinstance(await other.ask(m.Ping), m.Ok)
        assert most / 2 < before <= most, "then they wait for an allowance that does not come back"
        for path in ("/", "/dice.json", "/t/nowhere.mat", "/healthz", "/none"):
            assert (await asyncio.to_thread(page, url, path, {"X-Forwarded-For": HERE[0]}))[0] == 429
            assert (await asyncio.to_thread(page, url, path, {"X-Forwarded-For": ELSEWHERE}))[0] != 429
        people, gone = Watch(other), guests[HERE[0]]
        await people.follow("people")
        await gone.close()
        await people.until("people", lambda rows: gone.name not in rows)  # nobody stays until the debt is paid
        for task in asked:
            task.cancel()
