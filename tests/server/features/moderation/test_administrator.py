"""Commands that an operator can use, and is refused: `tavla-server admin` without the command line."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_server.commands.administrator import Administrator, administrator
from tavla_server.errors import Refused
from tavla_server.features.moderation.rulings import Rulings
from tavla_server.features.quick_match import seekers
from tavla_server.features.sanctions.orders import Drain, Order, Rule, Tell
from tavla_server.options import Options
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import career, registered, until_played
from tests.support.players.lobby import until_listed
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, guests
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}


async def test_the_only_node_is_not_drained(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url), administrator(Options(redis=own_valkey.url)) as operator:
        (line,) = (await operator.overview.listing("nodes")).lines(as_json=False)
        node = line.split()[0]
        with pytest.raises(Refused, match=f"^{node} is the only node: start another one, to which clients can go$"):
            await operator.drain(node, "a new disk")
        with pytest.raises(Refused, match="there is no node nosuch"):
            await operator.drain("nosuch", "a new disk")
        assert await operator.overview.audit(10) == [], "what is refused is no use of a power"


async def test_an_order_that_cannot_be_carried_out_keeps_no_other_from_it(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other node has died since the operator asked, the match has gone, a newer node has written another row."""
    with capture_logs() as lines:
        async with (
            inside(own_valkey.url) as url,
            administrator(Options(redis=own_valkey.url)) as operator,
            connection_to(own_valkey.url) as redis,
            Player(url) as ada,
        ):
            node = next(iter((await operator.overview.listing("nodes")).rows))
            orders: list[Order] = [Drain(node), Rule("nosuch", "void", "operator", "r"), Tell((), "hello")]
            for carry_out in (Rulings.carry_out, None):  # the second is a fault of ours
                monkeypatch.setattr(Rulings, "carry_out", carry_out)
                for order in orders:
                    await operator.powers.order(operator.by, "test", "", "", order)
                assert (await ada.next(m.Notice)).text == "hello"
            await redis.hset(keys.LOBBY_ROWS("moderation"), "ban newer", b"1 \xc1")
            async with inside(own_valkey.url):
                pass
    events = [line["event"] for line in lines]
    assert {"not_drained", "moderation_not_understood"} <= {*events}
    assert events.count("order_failed") == 2


class Merging:
    """An operator who takes one player for another one."""

    def __init__(self, operator: Administrator, old: Player, into: Player) -> None:
        self._operator, self._old, self._into = operator, old, into

    async def is_refused(self, why: str) -> bool:
        """Either way round."""
        for one, other in ((self._old, self._into), (self._into, self._old)):
            with pytest.raises(Refused, match=why):
                await self._operator.merge(str(one.name), str(other.name), "the same person")
        return True


@contextlib.asynccontextmanager
async def seeking(player: Player) -> AsyncIterator[None]:
    """A player looks for an opponent, and all know it."""
    assert isinstance(await player.ask(m.Seek, rules=RATED), m.Ok)
    async with asyncio.timeout(PATIENCE_S):
        while not (isinstance(found := await player.ask(m.List, what="seekers"), m.Listing) and found.rows):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
    yield
    assert isinstance(await player.ask(m.Unseek), m.Ok)


async def test_who_is_at_something_or_has_played_the_other_is_not_merged(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seekers, "SHOWN_MS", 0)
    async with (
        inside(own_valkey.url) as url,
        administrator(Options(redis=own_valkey.url)) as operator,
        guests(url, 3) as (old, ada, guest),
    ):
        merging = Merging(operator, await registered(old), await registered(ada))
        with pytest.raises(Refused, match="has no account"):
            await operator.merge(str(old.name), str(guest.name), "the same person")
        with pytest.raises(Refused, match="there is no player called nosuch"):
            await operator.merge("nosuch", str(ada.name), "the same person")
        table = await old.get(m.Snapshot, m.Create, rules=RATED)
        await until_listed(ada, table.match, "tables")
        assert await merging.is_refused(f"{old.name} sits at match {table.match}")
        await old.ask(m.Cancel, match=table.match)
        await until_listed(ada, table.match, None)
        async with seeking(ada):
            assert await merging.is_refused(f"{ada.name} looks for an opponent")
        match = await new_match(old, ada, RATED)
        await until_listed(guest, match, "matches")
        assert await merging.is_refused(f"sits at match {match}")
        await ada.act(m.Forfeit, match)
        await until_played(guest, old, 1)
        await until_played(guest, ada, 1)
        await until_listed(guest, match, None)
        assert await merging.is_refused(f"rated matches with each other: void {match} first")
        assert await operator.overview.audit(10) == [], "what is refused is no use of a power"
        await operator.rule(match, "void", "against oneself")
        async with asyncio.timeout(PATIENCE_S):
            while [player for player in (old, ada) if (await career(guest, player)).experience]:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        assert await operator.merge(str(old.name), str(ada.name), "the same") == f"{old.name} is {ada.name} now"
        assert (
            await operator.merge(str(guest.name), str(old.name), "so is a guest") == f"{guest.name} is {ada.name} now"
        )
