"""Our figures of a match beside GNU Backgammon's own analysis of its `.mat`.

`python -m bench.analysis` prints the table of docs/analysis.md, in some minutes.
"""

import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from tavla_bots.analysis import analyse, by_house
from tavla_bots.gnubg_process import installed
from tavla_engine.analysis import Analysis
from tavla_engine.mat import MatRecord, export_mat, import_mat

MATCHES = Path(__file__).parent.parent / "tests" / "data" / "matches"
_NUMBER = r"([+-]?\d+(?:\.\d+)?)(?:\s*\(\s*[+-][\d.]+%?\))?"
_ROWS = {
    "unforced": "Unforced moves",
    "close": "Close or actual cube decisions",
    "luck": r"Luck total EMG \((?:MWC|Points)\)",
    "errors": r"Error total EMG \((?:MWC|Points)\)",
    "rate": r"Error rate mEMG \((?:MWC|Points)\)",
}


class Figures(NamedTuple):
    """Of one player. plays, cube, luck: equity. pr: None without a decision."""

    unforced: int
    plays: float
    close: int
    cube: float
    luck: float
    pr: float | None


def gnubg_figures(record: MatRecord) -> tuple[Figures, Figures]:
    """What GNU Backgammon's own statistics say of the match, when it reads and analyses our `.mat`."""
    program = installed()
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
            plays=-rows["errors"][0][seat],
            close=int(rows["close"][0][seat]),
            cube=-rows["errors"][1][seat],
            luck=rows["luck"][0][seat],
            pr=-rows["rate"][-1][seat] / 2,  # thousandths of equity for each decision, and 500 for one of 1
        )
        for seat in (0, 1)
    )
    return first, second


def our_figures(analysis: Analysis) -> tuple[Figures, Figures]:
    """The same, as `tavla analyse` tells it."""
    first, second = (
        Figures(
            unforced=analysis.plays(seat).decisions,
            plays=analysis.plays(seat).loss,
            close=analysis.cube(seat).decisions,
            cube=analysis.cube(seat).loss,
            luck=analysis.luck[seat],
            pr=analysis.all(seat).rating,
        )
        for seat in (0, 1)
    )
    return first, second


def main() -> None:
    """The table, line by line."""
    print(
        "| match | player | plays: gnubg | tavla | cube: gnubg | tavla | luck: gnubg | tavla"
        " | PR: gnubg | tavla | house |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for file in sorted(MATCHES.glob("*.mat")):
        record = import_mat(file.read_text("utf-8"))
        asked = record.start, record.events, lambda _, __: None, threading.Event()
        theirs, ours, house = gnubg_figures(record), our_figures(analyse(*asked)), our_figures(by_house(*asked))
        for name, g, t, h in zip(record.names, theirs, ours, house, strict=True):
            cells = [
                file.stem,
                name,
                f"{g.plays:.3f} in {g.unforced}",
                f"{t.plays:.3f} in {t.unforced}",
                f"{g.cube:.3f} in {g.close}",
                f"{t.cube:.3f} in {t.close}",
                f"{g.luck:+.3f}",
                f"{t.luck:+.3f}",
                *(f"{one.pr:.2f}" for one in (g, t, h) if one.pr is not None),
            ]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
