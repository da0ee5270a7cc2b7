"""The figures of an analysed match: as GNU Backgammon's own statistics give them, and as ours do."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from tavla_bots.gnubg_process import gnubg_path
from tavla_engine.analysis import SIGNS, Analysis
from tavla_engine.mat import export_mat
from tavla_engine.transcript import MatRecord

_NUMBER = r"([+-]?\d+(?:\.\d+)?)(?:\s*\(\s*[+-][\d.]+%?\))?"
_ROWS = {
    "unforced": "Unforced moves",
    "luck": r"Luck total EMG \((?:MWC|Points)\)",
    "errors": r"Error total EMG \((?:MWC|Points)\)",
    "?!": "Moves marked doubtful",
    "?": "Moves marked bad",
    "??": "Moves marked very bad",
}


class Figures(NamedTuple):
    """Of one player. marked: doubtful, bad, very bad plays. plays, cube, luck: equity."""

    unforced: int
    marked: list[int]
    plays: float
    cube: float
    luck: float


def gnubg_figures(record: MatRecord) -> tuple[Figures, Figures]:
    """GNU Backgammon's own statistics of the match, when it reads and analyses our `.mat`."""
    program = gnubg_path()
    assert program is not None, "apt-get install gnubg"
    with tempfile.TemporaryDirectory() as home:
        Path(home, "ours.mat").write_text(export_mat(*record[:3]), "utf-8")
        commands = ["set automatic roll off", "import mat ours.mat", "analyse match", "show statistics match", ""]
        done = subprocess.run(
            [program, "-t", "-q"],
            input="\n".join(commands),
            cwd=home,
            env={**os.environ, "HOME": home, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=True,
        )
    rows = {
        name: [tuple(map(float, pair)) for pair in re.findall(rf"^{title}\s+{_NUMBER}\s+{_NUMBER}", done.stdout, re.M)]
        for name, title in _ROWS.items()
    }
    first, second = (
        Figures(
            unforced=int(rows["unforced"][0][seat]),
            marked=[int(rows[sign][0][seat]) for sign in SIGNS[1:]],
            plays=-rows["errors"][0][seat],
            cube=-rows["errors"][1][seat],
            luck=rows["luck"][0][seat],
        )
        for seat in (0, 1)
    )
    return first, second


def our_figures(analysis: Analysis) -> tuple[Figures, Figures]:
    """The same, as `tavla analyse` tells it."""
    first, second = (
        Figures(
            unforced=analysis.plays(seat).decisions,
            marked=[
                sum(one.seat == seat and one.mark == sign and one.dice is not None for one in analysis.findings)
                for sign in SIGNS[1:]
            ],
            plays=analysis.plays(seat).loss,
            cube=analysis.cube(seat).loss,
            luck=analysis.luck[seat],
        )
        for seat in (0, 1)
    )
    return first, second
