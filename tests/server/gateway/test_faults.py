"""A fault of ours, a token that is gone, a store that is away: one connection learns of it, and the others go on."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_engine import actions
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.errors import StoreUnavailable
from tavla_server.features.accounts.accounts import Tokens
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket
from tavla_server.features.tables.table_names import TableNames
from tavla_server.gateway.http import Http
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings
from websockets.exceptions import ConnectionClosed

from tests.support.players.matches import at_match
from tests.support.players.plain import Player, refused, within
from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey

Wanted = dict[str, bool | int | str]


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("a fault")


async def test_a_fault_of_ours_in_a_request_over_http_is_answered(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Http, "answer", broken)
    with capture_logs() as lines:
        status, text = await asyncio.to_thread(page, node, "/healthz")
    assert (status, text) == (500, "a fault of this server: its log says more\n")
    assert "request_failed" in [line["event"] for line in lines]


@pytest.mark.parametrize(
    ("part", "method", "asked", "fields"),
    [
        (actions, "SetAuto", m.Auto, {"seq": 0, "what": "play", "on": True}),
        (TableNames, "find", m.Join, {"table": "somewhere"}),
    ],
    ids=["in an action", "in a request"],
)
async def test_a_fault_of_ours_costs_one_connection(
    node: str,
    monkeypatch: pytest.MonkeyPatch,
    part: object,
    method: str,
    asked: type[m.RequestBase],
    fields: dict[str, Any],
) -> None:
    async with at_match(node) as (white, black, match):
        wanted = fields | ({"match": match} if asked is m.Auto else {})
        with monkeypatch.context() as patch, capture_logs() as lines:
            patch.setattr(part, method, broken)
            await white.send(asked, **wanted)
            with pytest.raises(ConnectionClosed):
                await within(white.find(lambda _: False))
        assert white.socket.close_code == CloseCode.INTERNAL_ERROR
        assert [line["name"] for line in lines if line["event"] == "request_failed"] == [white.name]
        assert isinstance(await black.act(m.Auto, match, what="play", on=True), m.Ok)


@pytest.mark.parametrize("key", [keys.PLAYER_TOKENS, keys.NAME], ids=["token", "name"])
async def test_who_comes_with_a_new_token_that_is_gone_is_told_so(node: str, redis: Client, key: keys.Key) -> None:
    async with Player(node) as ada:
        if key is keys.NAME:
            await redis.set(key(str(ada.name).lower()), "another")
        else:
            await redis.delete(key(ada.id))
        assert refused(await ada.ask(m.List)) == ErrorCode.BAD_TOKEN


async def test_who_is_forgotten_sits_down_nowhere(node: str, redis: Client) -> None:
    async with Player(node) as ada:
        await ada.sync()
        await redis.delete(keys.PLAYER(ada.id))
        assert refused(await ada.ask(m.Create)) == ErrorCode.BAD_TOKEN


async def test_tokens_that_cannot_be_renewed_are_renewed_later(
    monkeypatch: pytest.MonkeyPatch, valkey: Valkey, redis: Client
) -> None:
    renew, failures = Tokens.renew, iter(range(1))

    async def fail(self: Tokens, held: list[object]) -> list[bool]:
        if next(failures, None) is not None:
            raise StoreUnavailable("away")
        return await renew(self, held)  # type: ignore[arg-type]

    monkeypatch.setattr(Tokens, "renew", fail)
    with capture_logs() as lines:
        async with inside(valkey.url, Timings(token_renewal_s=0.05)) as url, Player(url) as ada:
            await ada.sync()
            while "tokens" not in [line.get("sweep") for line in lines]:
                await ada.sync()
            await redis.delete(keys.PLAYER_TOKENS(ada.id))
            with pytest.raises(ConnectionClosed):
                await within(ada.find(lambda _: False))
    assert ada.socket.close_code == CloseCode.LOGGED_OUT


async def test_a_fault_in_matchmaking_does_not_end_it(
    node: str, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew, failures = MatchQueue.renew, iter(range(1))

    async def fail(self: MatchQueue, *args: object) -> list[object]:
        if next(failures, None) is not None:
            raise RuntimeError("a fault")
        return await renew(self, *args)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(MatchQueue, "renew", fail)
    async with Player(node) as ada, Player(node) as bob:
        with capture_logs() as lines:
            await ada.ask(m.Seek, rules=rules)
            while not any(line["event"] == "matchmaking_failed" for line in lines):
                await ada.sync()
        await bob.ask(m.Seek, rules=rules)
        assert (await ada.next(m.Matched)).match == (await bob.next(m.Matched)).match


async def test_who_is_told_that_nothing_is_sought_is_not_matched(
    node: str, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueue, failures = MatchQueue.enqueue, iter(range(1))

    async def fail(self: MatchQueue, ticket: Ticket, now_ms: int, drop: str = "") -> Pairing | None:
        found = await enqueue(self, ticket, now_ms, drop)
        if next(failures, None) is not None:
            raise StoreUnavailable("the answer was lost")
        return found

    monkeypatch.setattr(MatchQueue, "enqueue", fail)
    async with Player(node) as ada, Player(node) as bob, Player(node) as cy:
        assert refused(await ada.ask(m.Seek, rules=rules)) == ErrorCode.UNAVAILABLE
        for player in (bob, cy):
            assert isinstance(await player.ask(m.Seek, rules=rules), m.Ok)
        assert (await bob.next(m.Matched)).match == (await cy.next(m.Matched)).match
        assert not [message for message in await ada.sync() if isinstance(message, m.Matched)]
