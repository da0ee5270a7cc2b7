"""The board as text. Pure: a view in, lines out; 80 columns, colour and Unicode or plain ASCII.

 13 14 15 16 17 18     19 20 21 22 23 24      Always from one player's side: the own home is at the bottom
+------------------+---+------------------+   right, and the numbers are the player's own. Checkers that
|                  |bar|                  |   were hit wait on the bar in the half where they enter.
"""

from typing import NamedTuple

from rich.text import Text
from tavla_engine.position import BAR, OFF, pips
from tavla_protocol.view import View

from tavla_cli.text.cleaning import clean
from tavla_cli.text.cube import lives
from tavla_cli.text.look import Look
from tavla_cli.text.phrases import plural, time_text, told_score

TOP = (tuple(range(13, 19)), tuple(range(19, 25)))  # own points from left to right, on either side of the bar
BOTTOM = (tuple(range(12, 6, -1)), tuple(range(6, 0, -1)))
ROWS = 5  # checkers that a point shows; a higher stack gets a number
PANEL_COLUMN = 51
WIDTH = 80
BOARD_WIDTH = 49
PANEL_WIDTH = WIDTH - PANEL_COLUMN


class Glyphs(NamedTuple):
    """Glyphs of the board. checkers: white's (seat 0) and black's (seat 1)."""

    checkers: tuple[str, str]
    empty: tuple[str, str]  # points with an odd and an even number
    lines: str  # horizontal, vertical, then corners and crossings from the top left to the bottom right
    turn: str


ASCII = Glyphs(("O", "X"), (".", " "), "-|++++++", ">")
UNICODE = Glyphs(("○", "●"), ("·", " "), "─│╭┬╮╰┴╯", "▶")
COLOUR = Glyphs(("●", "●"), (" ", " "), "─│╭┬╮╰┴╯", "▶")


def glyphs_of(look: Look) -> Glyphs:
    """Characters that such a terminal can draw."""
    return ASCII if look.ascii else COLOUR if look.colour else UNICODE


FRAME = "#a8845a"
FELT = "on #3c6450"
WOOD = "on #6b5138"  # the bar, and where checkers are borne off to
POINTS = ("on #4b7862", "on #3f6a55")  # with an odd and an even number
CHECKERS = ("bold #fff6e0", "bold #15120f")
CHIPS = ("bold #fff6e0 on #4b7862", "bold #15120f on #4b7862")  # a player's checker, beside the board
DIE = "bold #15120f on #f4ead5"
FAINT = "dim"


def draw(
    view: View,
    side: int,
    look: Look,
    you: int | None = None,
    online: tuple[bool, bool] = (True, True),
    columns: int = WIDTH,
) -> Text:
    """The board and what stands beside it; below it, where there are less than 80 columns.

    side: the seat at the bottom. you: the seat that the reader plays, None for a watcher.
    """
    lines = _Board(view, side, look).lines()
    panel = _panel(view, side, look, you, online)
    if columns >= WIDTH:
        for number, text in panel.items():
            lines[number].append(" " * (PANEL_COLUMN - lines[number].cell_len)).append_text(text)
    else:
        lines += _below(panel)
    for line in lines:
        line.truncate(min(columns, WIDTH))
        line.rstrip()
    if columns < BOARD_WIDTH:
        lines.append(Text(f"the board needs {BOARD_WIDTH} columns, this window has {columns}"))
    return Text("\n", no_wrap=True).join(lines)


def _below(panel: dict[int, Text]) -> list[Text]:
    """Text beside a board, as three lines below it: the other player, the match, and the player at the bottom."""
    lines = []
    for numbers in ((1, 2, 4, 3), range(6, 10), (13, 12, 10, 11)):  # a name, points and pips, the clock, the cube
        first, *more = [panel[number] for number in numbers if number in panel]
        texts = [text.plain.strip().replace("owns the cube:", "cube") for text in more]
        lines.append(Text.assemble(first, *(f", {text}" for text in texts)))
    return lines


