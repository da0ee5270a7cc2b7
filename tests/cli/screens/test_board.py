"""The board in text, as golden pictures: who reads it, at which side, on which terminal."""

import pytest
from msgspec.structs import replace
from rich.console import Console
from tavla_cli.screens.board import draw
from tavla_cli.text.look import Look
from tavla_engine.position import row
from tavla_protocol.view import View

START = row(p24=2, p13=5, p8=3, p6=5)
RULES: dict[str, bool | int | str] = {"length": 3, "cube": True}
OPENING = View(
    name="ada",
    rules=RULES,
    players=("ada", "grace"),
    phase="move",
    turn=0,
    dice=(3, 1),
    points=START + START,
    game=1,
    rolls=1,
)
MIDDLE = replace(
    OPENING,
    turn=1,
    dice=(4, 4),
    points=row(p13=7, p6=3, p3=3, bar=2) + row(off=7, p1=6, p2=1, bar=1),
    cube=4,
    owner=1,
    score=(2, 1),
    game=2,
)
END = replace(
    OPENING,
    phase="over",
    dice=(),
    points=row(off=15) + row(p24=12, p20=2, bar=1),
    rules={"length": 0, "cube": False, "variant": "nackgammon"},
    score=(12, 0),
    game=7,
)
CRAWFORD = replace(OPENING, phase="roll", turn=1, dice=(), crawford=True, score=(2, 0), game=2)
OFFERED = replace(OPENING, phase="cube", dice=(), offer=0, cube=2, owner=0)
LOOKS = [Look(ascii=True, colour=False), Look(ascii=True), Look(colour=False), Look()]


def picture(view: View, side: int, look: Look, you: int | None = None) -> str:
    console = Console(
        width=80, force_terminal=look.colour and not look.ascii, color_system="truecolor", highlight=False
    )
    with console.capture() as capture:
        console.print(draw(view, side, look, you))
    return capture.get()


