"""The library and bots at a server that cheats, and the export of such a match: the columns of the table."""

import asyncio
import contextlib
import io
import json
import random
import re
import runpy
import sys
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner
from tavla_cli.main import cli
from tavla_cli.records.files import as_json
from tavla_cli.records.record import of_server
from tavla_client import Bot, Client, ClientError, Counts, Match, PlayStopped, Refused, Turn
from tavla_client.bots.pilot import Pilot
from tavla_client.oddities import REFUSED
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.games.records import played, recorded
from tests.support.patience import wait_until
from tests.support.players.clients import play
from tests.support.players.plain import unique, within
from tests.support.players.turns import plays_of
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.caught import CAUGHT, END, NEVER, PLAYING, When
from tests.support.servers.rigged.partner import ONE_POINT, Blunt, Friend
from tests.support.servers.rigged.seed_modes import BAD, BAD_FIELDS
from tests.support.servers.scripted import Waits
from tests.support.wire.proxy import Proxy

pytestmark = pytest.mark.slow  # most of them wait by the clock

SCRIPT = Path(__file__).parents[2] / "protocol" / "examples" / "verify.py"


def when(match: Match) -> When:
    """Time of the fault that has just been found."""
    is_over = match.view.phase == "over" and match.view.outcome is not None  # a void match was to be played
    return END if is_over else PLAYING


async def seen_by_library(match: Match, rng: random.Random) -> When:
    """Wait until the library says that something is wrong; its user plays on."""
    found: list[When] = []

    def look(_: View) -> None:
        if match.dice.fault and not found:
            found.append(when(match))
            match.go_on()

    await play(match, rng, look)
    verdict = await match.verdict()
    assert verdict.is_fault
    assert verdict.text.startswith("WARNING: ")
    return found[0] if found else END


async def seen_by_bot(match: Match) -> When:
    """Wait until a bot leaves, or what it says in the log."""
    result = await Pilot(Bot(), match).play()
    assert result.dice.is_fault
    return PLAYING if result.ending in ("stopped", "cancelled") else END


def seen_by_script(file: Path, monkeypatch: pytest.MonkeyPatch) -> When:
    """Run the script of the protocol's page on an export: END if it finds a fault, else NEVER."""
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(file)])
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as end:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return END if end.value.code else NEVER


