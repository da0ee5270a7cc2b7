"""Absence from a match: shown in the lists, kept over a restart, and followed by news of the result."""

from collections.abc import Callable

import msgspec
import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import ask_until, wait_until
from tests.support.players.lobby import listed, until_listed
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, guests, refused, unique, within
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

CLOCKED: dict[str, bool | int | str] = {"length": 3, "clock": "slow"}
GONE = Timings(maker_gone_s=0, sweep_s=0.05, sweep_spread_s=0)
SOON = Timings(away_s=0.1, sweep_s=0.05, claim_s=0, claim_least_s=0)


async def until_row(player: Player, match: str, wanted: Callable[[m.Table], bool]) -> m.Table:
    """Wait until the row of a live match is as wanted."""
    row = await ask_until(lambda: listed(player, match, "matches"), lambda row: row is not None and wanted(row))
    assert row is not None
    return row


async def my_row(player: Player, match: str) -> m.Table | None:
    """The row of a match in one's own list."""
    listing = await player.get(m.Listing, m.List, what="mine")
    return msgspec.convert(listing.rows[match], m.Table) if match in listing.rows else None


# --- lists ---


@pytest.mark.parametrize("lost", [True, False], ids=["lost", "left"])
async def test_a_match_from_which_somebody_is_away_stands_apart_until_he_is_back(valkey: Valkey, lost: bool) -> None:
    shown = Timings(away_s=0.1)  # not SOON: its sweep, which can only guess since when, may be the first to note it
    async with inside(valkey.url, shown) as url, at_match(url) as (white, black, match), Player(url) as eve:
        row = await until_row(eve, match, lambda row: row.players[1] is not None)
        assert row.away == (0, 0)
        if lost:
            black.socket.transport.abort()
        else:
            await black.ask(m.Detach, match=match)
        told = await white.find(lambda message: isinstance(message, m.Presence) and not message.online)
        assert isinstance(told, m.Presence)
        row = await until_row(eve, match, lambda row: any(row.away))
        assert row.away == (0, told.since)
        own = await my_row(white, match)
        assert own is not None
        assert (own.away, own.since > 0) == ((0, told.since), True)
        if lost:
            await black.open()
        await black.ask(m.Attach, table=match)
        await until_row(eve, match, lambda row: not any(row.away))


async def test_after_a_restart_those_who_have_not_come_back_are_away(valkey: Valkey) -> None:
    async with inside(valkey.url, SOON) as url, at_match(url) as (white, black, match):
        await until_row(white, match, lambda row: not any(row.away))
    async with inside(valkey.url, SOON) as url, Player(url) as eve:
        row = await until_row(eve, match, lambda row: all(row.away))
        assert row.players == (white.name, black.name)
        async with Player(url, token=white.token) as back:
            await back.ask(m.Attach, table=match)
            await until_row(eve, match, lambda row: not row.away[0] and bool(row.away[1]))


async def test_since_when_somebody_is_away_is_known_after_a_restart(valkey: Valkey) -> None:
    """Else a match without a clock could never be claimed by one who looks in once a day."""
    async with inside(valkey.url, SOON) as url, at_match(url) as (white, black, match):
        await black.ask(m.Detach, match=match)
        since = (await until_row(white, match, lambda row: bool(row.away[1]))).away[1]
    async with inside(valkey.url, SOON) as url, Player(url, token=white.token) as white:
        await until_row(white, match, lambda row: bool(row.away[1]))
        await white.ask(m.Attach, table=match)
        black_away = await my_row(white, match)
        assert black_away is not None
        assert black_away.away[1] == since


# --- what ended meanwhile ---


async def test_who_comes_back_finds_the_result_waiting(valkey: Valkey) -> None:
    async with inside(valkey.url, SOON) as url, at_match(url, CLOCKED) as (one, other, match):
        (absent,) = one.matches[match].view.to_act
        gone, stays = (one, other) if one.matches[match].seat == absent else (other, one)
        await gone.close()
        await stays.find(lambda message: isinstance(message, m.Presence) and not message.online)
        assert isinstance(await stays.act(m.Claim, match), m.Ok)
        await until_listed(stays, match, None)
        async with Player(url, token=gone.token) as back:
            welcome = next(message for message in back.log if isinstance(message, m.Welcome))
            assert (welcome.matches, welcome.ended) == ([], [match])
            row = await my_row(back, match)
            assert row is not None
            assert row.outcome == (1 - absent, 0, 0, "abandoned")
            await back.get(m.Snapshot, m.Attach, table=match)
            assert back.matches[match].view.outcome == (1 - absent, 0, 0, "abandoned")
            assert await my_row(back, match) is None, "it has been looked at"
        async with Player(url, token=gone.token) as again:
            assert next(message for message in again.log if isinstance(message, m.Welcome)).ended == []
        async with Player(url, token=stays.token) as again:
            assert next(message for message in again.log if isinstance(message, m.Welcome)).ended == []


