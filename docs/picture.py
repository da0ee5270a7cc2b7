"""Draws docs/board.svg, the picture in the README: `python docs/picture.py`."""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from tavla_cli.screens.board import draw
from tavla_cli.text.look import Look
from tavla_engine.position import row
from tavla_protocol.view import View

VIEW = View(
    name="ada",
    rules={"length": 5, "cube": True},
    players=("ada", "grace"),
    phase="move",
    dice=(6, 3),
    points=row(p24=1, p20=1, p13=4, p8=3, p6=4, p5=2) + row(p24=2, p13=3, p8=4, p7=2, p6=3, bar=1),
    cube=2,
    owner=0,
    score=(2, 1),
    game=3,
)


def main() -> None:
    console = Console(file=io.StringIO(), record=True, width=80, force_terminal=True, color_system="truecolor")
    console.print("grace rolls 6-5 and cannot move\n", highlight=False)
    console.print(draw(VIEW, 0, Look(), you=0))
    console.print("\nyour 6-3> [bold]24/18 13/10[/]", highlight=False)
    svg = console.export_svg(title="tavla join ada", theme=MONOKAI)
    # No fonts from elsewhere: the reader's own monospace will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")
    Path(__file__).with_name("board.svg").write_text(svg)


if __name__ == "__main__":
    main()
