"""A board as SVG: checkers, dice, cube, pips and score, seen by the player at the bottom.

It holds no text: a machine that makes a PNG of it needs no fonts, and it looks the same everywhere. Lengths are units
of the drawing; the plan is that of the page (`clients/web/src/core/board/plan.ts`).
"""

import math
import re
from collections.abc import Iterable, Sequence

from tavla_engine.match import Match
from tavla_engine.position import BAR, OFF, pips

from tavla_server.features.pictures.signs import signs

COLUMN, RADIUS, SIDE, EDGE, BOARD, STRIP = 50, 23, 10, 24, 610, 44
WIDTH, HEIGHT = 14 * COLUMN + 2 * SIDE, BOARD + 2 * STRIP
MOVES = 8  # the most arrows
FRAME, FIELD, TRAY, MARK, SIGN = "#4a3a2f", "#e6d9c1", "#3a2d24", "#2b6a51", "#d8c8b4"
POINTS = "#cdb58f", "#a9764f"
CHECKERS = ("#fbf6ea", "#8d8068"), ("#2b2826", "#6b645d")  # of seat 0 and 1: body, rim
DOTS = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
MOVE = re.compile(r"\b(bar|2[0-5]|1[0-9]|[1-9])/(off|2[0-4]|1[0-9]|[1-9])\b", re.IGNORECASE)


def parse_moves(text: str) -> list[tuple[int, int]]:
    """The steps in a text such as `24/18,13/11`; at most `MOVES` of them. What is no step is passed over."""
    return [(_place(start), _place(end)) for start, end in MOVE.findall(text)[:MOVES]]


def _place(text: str) -> int:
    return {"bar": BAR, "off": OFF}.get(text.lower()) or int(text if text.isdigit() else OFF)


def draw(match: Match, moves: Sequence[tuple[int, int]] = ()) -> str:
    """The board of a match as SVG, seat 0 at the bottom. moves: arrows, in the numbering of the player on roll."""
    return picture(
        f'<g transform="translate(0 {STRIP})">',
        *_ground(match.turn),
        *_checkers(match),
        *_dice(match),
        *_cube(match),
        *_arrows(match, moves),
        "</g>",
        *_strip(match, 1, STRIP / 2 + 6),
        *_strip(match, 0, HEIGHT - STRIP / 2 - 6),
    )


def picture(*parts: str) -> str:
    """A picture as SVG, on the wood of a board."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<title>Backgammon</title><rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="{FRAME}"/>'
    )
    return "".join((head, *parts, "</svg>"))


def column_of(point: int) -> int:
    """The column of a point from the left, as seat 0 counts; the tray is the last one."""
    if point in (OFF, BAR):
        return 13 if point == OFF else 6
    if point <= 12:
        return 13 - point if point <= 6 else 12 - point
    return point - 13 if point <= 18 else point - 12


def _middle(point: int) -> float:
    return SIDE + (column_of(point) + 0.5) * COLUMN


def _spot(seat: int, point: int, slot: int, count: int) -> tuple[float, float]:
    """Place of a checker in the drawing. point: in its owner's numbering."""
    half, away = BOARD / 2, -1 if seat else 1
    if point == BAR:
        return _middle(BAR), half + away * (52 + slot * min(46, 190 / count))
    if point == OFF:
        return _middle(OFF), half + away * (half - EDGE - 9 - slot * 13.5)
    seen = 25 - point if seat else point
    room = half - EDGE - RADIUS - 40
    start = RADIUS + 1 + slot * min(2 * RADIUS, (room - RADIUS) / max(1, count - 1))
    return _middle(seen), EDGE + start if seen > 12 else BOARD - EDGE - start


def _ground(turn: int) -> Iterable[str]:
    for first in (0, 7, 13):
        width = COLUMN * (1 if first == 13 else 6)
        fill = TRAY if first == 13 else FIELD
        yield (
            f'<rect x="{SIDE + first * COLUMN}" y="{EDGE}" width="{width}" height="{BOARD - 2 * EDGE}" rx="4"'
            f' fill="{fill}"/>'
        )
    for point in range(1, 25):
        top, x = point > 12, _middle(point)
        base, tip = (EDGE, BOARD / 2 - 46) if top else (BOARD - EDGE, BOARD / 2 + 46)
        fill = POINTS[column_of(point) % 2 == int(top)]
        yield f'<path d="M{x - 24:g} {base}L{x:g} {tip:g}L{x + 24:g} {base}Z" fill="{fill}"/>'
        number = 25 - point if turn else point
        yield signs(str(number), x, EDGE / 2 if top else BOARD - EDGE / 2, 10, SIGN)


