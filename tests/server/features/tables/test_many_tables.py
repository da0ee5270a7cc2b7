"""Tables of one player, address or network: so many are opened, and so many are listed."""

import asyncio
import contextlib
import secrets

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.limits import Limits, Quota

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@pytest.mark.parametrize("limits", [Limits(tables_by_player=Quota(2, 3600)), Limits(tables_by_address=Quota(2, 3600))])
async def test_so_many_tables_are_opened_in_an_hour_and_no_more(valkey: Valkey, limits: Limits) -> None:
    home, club = ({"X-Forwarded-For": f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.9"} for _ in range(2))
    async with (
        inside(valkey.url, limits=limits, behind_proxy=True) as url,
        Player(url, headers=home) as flooder,
        Player(url, headers=club) as other,
    ):
        for _ in range(2):
            opened = await flooder.get(m.Snapshot, m.Create, name=unique("t"))
            assert isinstance(await flooder.ask(m.Cancel, match=opened.match), m.Ok)
        answer = await flooder.ask(m.Create, name=unique("t"))
        assert refused(answer) == ErrorCode.TOO_MANY
        assert isinstance(answer, m.Error)
        assert answer.retry_after > 60
        assert isinstance(await other.ask(m.Create, name=unique("t")), m.Snapshot)


async def test_a_network_has_a_part_of_the_list_of_tables(own_valkey: Valkey) -> None:
    most = 3
    limits = Limits(open_tables_by_network=most)
    async with (
        inside(own_valkey.url, limits=limits, behind_proxy=True) as here,
        inside(own_valkey.url, limits=limits, behind_proxy=True) as there,
        contextlib.AsyncExitStack() as stack,
    ):

        async def guest(url: str, address: str) -> Player:
            return await stack.enter_async_context(Player(url, headers={"X-Forwarded-For": address}))

        hostile = [await guest(here if number % 2 else there, f"2001:db8:0:{number:x}::1") for number in range(8)]
        other = await guest(here, "192.0.2.1")
        answers = await asyncio.gather(*(one.ask(m.Create) for one in hostile))
        opened = [answer.match for answer in answers if isinstance(answer, m.Snapshot)]
        assert len(opened) == most, "of all its addresses, nodes and guests"
        refusals = [answer for answer in answers if isinstance(answer, m.Error)]
        assert {refused(answer) for answer in refusals} == {ErrorCode.TOO_MANY}
        one = next(player for player, answer in zip(hostile, answers, strict=True) if isinstance(answer, m.Snapshot))
        assert isinstance(await one.ask(m.Create, private=True), m.Snapshot), "which is in no list"
        assert isinstance(await other.ask(m.Create), m.Snapshot)
        assert isinstance(await one.ask(m.Cancel, match=one_of(one, opened)), m.Ok)
        assert isinstance(await other.ask(m.Join, table=next(m_ for m_ in opened if m_ not in one.matches)), m.Snapshot)
        made = 0
        async with asyncio.timeout(PATIENCE_S):
            while made < 2:
                made += isinstance(await one.ask(m.Create), m.Snapshot)
        assert refused(await one.ask(m.Create)) == ErrorCode.TOO_MANY


def one_of(player: Player, matches: list[str]) -> str:
    """A match of some that a player sits at."""
    return next(match for match in matches if match in player.matches)