async def test_who_is_there_but_has_the_match_before_himself_nowhere_is_told_of_its_end(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, at_match(url) as (white, black, match):
        await black.ask(m.Detach, match=match)
        async with Player(url, token=black.token) as window:
            assert isinstance(await white.act(m.Forfeit, match), m.Ok)
            for one in (black, window):
                assert await one.next(m.Ended) == m.Ended(match=match)
        await white.sync()
        assert not any(isinstance(message, m.Ended) for message in white.log)


# --- open tables ---


async def test_nobody_is_away_from_a_seat_that_is_free(valkey: Valkey, clock: HandClock) -> None:
    """However long a table waits: whoever seeks, or looks for one, finds it."""
    rules = {"length": 7, "delay_s": 9, "reserve_s": 300}
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob:
        table = await ada.get(m.Snapshot, m.Create, name=unique("t"), rules=rules)
        await until_listed(bob, table.match, "tables")
        clock.move(round(1000 * DEFAULTS.away_s))
        later = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        await until_listed(bob, later.match, "tables")  # the lane of rows has come so far
        row = await listed(bob, table.match)
        assert row is not None
        assert row.away == (0, 0)
        assert isinstance(await bob.ask(m.Seek, rules=rules), m.Ok)
        assert (await bob.next(m.Matched)).match == table.match


async def close(player: Player, match: str) -> None:
    await player.close()


async def detach(player: Player, match: str) -> None:
    await player.ask(m.Detach, match=match)


@pytest.mark.parametrize("leave", [close, detach])
async def test_who_leaves_while_waiting_closes_the_table_at_once(valkey: Valkey, leave: Callable[..., object]) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as eve:
        table = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        await until_listed(eve, table.match, "tables")
        await within(leave(ada, table.match))  # type: ignore[arg-type]
        await until_listed(eve, table.match, None)
        answer = await eve.ask(m.Join, table=table.match)
        assert refused(answer) == "table_full"
        assert isinstance(answer, m.Error)
        assert answer.text == "this table was closed: open one of your own"


async def test_a_window_that_is_closed_closes_no_table_that_another_one_shows(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as eve:
        table = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        async with Player(url, token=ada.token) as window:
            await window.ask(m.Attach, table=table.match)
            await window.close()
        await ada.ask(m.Attach, table=table.match)
        assert isinstance(await eve.ask(m.Join, table=table.match), m.Snapshot)


async def test_a_table_whose_maker_is_cut_off_waits_and_nobody_joins_meanwhile(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as eve:
        table = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        await eve.ask(m.Attach, table=table.match)
        ada.socket.transport.abort()
        await eve.find(lambda message: isinstance(message, m.Presence) and not message.online)
        answer = await eve.get(m.Error, m.Join, table=table.match)
        assert (answer.code, answer.text) == (
            "not_online",
            f"{ada.name} is not at the table just now: try again in a moment",
        )
        await ada.open()
        await ada.ask(m.Attach, table=table.match)
        assert isinstance(await eve.ask(m.Join, table=table.match), m.Snapshot)


async def test_a_maker_whose_table_is_taken_is_told_in_every_window(valkey: Valkey) -> None:
    async with (
        inside(valkey.url) as url,
        inside(valkey.url) as other_url,
        guests(url, 2) as (ada, bob),
        Player(url, token=ada.token) as window,
        Player(other_url, token=ada.token) as elsewhere,
    ):
        name = unique("t")
        table = await ada.get(m.Snapshot, m.Create, name=name)
        await until_listed(elsewhere, table.match, "tables")
        assert isinstance(await bob.ask(m.Join, table=name), m.Snapshot)
        for one in (ada, window, elsewhere):
            assert await one.next(m.Seated) == m.Seated(match=table.match, table=name, name=bob.name or "")
        assert not any(isinstance(message, m.Seated) for message in bob.log)


async def test_a_table_whose_journal_makes_no_sense_keeps_no_other_from_being_closed(
    own_valkey: Valkey, own_redis: Client
) -> None:
    async with inside(own_valkey.url) as url, Player(url) as white, Player(url) as black:
        tables = []
        for maker in (white, black):
            opened = await maker.get(m.Snapshot, m.Create, name=unique("t"))
            tables.append(opened.match)
            maker.socket.transport.abort()
    broken, other = sorted(tables)
    await own_redis.xadd(keys.MATCH_LOG(broken), {"e": b"nonsense"}, id="2-0")
    with capture_logs() as lines:
        async with inside(own_valkey.url, GONE) as url, Player(url) as eve:
            await until_listed(eve, other, None)
            assert await listed(eve, broken, "tables") is not None
            await wait_until(lambda: "journal_unreadable" in [line["event"] for line in lines])
    assert {line["match"] for line in lines if line["event"] == "journal_unreadable"} == {broken}