def _checkers(match: Match) -> Iterable[str]:
    for seat, row in enumerate(match.board):
        body, rim = CHECKERS[seat]
        for point, count in enumerate(row):
            for slot in range(count):
                x, y = _spot(seat, point, slot, count)
                if point == OFF:
                    yield (
                        f'<rect x="{x - RADIUS:g}" y="{y - 6:g}" width="{2 * RADIUS}" height="12" rx="4" fill="{body}"'
                        f' stroke="{rim}"/>'
                    )
                    continue
                yield f'<circle cx="{x:g}" cy="{y:.1f}" r="{RADIUS - 0.5}" fill="{body}" stroke="{rim}"/>'
                yield f'<circle cx="{x:g}" cy="{y:.1f}" r="{RADIUS - 6}" fill="none" stroke="{rim}" opacity=".6"/>'


def _dice(match: Match) -> Iterable[str]:
    """The dice in the half of their player: right for seat 0."""
    if match.dice is None:
        return
    ink, paper = CHECKERS[1 - match.turn][0], CHECKERS[match.turn][0]
    for index, value in enumerate(match.dice):
        x, y = SIDE + COLUMN * ((2 if match.turn else 9) + index * 1.2) + 17, BOARD / 2 - 22
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="44" height="44" rx="9" fill="{paper}" stroke="{CHECKERS[match.turn][1]}"'
            ' stroke-width="1.5"/>'
        )
        for dot in DOTS[value]:
            yield f'<circle cx="{x + 11 + 11 * (dot % 3):g}" cy="{y + 11 + 11 * (dot // 3):g}" r="4.4" fill="{ink}"/>'


def _cube(match: Match) -> Iterable[str]:
    """The cube on the bar: in the middle, or at its owner's edge; beside the dice's place when it is offered."""
    if not match.rules.cube:
        return
    owner, offer, value = match.cube.owner, match.offer, match.cube.value
    x, y = _middle(BAR), BOARD / 2
    if offer is not None:
        x, value = SIDE + COLUMN * (9.9 if match.turn == 0 else 3.1), 2 * value
    elif owner is not None:
        y += (BOARD / 2 - EDGE - 28) * (-1 if owner else 1)
    shown = str(value) if offer or owner is not None or value > 1 else "64"
    yield (
        f'<rect x="{x - 20:g}" y="{y - 20:g}" width="40" height="40" rx="7" fill="#f4efe4" stroke="#8d8068"'
        ' stroke-width="1.5"/>'
    )
    yield signs(shown, x, y, min(20, 204 / (5.6 * len(shown) - 1.6)), "#2b2825")


def _arrows(match: Match, moves: Sequence[tuple[int, int]]) -> Iterable[str]:
    """Arrows from where each checker lies to where it comes to lie; in the numbering of the player on roll."""
    row = list(match.board[match.turn])
    for start, end in moves:
        slot = max(0, row[start] - 1)
        x1, y1 = _spot(match.turn, start, slot, max(1, row[start]))
        row[start] = slot
        row[end] += 1
        x2, y2 = _spot(match.turn, end, row[end] - 1, row[end])
        length = math.hypot(x2 - x1, y2 - y1) or 1
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        x, y = x2 - 18 * dx, y2 - 18 * dy
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}L{x:.1f} {y:.1f}" stroke="{MARK}" stroke-width="8" stroke-linecap="round"/>'
            f'<path d="M{x2:.1f} {y2:.1f}L{x - 13 * dy:.1f} {y + 13 * dx:.1f}L{x + 13 * dy:.1f} {y - 13 * dx:.1f}Z"'
            f' fill="{MARK}"/>'
        )


def _strip(match: Match, seat: int, y: float) -> Iterable[str]:
    """A seat, above or below the board: its colour, its pips, its points of the match."""
    body, rim = CHECKERS[seat]
    yield f'<circle cx="{SIDE + 24}" cy="{y:g}" r="11" fill="{body}" stroke="{rim}"/>'
    yield signs(str(pips(match.board[seat])), SIDE + 74, y, 18, SIGN)
    if match.turn == seat and match.outcome is None:
        yield f'<path d="M{SIDE + 2} {y - 6:g}l8 6l-8 6z" fill="{SIGN}"/>'
    length = match.rules.length
    score = f"{match.score[seat]}/{length}" if length else str(match.score[seat])
    yield signs(score, WIDTH - SIDE - 44, y, 18, SIGN)
