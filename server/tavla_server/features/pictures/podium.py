"""The result of a tournament as SVG: its first three, with their points. It holds no text, as a board."""

from collections.abc import Iterable, Sequence

from tavla_server.features.pictures.board import CHECKERS, FIELD, HEIGHT, MARK, POINTS, SIGN, WIDTH, picture
from tavla_server.features.pictures.signs import signs

BLOCKS = (260, 200), (50, 150), (470, 110)  # of the first, the second, the third: its left edge and its height
BLOCK_WIDTH, FOOT, DISC = 200, HEIGHT - 60, 62


def draw_podium(leaders: Sequence[tuple[str, int]]) -> str:
    """Blocks for the first three, or as many as there are, each with place, name, and a checker with its points."""
    return picture(
        f'<rect x="24" y="24" width="{WIDTH - 48}" height="{HEIGHT - 48}" rx="6" fill="{FIELD}"/>',
        *_points(),
        *(part for place, one in enumerate(leaders[: len(BLOCKS)]) for part in _block(place, *one)),
    )


def _points() -> Iterable[str]:
    """Points of a board, behind all."""
    for index in range(6):
        x = 24 + (WIDTH - 48) * (index + 0.5) / 6
        fill = POINTS[index % 2]
        yield f'<path d="M{x - 48:.1f} 24L{x:.1f} 330L{x + 48:.1f} 24Z" fill="{fill}" opacity=".45"/>'


def _block(place: int, name: str, points: int) -> Iterable[str]:
    left, height = BLOCKS[place]
    middle, head = left + BLOCK_WIDTH / 2, FOOT - height
    body, rim = CHECKERS[place % 2]
    yield f'<rect x="{left}" y="{head}" width="{BLOCK_WIDTH}" height="{height}" rx="6" fill="{MARK}"/>'
    yield signs(str(place + 1), middle, head + 40, 44, SIGN)
    yield signs(name, middle, head + 86, min(20, 6 * (BLOCK_WIDTH - 16) / (5.6 * len(name))), SIGN)
    yield f'<circle cx="{middle:g}" cy="{head - DISC:g}" r="{DISC}" fill="{body}" stroke="{rim}" stroke-width="3"/>'
    yield f'<circle cx="{middle:g}" cy="{head - DISC:g}" r="{DISC - 14}" fill="none" stroke="{rim}" stroke-width="3"/>'
    yield signs(str(points), middle, head - DISC, 30, CHECKERS[1 - place % 2][0])
