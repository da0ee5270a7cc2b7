"""A play as people write it: `24/18/13`, `bar/22* 8/3(2)`, `6/off`. Knows the board, but no rules.

A play is moves between blanks or commas; a move is the points that one checker touches, between slashes or
dashes, in the mover's own numbering: `bar` (or `b`, `25`), 24 to 1, `off` (or `o`, `0`). `*` marks a hit, `(2)` a
move made by so many checkers. Points may also stand in pairs without a slash, as
FIBS has them: `8 5 6 5`. Source: bkgm.com/faq/BasicRules.html, "How do you read backgammon notation".
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from tavla_engine.errors import BadText
from tavla_engine.position import BAR, OFF, Move, Play, Position

MAX_TEXT = 100  # characters; the longest play there is takes about 50
MAX_MOVES = 4  # a double is played four times
_SEPARATORS = re.compile(r"[\s,;]+")
_REPEATED = re.compile(r"(.*?)(?:\(([1-4])\))?\*?")
_NAMES = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF} | {str(point): point for point in range(26)}


def parse_play(text: str) -> Play:
    """The moves of a play, as they are written; the rules decide what they mean. No text: no moves.

    `24/18/13` becomes (24, 18), (18, 13); `24/13` stays one move. `*` may be given or left out.
    Raises: BadText, which says what cannot be read.
    """
    if len(text) > MAX_TEXT:
        raise BadText(f"a play has no more than {MAX_TEXT} characters, this one has {len(text)}")
    moves: list[Move] = []
    for word in _paired([word for word in _SEPARATORS.split(text.strip().lower()) if word]):
        moves += _parse_word(word)
    if len(moves) > MAX_MOVES:
        raise BadText(f"{text!r}: a play has no more than {MAX_MOVES} moves, these are {len(moves)}")
    return tuple(moves)


def format_play(position: Position, moves: Iterable[Move]) -> str:
    """A play in the usual order, highest point first: one checker's moves joined, hits and repeats marked.

    position: the board before the play, seen by the mover. A point that is only touched (24/18/13) is left out,
    unless something is hit there (24/18*/13). GNU Backgammon writes plays in the same way. No moves: no text.
    """
    blots = {point for point in range(1, BAR) if position.theirs[BAR - point] == 1}
    paths: list[_Path] = []
    for source, target in sorted(moves, reverse=True):
        hit = target in blots
        blots.discard(target)
        path = next((path for path in paths if path.points[-1] == source), None)
        if path is None:
            paths.append(_Path([source, target], [hit]))
        else:
            path.points.append(target)
            path.hits.append(hit)
    return " ".join(_repeated([path.text() for path in paths]))


def format_moves(moves: Iterable[Move]) -> str:
    """Each move by itself, as programs read it: `24/18 18/13`, without a mark for what is hit."""
    return " ".join(f"{_name(source)}/{_name(target)}" for source, target in moves)


class _Path(NamedTuple):
    """The way of one checker. hits: whether something is hit on each point after the first."""

    points: list[int]
    hits: list[bool]

    def text(self) -> str:
        words = [_name(self.points[0])]
        for point, hit in zip(self.points[1:], self.hits, strict=True):
            if hit or point == self.points[-1]:
                words.append(_name(point) + "*" * hit)
        return "/".join(words)


def _paired(words: list[str]) -> list[str]:
    """Points without a slash between them are a pair each, if all are: `8 5 6 5`."""
    if len(words) % 2 or not all(word in _NAMES for word in words):
        return words
    return [f"{source}/{target}" for source, target in zip(words[::2], words[1::2], strict=True)]


def _parse_word(word: str) -> list[Move]:
    repeated = _REPEATED.fullmatch(word)
    assert repeated is not None, "the pattern fits any word"
    names = [name.removesuffix("*") for name in re.split("[/-]", repeated[1])]
    for name in names:
        if name not in _NAMES:
            raise BadText(f"cannot read {word!r:.60}: write the points between slashes, as in 13/8, bar/22 or 6/off")
    if len(names) < 2:
        raise BadText(f"{word!r:.60} names one point: write where the checker comes from and where it goes, as in 13/8")
    points = [_NAMES[name] for name in names]
    for source, target in pairwise(points):
        if source <= target:
            raise BadText(f"{word!r:.60}: a checker moves from a higher point to a lower one")
    return list(pairwise(points)) * int(repeated[2] or 1)


def _repeated(texts: list[str]) -> list[str]:
    """Equal moves counted, `6/1* 6/1` as `6/1*(2)`."""
    counts: dict[str, int] = {}
    for text in texts:
        plain = text.removesuffix("*")
        known = next((other for other in (plain, plain + "*") if other in counts), None)
        counts[known or text] = counts.get(known or text, 0) + 1
    return [text if count == 1 else f"{text}({count})" for text, count in counts.items()]


def _name(point: int) -> str:
    return "bar" if point == BAR else "off" if point == OFF else str(point)