def seen_by_verify(file: Path) -> When:
    """Run `tavla verify` on an export: END if it finds a fault, else NEVER."""
    result = CliRunner().invoke(cli, ["verify", str(file)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return END if result.exit_code else NEVER


@contextlib.asynccontextmanager
async def at_table(
    url: str, mode: str, rules: dict[str, bool | int | str] = ONE_POINT
) -> AsyncIterator[tuple[Client, Match]]:
    """A client who has sat down at the table of a friend; or a friend at its, which it has opened by its own rules."""
    async with Friend(url, mode) as helped, Client(url, name=unique("v")) as client:
        opened = await client.create(rules=rules) if mode == "other_rules" else None
        table = await helped.open_table(rules) if opened is None else await helped.join(opened.id)
        playing = asyncio.create_task(helped.play_on(table))
        try:
            yield client, opened or await client.join(table)
        finally:
            playing.cancel()
            await asyncio.wait([playing])


@pytest.mark.parametrize("mode", CAUGHT)
async def test_what_a_server_is_caught_at(
    mode: str, rigged: ServerProcess, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, file = CAUGHT[mode], tmp_path / "match.json"
    async with at_table(rigged.url, mode) as (_, match):
        assert await within(seen_by_bot(match)) is row.bot
    async with at_table(rigged.url, mode) as (client, match):
        assert await within(seen_by_library(match, rng)) is row.library
        if match.view.game:
            file.write_text(as_json(of_server(await client.archive.record(match.id))), "utf-8")
            assert await asyncio.to_thread(seen_by_verify, file) is row.verify
            assert seen_by_script(file, monkeypatch) is row.script


# --- what is noticed by what the library remembers ---


async def end_of(match: Match) -> None:
    """Follow a match for as long as it is shown."""
    async for _ in match.changes():
        pass


async def resignation_in(match: Match) -> None:
    """Resign as soon as it is our turn."""
    while not match.to_act:
        await match.next_change()
    await match.resign(1)


async def test_a_match_that_vanishes_when_the_dice_can_be_known_is_the_servers_doing(rigged: ServerProcess) -> None:
    async with (
        Friend(rigged.url, "vanish") as helped,
        Proxy.to_port(rigged.port) as line,
        Client(f"ws://127.0.0.1:{line.port}", name=unique("v"), sleep=Waits()) as client,
    ):
        table = await helped.open_table()
        playing = asyncio.create_task(helped.play_on(table))
        match = await client.join(table)
        await within(match.wait_for_start())
        line.reset()
        with pytest.raises(Refused, match="there is no match"):
            await within(end_of(match))
        with pytest.raises(PlayStopped, match="the server knows nothing more of a match that was not over"):
            await within(client.attach(table))
        assert client.counts == Counts(1, by_server=1)
        playing.cancel()
        await asyncio.wait([playing])


async def test_a_refusal_against_the_rules_is_told(rigged: ServerProcess) -> None:
    async with at_table(rigged.url, "refuses") as (_, match):
        await within(match.wait_for_start())
        with pytest.raises(Refused, match=f"nobody may resign now; {REFUSED}"):
            await within(resignation_in(match))


POINTS_3 = {**ONE_POINT, "length": 3}  # with a cube
IN_YOUR_NAME = "(white|black) {} in your name; this program did not ask for it. If you also play elsewhere, it may"
UNASKED = {
    "plays_for": "played",
    "doubles_for": "doubled",
    "drops_for": "dropped the double",
    "resigns_for": "offered to resign",
    "rolls_on_for": "changed what is left to the server",
    "aborts_for": "answered whether the match shall be aborted",
    "forfeits_for": "forfeited",
}


async def oddity_in(match: Match, waits: str) -> str:
    """What the server does, when its victim only looks on. waits: the phase in which it does."""
    await match.wait_for_start()
    async for _ in match.changes():
        while match.to_act and match.view.phase != waits and match.view.phase in ("roll", "move"):
            view = match.view
            await (match.roll() if view.phase == "roll" else match.move(plays_of(view)[0]))
        if match.oddities:
            break
    if match.view.phase == "over":
        assert (await match.verdict()).sound
    assert match.dice.fault == ""
    return " ".join(match.oddities)


async def unasked(url: str, mode: str) -> str:
    """What the library says at a server that acts in one's name."""
    async with at_table(url, mode, POINTS_3) as (_, match):
        return await oddity_in(match, {"doubles_for": "roll", "drops_for": "cube"}.get(mode, "move"))


@pytest.mark.usefixtures("landing_s")
async def test_an_act_in_ones_name_is_told_and_play_goes_on(rigged: ServerProcess) -> None:
    said = await within(asyncio.gather(*(unasked(rigged.url, mode) for mode in UNASKED)))
    for text, did in zip(said, UNASKED.values(), strict=True):
        assert re.match(IN_YOUR_NAME.format(did), text), text


async def never(_: Bot, turn: Turn) -> NoReturn:
    """Answer no question."""
    await asyncio.Event().wait()
    raise AssertionError


async def logged_by_bot(url: str, mode: str, hook: str, did: str, caplog: pytest.LogCaptureFixture) -> None:
    """A bot that is asked by a hook, and does not answer, logs what was done in its name."""
    bot = type("Waiting", (Bot,), {hook: never})()
    async with at_table(url, mode, POINTS_3) as (_, match):
        playing = asyncio.create_task(Pilot(bot, match).play())
        await wait_until(lambda: re.search(IN_YOUR_NAME.format(did), caplog.text))
        assert match.dice.fault == ""
        if mode == "forfeits_for":
            result = await within(playing)
            assert (result.won, result.ending, result.dice.is_fault) == (False, "forfeit", False)
        playing.cancel()
        await asyncio.wait([playing])


@pytest.mark.usefixtures("landing_s")
async def test_a_bot_logs_what_was_done_in_its_name(rigged: ServerProcess, caplog: pytest.LogCaptureFixture) -> None:
    await asyncio.gather(
        logged_by_bot(rigged.url, "forfeits_for", "choose_play", "forfeited", caplog),
        logged_by_bot(rigged.url, "drops_for", "take_double", "dropped the double", caplog),
    )


async def test_a_flag_that_falls_early_by_our_clock_is_told(rigged: ServerProcess, rng: random.Random) -> None:
    told = list[str]()
    while not told:  # where a ping was late nothing is told
        async with at_table(rigged.url, "early_flag") as (client, match):
            await wait_until(lambda: client._channel.steady_since is not None)
            await within(play(match, rng))
            told += match.oddities
    assert re.match("by your clock [12]:.* were left when the server ended the match on time", told[0]), told


async def test_another_play_than_was_sent_is_told(rigged: ServerProcess, rng: random.Random) -> None:
    async with at_table(rigged.url, "other_play") as (_, match):
        await within(play(match, rng))
        assert match.dice.fault == ""
        assert re.match(
            "the server took another play than this program sent: it shows .*, and .* was sent", match.oddities[0]
        )


# --- what is no seed ---


async def said(match: Awaitable[Match]) -> str:
    """Verdict of the library at the end of a match, or its warning or error in place of one."""
    try:
        found = await match
        async for _ in found.changes():
            if found.is_stopped:  # it reveals nothing, so that the match need not end
                return f"WARNING: {found.dice.fault}"
        return (await found.verdict()).text
    except ClientError as error:
        return f"ERROR: {error}"


@pytest.mark.parametrize("field", BAD_FIELDS)
async def test_what_is_no_seed_is_a_fault_in_one_sentence(field: str, rigged: ServerProcess) -> None:
    for kind in BAD:
        async with Blunt(rigged.url, f"bad_{field}_{kind}") as helped, Client(rigged.url, name=unique("v")) as client:
            table = await helped.open_table()
            giving_up = asyncio.create_task(helped.give_up(table))
            text = await within(said(client.join(table)))
            giving_up.cancel()
            await asyncio.wait([giving_up])
        assert re.match(r"WARNING: |ERROR: the server shows a match that cannot be read: ", text), (kind, text)
        assert len(text.splitlines()) == 1


async def test_a_seek_ends_with_a_match_that_cannot_be_read(
    rigged: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Blunt(rigged.url, "bad_hash_int") as helped, Client(rigged.url, name=unique("v")) as client:
        seeking = asyncio.create_task(said(client.seek(rules)))
        await helped.send(m.Seek, rules=rules, commitment=helped.commitment)
        assert "cannot be read" in await within(seeking)


def test_an_export_without_seeds_is_said_to_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, file = preset("tournament", {"length": 1}), tmp_path / "match.json"
    exported = json.loads(as_json(of_server(recorded(rules, played(rules, 1)))))
    for bad in BAD.values():
        for field in ("seed", "commitment"):
            file.write_text(json.dumps({**exported, field: bad}), "utf-8")
            assert (seen_by_verify(file), seen_by_script(file, monkeypatch)) == (END, END)
        for field in ("seeds", "commitments"):
            file.write_text(json.dumps({**exported, field: [bad, exported[field][1]]}), "utf-8")
            assert (seen_by_verify(file), seen_by_script(file, monkeypatch)) == (END, END)
