"""Who is ignored comes to no table and no quick match of who ignores, and is not told so."""

from collections.abc import AsyncIterator

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.timings import Timings

from tests.support.players.challenges import challenged
from tests.support.players.plain import Player, guests, refused
from tests.support.servers.processes import Valkey, inside

RULES: dict[str, bool | int | str] = {"length": 1}
SEEK: dict[str, bool | int | str] = {"length": 1, "clock": "normal"}
TIMINGS = Timings(queue_poll_s=0.02, decline_delay_s=(0.2, 0.3))
Three = tuple[Player, Player, Player]


@pytest.fixture
async def three(own_valkey: Valkey) -> AsyncIterator[Three]:
    """Ada, who ignores bob, and cid; on two nodes."""
    async with (
        inside(own_valkey.url, TIMINGS) as here,
        inside(own_valkey.url, TIMINGS) as there,
        guests(here, 1) as (ada,),
        guests(there, 2) as (bob, cid),
    ):
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
        yield ada, bob, cid


async def test_a_table_of_who_ignores_is_as_one_whose_maker_is_away(three: Three) -> None:
    ada, bob, cid = three
    opened = await ada.get(m.Snapshot, m.Create, rules=RULES)
    answer = await bob.get(m.Error, m.Join, table=opened.match)
    assert (answer.code, answer.text) == (
        ErrorCode.NOT_ONLINE,
        f"{ada.name} is not at the table just now: try again in a moment",
    )
    assert isinstance(await cid.ask(m.Join, table=opened.match), m.Snapshot)


async def test_quick_match_pairs_nobody_with_whom_one_of_them_ignores(three: Three) -> None:
    ada, bob, cid = three
    for player in (ada, bob):
        assert isinstance(await player.ask(m.Seek, rules=SEEK), m.Ok)
    assert isinstance(await cid.ask(m.Seek, rules=SEEK), m.Ok)
    matched = await cid.next(m.Matched)
    await cid.next(m.Snapshot)
    first = {str(name) for name in cid.matches[matched.match].view.players}
    left, paired = (ada, bob) if bob.name in first else (bob, ada)
    assert first == {str(cid.name), str(paired.name)}
    await left.sync()
    assert not any(isinstance(one, m.Matched) for one in left.log), "who is left waits"


@pytest.mark.parametrize("maker", ["who ignores", "who is ignored"])
async def test_nobody_who_seeks_is_seated_at_such_a_table(three: Three, maker: str) -> None:
    ada, bob, cid = three
    sits, seeks = (ada, bob) if maker == "who ignores" else (bob, ada)
    opened = await sits.get(m.Snapshot, m.Create, rules=SEEK)
    assert isinstance(await seeks.ask(m.Seek, rules=SEEK), m.Ok)
    await seeks.ask(m.Unseek)
    assert isinstance(await cid.ask(m.Seek, rules=SEEK), m.Ok)
    assert (await cid.next(m.Matched)).match == opened.match
    assert not any(isinstance(one, m.Matched) for one in seeks.log)


async def test_a_challenge_to_who_ignores_is_like_any_other(three: Three) -> None:
    ada, bob, cid = three
    for to in (ada, cid):
        first = await bob.get(m.Challenged, m.Challenge, player=to.name, rules=RULES)
        again = await bob.get(m.Challenged, m.Challenge, player=to.name, rules=RULES)
        assert again.challenge == first.challenge, "asked again it is the same"
        assert isinstance(await bob.ask(m.Withdraw, challenge=first.challenge), m.Ok)
        told = await bob.find(lambda one: isinstance(one, m.Unchallenged))
        assert told == m.Unchallenged(challenge=first.challenge, why="withdrawn")
        assert refused(await bob.ask(m.Withdraw, challenge=first.challenge)) == ErrorCode.NO_SUCH_CHALLENGE
    assert not any(isinstance(one, m.Challenged) for one in ada.log)
    await challenged(cid, ada)