PICTURES = {
    # the opening from seat 0: checkers go down to the own home, at the bottom right
    ("OPENING", 0, 0, True): """
  13 14 15 16 17 18     19 20 21 22 23 24
 +------------------+---+------------------+---+     X grace
 | O     .     X    |   | X     .     .  O |   |       0 points, 167 pips
 | O     .     X    |   | X     .     .  O |   |
 | O     .     X    |   | X     .     .    |   |
 | O     .     .    |   | X     .     .    |   |
 | O     .     .    |   | X     .     .    |   |   match to 3 points
 |                  |bar|     [3] [1]      |off|   game 1
 | X  .     .     . |   | O  .     .     . |   |   cube 1, in the middle
 | X  .     .     . |   | O  .     .     . |   |
 | X  .     .  O  . |   | O  .     .     . |   |
 | X  .     .  O  . |   | O  .     .     X |   |
 | X  .     .  O  . |   | O  .     .     X |   |       0 points, 167 pips
 +------------------+---+------------------+---+   > O ada (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # the same from seat 1, in Unicode: the own numbers again, the other colour, the dice on the other side
    ("OPENING", 1, 1, False): """
  13 14 15 16 17 18     19 20 21 22 23 24
 ╭──────────────────┬───┬──────────────────┬───╮   ▶ ○ ada
 │ ●     ·     ○    │   │ ○     ·     ·  ● │   │       0 points, 167 pips
 │ ●     ·     ○    │   │ ○     ·     ·  ● │   │
 │ ●     ·     ○    │   │ ○     ·     ·    │   │
 │ ●     ·     ·    │   │ ○     ·     ·    │   │
 │ ●     ·     ·    │   │ ○     ·     ·    │   │   match to 3 points
 │     [3] [1]      │bar│                  │off│   game 1
 │ ○  ·     ·     · │   │ ●  ·     ·     · │   │   cube 1, in the middle
 │ ○  ·     ·     · │   │ ●  ·     ·     · │   │
 │ ○  ·     ·  ●  · │   │ ●  ·     ·     · │   │
 │ ○  ·     ·  ●  · │   │ ●  ·     ·     ○ │   │
 │ ○  ·     ·  ●  · │   │ ●  ·     ·     ○ │   │       0 points, 167 pips
 ╰──────────────────┴───┴──────────────────┴───╯     ● grace (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # for a watcher: stacks over five, both bars, checkers off, a double, an owned cube
    ("MIDDLE", 0, None, True): """
  13 14 15 16 17 18     19 20 21 22 23 24
 +------------------+---+------------------+---+   > X grace
 | O     .     .    |   | .     .     X  X |XXX|       1 point, 33 pips
 | O     .     .    |   | .     .     .  X |XXX|       owns the cube: 4
 | O     .     .    |   | .     .     .  X |X  |
 | O     .     .    | O | .     .     .  X |   |
 | 7     .     .    | O | .     .     .  6 |   |   match to 3 points
 | [4] [4] [4] [4]  |bar|                  |off|   game 2
 |    .     .     . | X |    .     .     . |   |
 |    .     .     . |   |    .     .     . |   |
 |    .     .     . |   | O  .     O     . |   |
 |    .     .     . |   | O  .     O     . |   |
 |    .     .     . |   | O  .     O     . |   |       2 points, 168 pips
 +------------------+---+------------------+---+     O ada
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # the same from the other side, in Unicode
    ("MIDDLE", 1, 1, False): """
  13 14 15 16 17 18     19 20 21 22 23 24
 ╭──────────────────┬───┬──────────────────┬───╮     ○ ada
 │ ·     ·     ·    │   │ ○     ·  ○  ·    │   │       2 points, 168 pips
 │ ·     ·     ·    │   │ ○     ·  ○  ·    │   │
 │ ·     ·     ·    │   │ ○     ·  ○  ·    │   │
 │ ·     ·     ·    │   │ ·     ·     ·    │   │
 │ ·     ·     ·    │ ● │ ·     ·     ·    │   │   match to 3 points
 │                  │bar│ [4] [4] [4] [4]  │off│   game 2
 │ 7  ·     ·     · │ ○ │    ·     ·     6 │   │
 │ ○  ·     ·     · │ ○ │    ·     ·     ● │   │
 │ ○  ·     ·     · │   │    ·     ·     ● │●  │
 │ ○  ·     ·     · │   │    ·     ·     ● │●●●│       owns the cube: 4
 │ ○  ·     ·     · │   │    ·     ·  ●  ● │●●●│       1 point, 33 pips
 ╰──────────────────┴───┴──────────────────┴───╯   ▶ ● grace (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # money play is over: a stack of twelve, everything off, a variant without the cube
    ("END", 0, 0, True): """
  13 14 15 16 17 18     19 20 21 22 23 24
 +------------------+---+------------------+---+     X grace
 | .     .     .    |   | .     .     .    |   |       0 points, 353 pips
 | .     .     .    |   | .     .     .    |   |
 | .     .     .    |   | .     .     .    |   |
 | .     .     .    |   | .     .     .    |   |
 | .     .     .    |   | .     .     .    |   |   money play
 |                  |bar|                  |off|   game 7, nackgammon
 |    .     .     . | X |    .     .    12 |OOO|   no cube
 |    .     .     . |   |    .     .     X |OOO|
 |    .     .     . |   |    .     .     X |OOO|
 |    .     .     . |   |    X     .     X |OOO|
 |    .     .     . |   |    X     .     X |OOO|       12 points, 0 pips
 +------------------+---+------------------+---+     O ada (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # the Crawford game; no dice are out
    ("CRAWFORD", 0, 0, True): """
  13 14 15 16 17 18     19 20 21 22 23 24
 +------------------+---+------------------+---+   > X grace
 | O     .     X    |   | X     .     .  O |   |       0 points, 167 pips
 | O     .     X    |   | X     .     .  O |   |
 | O     .     X    |   | X     .     .    |   |
 | O     .     .    |   | X     .     .    |   |
 | O     .     .    |   | X     .     .    |   |   match to 3 points
 |                  |bar|                  |off|   game 2
 | X  .     .     . |   | O  .     .     . |   |   Crawford game, no cube
 | X  .     .     . |   | O  .     .     . |   |
 | X  .     .  O  . |   | O  .     .     . |   |
 | X  .     .  O  . |   | O  .     .     X |   |
 | X  .     .  O  . |   | O  .     .     X |   |       2 points, 167 pips
 +------------------+---+------------------+---+     O ada (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
    # a redouble is offered: who owns the cube, who has to answer
    ("OFFERED", 1, 1, True): """
  13 14 15 16 17 18     19 20 21 22 23 24
 +------------------+---+------------------+---+     O ada
 | X     .     O    |   | O     .     .  X |   |       0 points, 167 pips
 | X     .     O    |   | O     .     .  X |   |       owns the cube: 2
 | X     .     O    |   | O     .     .    |   |
 | X     .     .    |   | O     .     .    |   |
 | X     .     .    |   | O     .     .    |   |   match to 3 points
 |                  |bar|                  |off|   game 1
 | O  .     .     . |   | X  .     .     . |   |
 | O  .     .     . |   | X  .     .     . |   |
 | O  .     .  X  . |   | X  .     .     . |   |
 | O  .     .  X  . |   | X  .     .     O |   |       cube offered at 4
 | O  .     .  X  . |   | X  .     .     O |   |       0 points, 167 pips
 +------------------+---+------------------+---+   > X grace (you)
  12 11 10  9  8  7      6  5  4  3  2  1
""",
}


@pytest.mark.parametrize(("name", "side", "you", "ascii_only"), PICTURES)
def test_the_board_looks_like_its_picture(name: str, side: int, you: int | None, ascii_only: bool) -> None:
    shown = picture(globals()[name], side, Look(ascii_only, colour=False), you)
    assert shown == PICTURES[name, side, you, ascii_only].removeprefix("\n")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("view", [OPENING, MIDDLE, END, CRAWFORD, OFFERED])
@pytest.mark.parametrize("side", [0, 1])
def test_the_board_leaves_room_on_a_terminal_of_80_by_24(view: View, side: int, look: Look) -> None:
    longest = replace(view, players=("W" * 20, "M" * 20), cube=2**32, score=(10**6, 10**6))
    lines = draw(longest, side, look, you=side, online=(False, False)).split("\n")
    assert max(line.cell_len for line in lines) <= 80
    assert len(lines) == 15, "nine lines are left for what happened, and for the prompt"
    text = "".join(line.plain for line in lines)
    assert text.isascii() or not look.ascii


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("value", [1, 32, 2048])
def test_the_number_of_an_offered_cube_is_shown_at_80_columns(value: int, look: Look) -> None:
    shown = draw(replace(OFFERED, cube=value), 0, look, you=0, columns=80).plain
    assert f"cube offered at {2 * value}\n" in shown


def test_ascii_is_without_colour() -> None:
    assert "\x1b" not in picture(OPENING, 0, Look(ascii=True, colour=True))


def test_colours_tell_the_checkers_apart() -> None:
    coloured = picture(OPENING, 0, Look())
    assert "\x1b[1;38;2;255;246;224;48" in coloured
    assert "\x1b[1;38;2;21;18;15;48" in coloured


def test_ratings_and_programs_are_marked_where_there_is_room() -> None:
    rated = replace(OPENING, kinds=("account", "bot"), ratings=(1517, 1483))
    shown = picture(rated, 0, Look(ascii=True), 0)
    assert "O ada 1517 (you)" in shown
    assert "X grace 1483 (bot)" in shown
    longest = replace(rated, players=("W" * 20, "M" * 20))
    assert f"{'W' * 18}" in picture(longest, 0, Look(ascii=True), 0)
    assert "1517" not in picture(longest, 0, Look(ascii=True), 0)


def test_names_cannot_write_on_the_terminal() -> None:
    evil = replace(OPENING, players=("\x1b[2Jada\u202e", "x" * 500))
    lines = draw(evil, 0, Look(ascii=True), you=0).split("\n")
    assert "?[2Jada?" in lines[13].plain
    assert max(line.cell_len for line in lines) <= 80


def test_a_narrow_window_has_what_stands_beside_the_board_below_it() -> None:
    view = replace(MIDDLE, clock=(65_000, 7_000, 0), ratings=(1500, None))
    lines = [line.plain for line in draw(view, 1, Look(ascii=True), you=1, columns=60).split("\n")]
    assert len(lines) == 18
    assert lines[15:] == [
        "  O ada 1500, 2 points, 168 pips, clock 1:05",
        "match to 3 points, game 2",
        "> X grace (you), 1 point, 33 pips, clock 0:07, cube 4",
    ]


@pytest.mark.parametrize("columns", [1, 20, 48, 49, 79])
def test_no_line_is_wider_than_the_window(columns: int) -> None:
    lines = [line.plain for line in draw(MIDDLE, 0, Look(), you=0, columns=columns).split("\n")]
    assert all(len(line) <= columns for line in lines[:18])
    assert (lines[-1] == f"the board needs 49 columns, this window has {columns}") == (columns < 49)
