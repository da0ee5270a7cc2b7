"""Error rates of the computer's levels: money games against itself, judged by GNU Backgammon, two plies.

`python -m bench.levels 100` plays so many games of each level and writes two tables: PR of each level, and by phases of
the game. PR is 500 times what an average decision loses, both sides together, with its 95 % interval. Stopped, it goes
on with the games that it lacks.
"""

import asyncio
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from unittest.mock import patch

import numpy as np
from tavla_bots import BOTS
from tavla_bots.analysis import analyse
from tavla_cli.bots import local_match
from tavla_cli.bots.computer import LEVELS
from tavla_client import Failures
from tavla_engine.actions import Action
from tavla_engine.analysis import PR_FACTOR
from tavla_engine.decide import decide
from tavla_engine.dice import Roller
from tavla_engine.events import Event
from tavla_engine.match import Match, new_match
from tavla_engine.rules import Rules

from bench.kept import kept
from bench.phases import Phase, phases
from tests.support.results import recorded

MONEY = Rules(length=0, crawford=False)

Judged = dict[str, tuple[int, float]]  # by the phases of a game: decisions of both sides, and what they lost


def judged(level: str, number: int) -> Judged:
    """A game of a level against itself. The dice are the same for each level."""
    events: list[Event] = []

    def noted(match: Match, action: Action, roll: Roller) -> tuple[list[Event], Match]:
        done, after = decide(match, action, roll)
        events.extend(done)
        return done, after

    with patch("tavla_cli.bots.local_match.decide", noted):
        roll = local_match.shared_dice(f"levels:{number}")
        asyncio.run(local_match.play((BOTS[level](), BOTS[level]()), MONEY, roll, Failures()))
    plays = phases(new_match(MONEY), events)
    found: Judged = {}
    for one in analyse(new_match(MONEY), events, lambda *_: None, threading.Event(), threads=1).findings:
        phase = plays[one.turn - 1] if one.dice else Phase.CUBE
        decisions, loss = found.get(phase, (0, 0.0))
        found[phase] = decisions + one.counts, loss + one.loss
    return found


def rated(played: list[Judged], of: Iterable[Phase]) -> str:
    """PR in some phases, with its 95 % interval."""
    decisions, loss = totals(played, of).T
    if not decisions.any():
        return "–"
    mean = loss.sum() / decisions.sum()
    error = np.sqrt(np.square(loss - mean * decisions).sum()) / decisions.sum()
    return f"{PR_FACTOR * mean:.1f} ± {PR_FACTOR * 1.96 * error:.1f}"


def totals(played: list[Judged], of: Iterable[Phase]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Decisions and losses in some phases, a row for each game."""
    chosen = list(of)
    return np.array([np.sum([game.get(phase, (0, 0.0)) for phase in chosen], axis=0) for game in played])


def by_level(played: dict[str, list[Judged]]) -> None:
    """The table of levels."""
    print("| level | games | decisions | PR | of plays | of the cube |")
    print("|---|---|---|---|---|---|")
    for level, some in played.items():
        decisions = totals(some, Phase)[:, 0].sum()
        columns = rated(some, Phase), rated(some, set(Phase) - {Phase.CUBE}), rated(some, [Phase.CUBE])
        print(f"| `{level}` | {len(some)} | {decisions:.0f} | {' | '.join(columns)} |")


def by_phase(played: dict[str, list[Judged]]) -> None:
    """PR in each phase, and the phase's share of all that is lost."""
    print(f"| phase | {' | '.join(f'`{level}`' for level in played)} |")
    print(f"|---|{'---|' * len(played)}")
    for phase in Phase:
        shares = [totals(some, [phase])[:, 1].sum() / totals(some, Phase)[:, 1].sum() for some in played.values()]
        cells = [f"{rated(some, [phase])}, {share:.0%}" for some, share in zip(played.values(), shares, strict=True)]
        print(f"| {phase} | {' | '.join(cells)} |")


def main() -> None:
    """Play, then write both tables."""
    with ProcessPoolExecutor() as pool:
        tasks = {level: [[level, number] for number in range(int(sys.argv[1]))] for level in LEVELS}
        played = {level: kept("levels", some, judged, pool) for level, some in tasks.items()}
    with recorded("levels"):
        by_level(played)
    with recorded("phases"):
        by_phase(played)


if __name__ == "__main__":
    main()
