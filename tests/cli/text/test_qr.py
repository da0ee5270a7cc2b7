"""A QR code in a terminal."""

import segno
from tavla_cli.text.qr import HALVES, MARGIN, qr_code

LINK = "https://tavla.example.org/tournaments/hq3k7m2vx5ta"


def test_two_modules_stand_in_a_character_and_the_margin_is_whole() -> None:
    rows = [
        [bool(HALVES.index(sign) & half) for sign in line]
        for line in qr_code(LINK).plain.split("\n")
        for half in (1, 2)
    ]
    wanted = [[bool(module) for module in row] for row in segno.make(LINK, micro=False).matrix_iter(border=MARGIN)]
    assert rows[: len(wanted)] == wanted
    assert not any(map(any, rows[len(wanted) :]))
    assert len(rows) <= 48, "it fits a window of 24 lines"
