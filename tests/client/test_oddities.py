"""Oddities that may have an honest cause: each is told, play goes on, and an honest server has none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_client import Client, Match, Refused
from tavla_client.clock import TimeLeft
from tavla_client.oddities import REFUSED, odd_end
from tavla_client.shown_match import match_of
from tavla_engine import actions as a
from tavla_engine.decide import decide
from tavla_engine.dice import commitment
from tavla_engine.match import new_match
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.view import View, diff
from tavla_server.timings import Timings

from tests.support.games.agreed import KINDS, SALTS
from tests.support.patience import wait_until
from tests.support.players.clients import clients
from tests.support.players.plain import unique, within
from tests.support.players.turns import plays_of
from tests.support.servers.scripted import MATCH, Connection, connected, scripted, snapshot

pytestmark = pytest.mark.slow  # most of them wait by the clock

SEEDS = ("0a" * 32, "0b" * 32)
HASHES = (commitment(bytes.fromhex(SEEDS[0])), commitment(bytes.fromhex(SEEDS[1])))
OVER, PLAIN = View(phase="over"), Rules()
FLAGGED, GONE = (1, 3, 0, "time"), (1, 3, 0, "abandoned")

ENDS: list[tuple[Any, int | None, TimeLeft | None, float, str]] = [
    # outcome, seat, our time by our clock, how long the line was steady, what is told
    (FLAGGED, 0, TimeLeft(8.5, 171.5), 60.0, "by your clock 3:00 were left"),
    (FLAGGED, 0, TimeLeft(0.0, 2.9), 60.0, ""),
    (FLAGGED, 0, TimeLeft(0.0, 0.0), 60.0, ""),
    (FLAGGED, 0, None, 60.0, ""),  # a ping of this turn was late
    (FLAGGED, 1, TimeLeft(8.5, 171.5), 60.0, ""),
    (FLAGGED, None, TimeLeft(8.5, 171.5), 60.0, ""),
    (GONE, 0, None, 64.0, "the server says that you were away; it has answered this program all the time, for 64 s"),
    (GONE, 0, None, 62.0, ""),
    (GONE, 1, None, 90.0, ""),
    ((1, 3, 0, "forfeit"), 0, TimeLeft(8.5, 171.5), 90.0, ""),
    (None, 0, TimeLeft(8.5, 171.5), 90.0, ""),
]


@pytest.mark.parametrize(("outcome", "seat", "left", "steady_s", "text"), ENDS)
def test_an_end_is_compared_with_our_own_clock(
    outcome: Any, seat: int | None, left: TimeLeft | None, steady_s: float, text: str
) -> None:
    said = odd_end(replace(OVER, outcome=outcome), seat, left, steady_s, absence_s=60)
    assert said.startswith(text)
    assert bool(said) == bool(text)


# --- refused by a server ---


async def begun(connection: Connection, attaching: "asyncio.Task[Match]", rules: Rules = PLAIN) -> Match:
    """A match that was followed from its start; we have the dice."""
    agreed = {"players": ("ada", "bob"), "kinds": KINDS, "salts": SALTS, "commitment": commitment(bytes(32))}
    before = replace(view_of(new_match(rules)), **agreed, commitments=HASHES, phase="reveal")
    asked = await connection.expect(m.Attach)
    await connection.send(snapshot(asked.id, replace(before, unrevealed=(0, 1)), seq=5))
    match = await within(attaching)
    game = new_match(rules)
    for seat in (0, 1):
        game = decide(game, a.Ready(seat), lambda _: (3, 1))[1]
    clock = (120_000, 120_000, 12_000) if rules.clocked else None
    view = replace(view_of(game), **agreed, commitments=HASHES, seeds=SEEDS, clock=clock)
    await connection.update(6, diff(match.view, view))
    while match.seq < 6:
        await within(match.next_change())
    assert match.dice.fault == ""
    return match


REFUSALS: list[tuple[str, int | None, bool]] = [  # code, version, whether it is doubted
    ("wrong_phase", 6, True),
    ("no_resignation", 6, True),
    ("wrong_phase", 5, False),
    ("wrong_phase", None, False),
    ("too_many", 6, False),
    ("unavailable_soon", 6, False),
]


@pytest.mark.parametrize(("code", "seq", "is_doubted"), REFUSALS)
async def test_a_refusal_against_the_rules_that_we_know_is_told_once(
    code: str, seq: int | None, is_doubted: bool
) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        match = await begun(connection, asyncio.create_task(client.attach(MATCH)))
        for number in range(2):
            resigning = asyncio.create_task(match.resign(1))
            asked = await connection.expect(m.Resign)
            await connection.send(m.Error(id=asked.id, code=code, text="not now", seq=seq))
            with pytest.raises(Refused, match="not now") as refused:
                await within(resigning)
            assert (REFUSED in str(refused.value)) == (is_doubted and number == 0)


async def test_a_refusal_by_the_rules_is_not_doubted() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        match = await begun(connection, asyncio.create_task(client.attach(MATCH)))
        doubling = asyncio.create_task(match.double())
        asked = await connection.expect(m.Double)
        await connection.send(m.Error(id=asked.id, code="wrong_phase", text="play your dice", seq=6))
        with pytest.raises(Refused) as refused:
            await within(doubling)
        assert str(refused.value) == "play your dice"


# --- done in one's name ---

AGREED = ("rules", "players", "kinds", "salts", "commitment", "commitments", "seeds", "clock")
REPLACED = m.Replaced(match=MATCH, seat=0)


async def show(connection: Connection, match: Match, action: a.Action) -> None:
    """Show what an action leads to."""
    after = decide(match_of(match.view), action, lambda _: (6, 5))[1]
    shown = replace(view_of(after), **{name: getattr(match.view, name) for name in AGREED})
    await connection.update(match.seq + 1, diff(match.view, shown))


def some_play(match: Match) -> a.Move:
    """A play of ours."""
    return a.Move(0, plays_of(match.view)[0])


async def by_another_window(connection: Connection, match: Match) -> None:
    """Of another node, which is faster than the word that it has the seat."""
    await show(connection, match, some_play(match))
    await connection.send(REPLACED)


async def by_another_window_that_ends_the_match(connection: Connection, match: Match) -> None:
    await show(connection, match, a.Forfeit(0))
    await connection.send(REPLACED)


async def by_an_earlier_program(connection: Connection, match: Match) -> None:
    """Its request was under way when this program came back."""
    match.reconnect()
    match.on_attached(m.Ok(id=0, seq=match.seq))
    await show(connection, match, some_play(match))


async def before_the_line_was_lost(connection: Connection, match: Match) -> None:
    await show(connection, match, some_play(match))
    connection.cut()


async def as_it_was_asked_for(connection: Connection, match: Match) -> None:
    """The same play in another order, and with one step for two."""
    asking = asyncio.create_task(match.move([(8, 4)]))
    asked = await connection.expect(m.Move)
    await connection.send(m.Ok(id=asked.id, seq=match.seq + 1))
    await show(connection, match, a.Move(0, ((8, 7), (7, 4))))
    await within(asking)


async def faster_than_this_program(connection: Connection, match: Match) -> None:
    """Another window played the turn in the moment in which this one did."""
    asking = asyncio.create_task(match.move([(24, 23), (24, 21)]))
    asked = await connection.expect(m.Move)
    await show(connection, match, a.Move(0, ((8, 5), (6, 5))))
    await connection.send(m.Error(id=asked.id, code="stale", text="too late", seq=match.seq + 1), REPLACED)
    with pytest.raises(Refused):
        await within(asking)


async def by_the_other_player(connection: Connection, match: Match) -> None:
    await show(connection, match, a.Resign(1, 1))


async def by_a_clock(connection: Connection, match: Match) -> None:
    over = replace(match.view, phase="over", dice=(), outcome=(0, 0, 0, "time"))
    await connection.update(match.seq + 1, diff(match.view, over))


async def without_a_cause(connection: Connection, match: Match) -> None:
    await show(connection, match, some_play(match))


async def without_a_cause_at_the_end(connection: Connection, match: Match) -> None:
    await show(connection, match, a.Forfeit(0))


async def in_the_place_of_what_was_asked_for(connection: Connection, match: Match) -> None:
    """The server says that it came too late, and nobody else has the seat."""
    asking = asyncio.create_task(match.move([(24, 23), (24, 21)]))
    asked = await connection.expect(m.Move)
    await show(connection, match, a.Move(0, ((8, 5), (6, 5))))
    await connection.send(m.Error(id=asked.id, code="stale", text="too late", seq=match.seq + 1))
    with pytest.raises(Refused):
        await within(asking)


Happening = Callable[[Connection, Match], Awaitable[None]]
DONE: dict[Happening, str] = {  # what happens to a player's turn, and what is told
    by_another_window: "",
    by_another_window_that_ends_the_match: "",
    by_an_earlier_program: "",
    before_the_line_was_lost: "",
    as_it_was_asked_for: "",
    faster_than_this_program: "",
    by_the_other_player: "",
    by_a_clock: "",
    without_a_cause: "white played in your name",
    without_a_cause_at_the_end: "white forfeited in your name",
    in_the_place_of_what_was_asked_for: "white played in your name",
}


async def told_of(happens: Happening, landing_s: float) -> list[str]:
    """What is told of it, as soon as that is sure."""
    async with scripted() as server, connected(server) as (client, connection):
        match = await begun(connection, asyncio.create_task(client.attach(MATCH)))
        await asyncio.sleep(landing_s)  # a request of an earlier program would have acted by then
        seq = match.seq
        await happens(connection, match)
        while match.seq == seq:
            await within(match.next_change())
        await wait_until(lambda: not match.is_in_doubt)
        assert not match.dice.fault or match.view.phase == "over"  # whose seed this server does not have
        return [text.partition(";")[0] for text in match.oddities]


async def test_an_act_that_this_program_did_not_ask_for_is_told_unless_there_is_an_honest_cause(
    landing_s: float,
) -> None:
    told = await asyncio.gather(*(told_of(happens, landing_s) for happens in DONE))
    assert dict(zip(DONE, told, strict=True)) == {happens: [text] if text else [] for happens, text in DONE.items()}


# --- ended by a server ---


async def steady(client: Client) -> None:
    """Wait until a ping was answered."""
    await wait_until(lambda: client._channel.steady_since is not None)


@pytest.mark.parametrize("is_steady", [True, False])
async def test_a_flag_that_falls_early_by_our_clock_is_told_if_the_line_was_steady(is_steady: bool) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        if is_steady:
            await steady(client)
        clocked = Rules(delay_s=12, reserve_s=120)
        match = await begun(connection, asyncio.create_task(client.attach(MATCH)), clocked)
        over = replace(match.view, phase="over", dice=(), outcome=(1 - match.view.turn, 0, 0, "time"))
        await connection.update(7, diff(match.view, over))
        while match.seq < 7:
            await within(match.next_change())
        assert [text[:16] for text in match.oddities] == ["by your clock 2:"] * is_steady


@pytest.mark.parametrize("timings", [Timings(lag_ms=100)], ids=["plain"])
async def test_an_honest_flag_is_not_doubted(node: str) -> None:
    rules: dict[str, bool | int | str] = {"length": 1, "cube": False, "delay_s": 1, "reserve_s": 1}
    async with clients(node, "ada", "bob", bot=True) as (ada, bob):  # a person's first turn is longer
        for one in (ada, bob):
            await steady(one)
        opened = await ada.create(unique("t"), rules)
        joined = await bob.join(opened.id)
        for match in (opened, joined):
            while match.view.phase != "over":
                await match.next_change()
            assert match.view.outcome is not None
            assert (match.view.outcome[3], match.oddities, match.dice.fault) == ("time", [], "")
