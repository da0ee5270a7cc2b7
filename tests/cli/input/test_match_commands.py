"""The commands of a match: which are offered, and their help."""

import re
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console
from tavla_cli.input.match_commands import COMMANDS, help_lines, possible, short_help
from tavla_cli.input.parsing import Command, parse
from tavla_cli.screens.grids import pairs
from tavla_protocol.view import View

MATCH = View(players=("ada", "bob"), rules={"length": 3, "resignations": True, "hints": False, "beavers": 0}, turn=0)
MONEY = replace(MATCH, rules={"length": 0, "beavers": 1, "hints": True})
WATCHING = {"say", "tell", "mute", "unmute", "board", "oldmoves", "who", "set", "id", "save", "help", "quit", "report"}
ANY_TIME = {"auto", "abort", *WATCHING}
IN_GAME = {"resign", "forfeit", *ANY_TIME}
CLOCKED = replace(MATCH, game=1, clock=(1, 1, 1), phase="roll")
POSSIBLE = [  # view, seat, commands
    (replace(MATCH, phase="open"), 0, {"cancel", *WATCHING}),
    (replace(MATCH, phase="ready"), 0, {"ready", "forfeit", *ANY_TIME}),
    (replace(MONEY, phase="ready", ready=(True, False)), 0, {"leave", *ANY_TIME}),
    (replace(MATCH, phase="roll"), 0, {"roll", "double", *IN_GAME}),
    (replace(MONEY, phase="roll"), 0, {"roll", "double", "hint", *IN_GAME}),
    (replace(MATCH, phase="roll"), 1, IN_GAME),
    (replace(MATCH, phase="cube", offer=0), 1, {"take", "drop", *IN_GAME}),
    (replace(MONEY, phase="cube", offer=0), 1, {"take", "drop", "beaver", "hint", *IN_GAME}),
    (replace(MONEY, phase="cube", offer=1, cube=2), 0, {"take", "drop", "hint", *IN_GAME}),
    (replace(MATCH, phase="move", dice=(2, 1)), 0, {"undo", *IN_GAME}),
    (replace(MONEY, phase="move", dice=(2, 1)), 0, {"undo", "hint", *IN_GAME}),
    (replace(MATCH, phase="resign", resignation=(0, 2)), 1, {"accept", "refuse", *IN_GAME} - {"resign"}),
    (replace(MATCH, phase="roll", rules={"resignations": False}), 1, IN_GAME - {"resign"} | set()),
    (replace(CLOCKED, rolls=2), 1, IN_GAME),
    (replace(CLOCKED, rolls=3), 1, IN_GAME - {"abort"}),
    (
        replace(CLOCKED, phase="ready", rolls=2, outcome=(0, 1, 1, "resignation")),
        1,
        {"ready", "forfeit", "auto", *WATCHING},
    ),
    (replace(MATCH, phase="roll"), None, WATCHING),
]


@pytest.mark.parametrize(("view", "seat", "names"), POSSIBLE)
def test_only_what_makes_sense_is_offered(view: View, seat: int | None, names: set[str]) -> None:
    assert set(possible(view, seat)) == names
    assert {usage.split()[0] for usage, _ in help_lines(view, seat, possible(view, seat))} - {"8/5"} == names


def test_every_command_can_be_typed_and_has_a_line_of_help() -> None:
    for name, entry in COMMANDS.items():
        line = f"{name} {entry.arguments[0].replace('WORD', 'roll')}" if entry.arguments else name
        typed = parse(line)
        assert isinstance(typed, Command)
        assert typed.name == name
        assert 0 < len(entry.text) <= 130


@pytest.mark.parametrize(("view", "seat", "_"), POSSIBLE)
def test_help_in_a_small_window_has_room_and_names_everything(view: View, seat: int | None, _: set[str]) -> None:
    names = possible(view, seat, claims=True, moderates=True)
    shown = pairs(short_help(view, seat, names))
    lines = Console(width=80, file=StringIO()).render_lines(shown, pad=False)
    assert len(lines) <= 22, "below it stands the prompt"
    said = " ".join(segment.text for line in lines for segment in line)
    assert [name for name in names if not re.search(rf"\b{name}\b", said)] == []


@pytest.mark.parametrize("seat", [0, None])
def test_what_moderators_do_is_offered_to_moderators_alone(seat: int | None) -> None:
    view = replace(MATCH, phase="roll")
    assert "mod" not in possible(view, seat)
    assert "mod" in possible(view, seat, moderates=True)


def test_a_claim_is_offered_only_when_the_opponent_is_away() -> None:
    view = replace(MATCH, phase="roll", clock=(1, 1, 1))
    assert "claim" not in possible(view, 1)
    assert "claim" in possible(view, 1, claims=True)


def test_here_is_offered_only_when_another_window_has_the_seat() -> None:
    assert "here" not in possible(MATCH, None)
    assert "here" in possible(MATCH, None, elsewhere=True)
