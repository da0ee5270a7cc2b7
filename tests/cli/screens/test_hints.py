"""Output of `hint`: every legal play, and the best of them where that is fair."""

import re
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console
from tavla_cli.bots import loading
from tavla_cli.input.parsing import BadCommand
from tavla_cli.screens.hints import hints
from tavla_client import Client
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, VIEW, attached, scripted

OURS = replace(VIEW, phase="move", turn=0, dice=(3, 1), rules={"hints": True, "length": 1})


async def shown(view: View, seat: int | None = 0, plays: bool = True) -> str:
    """Hints for a player, or a watcher, at this moment of a match. plays: whether the server has sent them."""
    async with scripted() as server, Client(server.url) as client:
        connection = await server.accept()
        match = await attached(client, connection, view, seq=5, seat=seat)
        if plays:
            position = Position(view.row(view.turn), view.row(1 - view.turn))
            legal = [tuple(play) for play in legal_plays(position, (view.dice[0], view.dice[1])).values()]
            await connection.send(m.Plays(match=MATCH, seq=5, plays=legal))
            await within(match.next_change())
        console = Console(width=120, highlight=False)
        with console.capture() as capture:
            for renderable in await hints(match):
                console.print(renderable)
        return capture.get()


async def test_every_legal_play_is_listed_below_the_best_three() -> None:
    lines = (await shown(OURS)).splitlines()
    assert lines[0] == "the house bot would play, where +1 is a game won and -1 one lost:"
    assert lines[1].startswith("  8/5 6/5 "), "makes its five point"
    assert [line.split()[-1][0] in "+-" for line in lines[1:5]] == [True, True, True, False]
    assert lines[4] == "16 legal plays:"
    assert sum(line.count("/") for line in lines[5:]) >= 16


async def test_a_rated_match_lists_legal_plays_and_says_nothing_of_the_best() -> None:
    text = await shown(replace(OURS, rules={**OURS.rules, "rated": True}))
    assert text.startswith("16 legal plays:\n")


async def test_without_the_bots_of_tavla_there_are_no_best_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "SHIPPED", "tavla_bots_that_nobody_has")
    text = await shown(OURS)
    assert text.startswith("16 legal plays:\n")


async def test_a_double_with_very_many_plays_is_cut_short() -> None:
    text = await shown(replace(OURS, dice=(1, 1), rules={"hints": True, "rated": True}))
    assert text.startswith("42 legal plays:\n")
    assert text.endswith("and 2 more\n")


NONE: list[tuple[View, int | None, dict[str, Any], str]] = [
    (replace(OURS, rules={"hints": False}), 0, {}, "this match is played without hints"),
    (OURS, None, {}, "it is not your turn"),
    (OURS, 1, {}, "it is not your turn"),
    (replace(OURS, phase="roll", dice=()), 1, {"plays": False}, "it is not your turn"),
    (replace(OURS, phase="ready", dice=()), 0, {"plays": False}, "it is not your turn"),
    (replace(OURS, phase="roll", rules={"hints": True, "rated": True}), 0, {}, "nobody says what to do with the cube"),
    (OURS, 0, {"plays": False}, "the server has sent no plays"),
]


@pytest.mark.parametrize(("view", "seat", "more", "sentence"), NONE)
async def test_where_there_is_no_hint_it_is_said_why(
    view: View, seat: int | None, more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadCommand, match=sentence):
        await within(shown(view, seat, **more))


@pytest.mark.parametrize(
    ("view", "advice"),
    [
        (replace(OURS, phase="roll", dice=()), "the house bot would (roll|double)"),
        (replace(OURS, phase="cube", dice=(), turn=1, offer=1), "the house bot would (take|drop)"),
    ],
)
async def test_hints_say_what_to_do_with_the_cube(view: View, advice: str) -> None:
    assert re.fullmatch(advice, (await shown(view, 0, plays=False)).strip())


async def test_without_the_bots_of_tavla_it_is_said_how_to_get_hints_for_the_cube(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loading, "SHIPPED", "tavla_bots_that_nobody_has")
    with pytest.raises(BadCommand, match="install tavla"):
        await shown(replace(OURS, phase="roll", dice=()), plays=False)
