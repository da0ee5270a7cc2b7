"""The terminal at a server that cheats: its column of the table."""

import asyncio
import contextlib
import time
from functools import partial

import pytest
from tavla_engine.notation import format_play
from tavla_engine.position import Position
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.players.returning import Returning
from tests.support.players.seen import Seen
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.players.turns import plays_of
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.caught import CAUGHT, END, PLAYING
from tests.support.servers.rigged.partner import SHORT, friend_at_table

pytestmark = pytest.mark.long  # one for each way to cheat, in a terminal

RETYPE_S = 0.3  # a line typed too early is only answered with a sentence
WARNING, STOPS = "WARNING: ", "nothing is sent any more"
IN_VAIN = {"void_blame": "the match is void", "void_silent": "the table was closed"}
# A line that was typed meanwhile is answered: nothing is sent before you go on. The match may be over then.
SAID = {PLAYING: "nothing is sent ", END: "another match?"}
VICTIM = 1


def is_ours(view: View) -> bool:
    """True if the player at the terminal is to play, or the match is over."""
    return view.phase == "over" or (view.phase in ("roll", "move") and view.turn == VICTIM)


def typed(view: View) -> str:
    """A play, as players write it."""
    return format_play(Position(view.row(VICTIM), view.row(1 - VICTIM)), plays_of(view)[0])


def has_changed(seen: Seen, before: int, _: View) -> bool:
    """True if a match has gone on."""
    return seen.seq > before


async def play(ada: Terminal, watcher: Returning, match: str, until: str = WARNING) -> None:
    """Type plays, until the match is over or the terminal warns."""
    seen, typed_at, played, played_s = watcher.matches[match], 0, -1, time.monotonic()
    while until not in ada.shown:
        if seen.seq > played:
            played, played_s = seen.seq, time.monotonic()
        assert time.monotonic() - played_s < PATIENCE_S, "the match does not go on"
        if await watcher.reached(match, is_ours, RETYPE_S):
            if seen.view.phase == "over":
                return
            prompt = "your {}-{}".format(*seen.view.dice) if seen.view.dice else "roll"
            with contextlib.suppress(AssertionError):
                await asyncio.to_thread(ada.wait_for, prompt, RETYPE_S, typed_at)
            typed_at = len(ada.shown)
            ada.type(typed(seen.view) if seen.view.dice else "roll")
            await watcher.reached(match, partial(has_changed, seen, seen.seq), RETYPE_S)


@pytest.mark.parametrize("mode", CAUGHT)
async def test_what_a_server_is_caught_at(mode: str, rigged: ServerProcess, terminal_of: NewTerminal) -> None:
    name = unique("v")
    asks = mode == "other_rules"  # of one who has asked for some
    ada = terminal_of(rigged.url, name, "create", name, "--length", "1") if asks else None
    with friend_at_table(rigged.url, mode, SHORT, table=name if asks else "") as match:
        ada = ada or terminal_of(rigged.url, name, "join", match)
        async with Returning(rigged.url) as watcher:
            await watcher.ask(m.Attach, table=match)
            await play(ada, watcher, match)
        row = CAUGHT[mode]
        for text in (WARNING, IN_VAIN.get(mode, SAID[row.terminal])):
            await asyncio.to_thread(ada.wait_for, text)
        assert row.terminal is PLAYING or STOPS not in ada.shown


IN_YOUR_NAME = {
    "plays_for": "black played in your name; this program did not ask for it.",
    "rolls_on_for": "black changed what is left to the server in your name;",
    "aborts_for": "black answered whether the match shall be aborted in your name;",
}


async def test_an_act_in_ones_name_is_told_and_play_goes_on(rigged: ServerProcess, terminal_of: NewTerminal) -> None:
    with contextlib.ExitStack() as tables:
        matches = [tables.enter_context(friend_at_table(rigged.url, mode, SHORT)) for mode in IN_YOUR_NAME]
        seated = [terminal_of(rigged.url, unique("v"), "join", match) for match in matches]
        for ada, told in zip(seated, IN_YOUR_NAME.values(), strict=True):
            await asyncio.to_thread(ada.wait_for, told)
            assert WARNING not in ada.shown


async def early_flag(rigged: ServerProcess, terminal_of: NewTerminal) -> bool:
    """True if the terminal tells how much time was left: it does not where its line or its machine stood still."""
    with friend_at_table(rigged.url, "early_flag", SHORT) as match:
        ada = terminal_of(rigged.url, unique("v"), "join", match)
        async with Returning(rigged.url) as watcher:
            await watcher.ask(m.Attach, table=match)
            await asyncio.to_thread(ada.wait_for, "[1:")  # after a while, in which the line proves steady
            await play(ada, watcher, match)
        await asyncio.to_thread(ada.wait_for, SAID[END])
        return "were left when the server ended the match on time" in ada.shown


async def test_a_flag_that_falls_early_by_ones_own_clock_is_told(
    rigged: ServerProcess, terminal_of: NewTerminal
) -> None:
    for _ in range(8):
        if await early_flag(rigged, terminal_of):
            return
    raise AssertionError("no flag of eight was told")


@pytest.mark.parametrize(
    ("mode", "length", "told"),
    [
        ("drops_for", 3, "black dropped the double in your name"),
        ("other_play", 1, "the server took another play than this program sent"),
    ],
)
async def test_what_is_done_in_place_of_a_line_is_told_and_play_goes_on(
    mode: str, length: int, told: str, rigged: ServerProcess, terminal_of: NewTerminal
) -> None:
    with friend_at_table(rigged.url, mode, {**SHORT, "length": length}) as match:
        ada = terminal_of(rigged.url, unique("v"), "join", match)
        async with Returning(rigged.url) as watcher:
            await watcher.ask(m.Attach, table=match)
            await play(ada, watcher, match, told)
        assert WARNING not in ada.shown