class _Board:
    """The drawing itself: fifteen lines, 48 columns wide."""

    def __init__(self, view: View, side: int, look: Look) -> None:
        self.view, self.side, self.look, self.glyphs = view, side, look, glyphs_of(look)
        self.mine, self.theirs = view.row(side), view.row(1 - side)

    def lines(self) -> list[Text]:
        vertical = self.glyphs.lines[1]
        top = [self._row(TOP, depth, upper=True) for depth in range(ROWS)]
        bottom = [self._row(BOTTOM, depth, upper=False) for depth in reversed(range(ROWS))]
        return [
            self._numbers(TOP),
            self._edge(*self.glyphs.lines[2:5]),
            *top,
            self._middle(vertical),
            *bottom,
            self._edge(*self.glyphs.lines[5:8]),
            self._numbers(BOTTOM),
        ]

    def _numbers(self, points: tuple[tuple[int, ...], ...]) -> Text:
        left, right = ("".join(f"{point:>2} " for point in half) for half in points)
        return Text.assemble((f"  {left}    {right}", self.look.style(FAINT)))

    def _edge(self, left: str, crossing: str, right: str) -> Text:
        horizontal = self.glyphs.lines[0]
        parts = (horizontal * 18, horizontal * 3, horizontal * 18, horizontal * 3)
        return Text.assemble((f" {left}{crossing.join(parts)}{right}", self.look.style(FRAME)))

    def _row(self, halves: tuple[tuple[int, ...], ...], depth: int, upper: bool) -> Text:
        """A line of checkers. depth: 0 at the edge, ROWS - 1 beside the middle."""
        vertical = (self.glyphs.lines[1], self.look.style(FRAME))
        line = Text.assemble(" ", vertical)
        for half, beyond in zip(halves, (self._bar(depth, upper), self._tray(depth, upper)), strict=True):
            for point in half:
                line.append_text(self._cell(point, depth))
            line.append(*vertical)
            line.append_text(beyond)
            line.append(*vertical)
        return line

    def _cell(self, point: int, depth: int) -> Text:
        mine, theirs = self.mine[point], self.theirs[BAR - point]
        ground = self.look.style(POINTS[point % 2 == 0])
        seat, count = (self.side, mine) if mine else (1 - self.side, theirs)
        if depth >= count:
            return Text(f" {self.glyphs.empty[point % 2 == 0]} ", ground)
        return self._checker(seat, count, last=depth == ROWS - 1, ground=ground)

    def _checker(self, seat: int, count: int, last: bool, ground: str) -> Text:
        shown = f"{count}" if last and count > ROWS else self.glyphs.checkers[seat]
        return Text(f"{shown:>2} ", f"{self.look.style(CHECKERS[seat])} {ground}".strip())

    def _bar(self, depth: int, upper: bool) -> Text:
        """Hit checkers, from the middle outwards. Ours enter in the upper half, the opponent's in the lower."""
        seat = self.side if upper else 1 - self.side
        count = self.view.row(seat)[BAR]
        height = ROWS - 1 - depth  # above the middle
        if height >= count:
            return Text("   ", self.look.style(WOOD))
        return self._checker(seat, count, last=height == ROWS - 1, ground=self.look.style(WOOD))

    def _tray(self, depth: int, upper: bool) -> Text:
        """Checkers borne off, three in a row: fifteen fit exactly."""
        seat = 1 - self.side if upper else self.side
        here = min(max(self.view.row(seat)[OFF] - 3 * depth, 0), 3)
        return Text(f"{self.glyphs.checkers[seat] * here:<3}", self.look.style(f"{CHECKERS[seat]} {WOOD}"))

    def _middle(self, vertical: str) -> Text:
        """The line between the halves: the dice, ours on the right, the opponent's on the left."""
        view = self.view
        dice = view.dice * 2 if len(set(view.dice)) == 1 else view.dice
        line = Text(" ").append(vertical, self.look.style(FRAME))
        for seat, beyond in ((1 - self.side, "bar"), (self.side, "off")):
            faces = [f" {die} " if self.look.style(DIE) else f"[{die}]" for die in dice if view.turn == seat]
            shown = Text(" ", self.look.style(FELT)).join(Text(face, self.look.style(DIE)) for face in faces)
            before = (18 - shown.cell_len) // 2
            line.append(" " * before, self.look.style(FELT)).append_text(shown)
            line.append(" " * (18 - before - shown.cell_len), self.look.style(FELT))
            line.append(vertical, self.look.style(FRAME)).append(beyond, self.look.style(f"#d8c3a0 {WOOD}"))
            line.append(vertical, self.look.style(FRAME))
        return line


def _panel(view: View, side: int, look: Look, you: int | None, online: tuple[bool, bool]) -> dict[int, Text]:
    """Text right of the board, by line number."""
    panel: dict[int, Text] = {}
    indent = " " * (6 if look.style("on") else 4)  # as the names have
    points = told_score(view.score, view.rules)
    for seat, (name, counts, cube, clock) in {1 - side: (1, 2, 3, 4), side: (13, 12, 11, 10)}.items():
        panel[name] = _player(view, seat, look, you, online[seat])
        panel[counts] = Text(f"{indent}{plural(points[seat], 'point')}, {pips(view.row(seat))} pips")
        if view.offer == 1 - seat:
            panel[cube] = Text(f"{indent}cube offered at {2 * view.cube}")
        elif view.owner == seat:
            panel[cube] = Text(f"{indent}owns the cube: {view.cube}")
        if view.clock is not None:
            panel[clock] = Text(f"{indent}clock {time_text(0, view.clock[seat] / 1000)}")
    panel |= {6 + number: Text(text) for number, text in enumerate(_about(view))}
    return panel


def _player(view: View, seat: int, look: Look, you: int | None, online: bool) -> Text:
    bold = look.style("bold")
    glyphs = glyphs_of(look)
    line = Text.assemble((f"{glyphs.turn} " if seat in view.to_act else "  ", bold))
    chip = glyphs.checkers[seat]
    line.append(f" {chip} " if look.style("on") else chip, look.style(CHIPS[seat]))
    line.append(f" {clean(view.players[seat] or '(free seat)')}", bold)
    mark = " (you)" if seat == you else " (away)" if not online and view.players[seat] else ""
    mark = mark or (" (bot)" if view.kinds[seat] == "bot" else "")
    rating = "" if view.ratings[seat] is None else f" {view.ratings[seat]}"
    if line.cell_len + len(rating + mark) <= PANEL_WIDTH:
        line.append(rating)
    line.append(mark)
    return line


def _about(view: View) -> list[str]:
    rules = view.rules
    length = rules.get("length", 0)
    lines = [f"match to {plural(int(length), 'point')}" if length else "money play", f"game {max(view.game, 1)}"]
    if rules.get("variant", "standard") != "standard":
        lines[1] += f", {rules['variant']}"
    if not rules.get("cube", True):
        lines.append("no cube")
    elif view.crawford:
        lines.append("Crawford game, no cube")
    elif view.owner is None and (view.cube > 1 or lives(view)):
        lines.append(f"cube {view.cube}, in the middle")
    return lines
