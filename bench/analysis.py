"""Our figures of ten matches, by GNU Backgammon and by the house evaluator, beside its own (`show statistics match`).

`python -m bench.analysis` prints the table of bench/results, in some minutes.
"""

import threading
from pathlib import Path

from tavla_bots.analysis import analyse, by_house
from tavla_engine.mat import import_mat

from tests.support.games.figures import gnubg_figures, our_figures
from tests.support.results import recorded

MATCHES = Path(__file__).parent.parent / "tests" / "data" / "matches"


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
    with recorded("analysis"):
        main()
