"""A link as a QR code in a terminal, for the phones of those around."""

import segno
from rich.text import Text

MARGIN = 2  # modules; readers ask for some
HALVES = " ▀▄█"  # of a character: none, the upper, the lower, both


def qr_code(link: str) -> Text:
    """The code of a link, two modules a character; dark on light, whatever the terminal's colours are."""
    rows = [list(row) for row in segno.make(link, micro=False).matrix_iter(border=MARGIN)]
    rows.extend([[0] * len(rows[0])] * (len(rows) % 2))
    lines = (
        "".join(HALVES[bool(upper) + 2 * bool(lower)] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
    return Text("\n".join(lines), "black on bright_white", no_wrap=True)
