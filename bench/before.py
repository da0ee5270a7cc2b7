"""Errors by phase of the networks that shipped, earlier ones and today's, by the games they had learned from.

`python -m bench.before 30` plays so many money games of the level `expert` with each against itself, the same dice for
all, judged as `bench.levels` does. Cube and bear-off are today's in all of them. Stopped, it goes on with those that it
lacks.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from unittest.mock import patch

from bench.earlier import EARLIER, network_after
from bench.kept import kept
from bench.levels import Judged, by_phase, judged, rated
from bench.phases import Phase
from tests.support.results import recorded

GAMES = [games for games in EARLIER if games != 123_000]  # the second one lost little more than the third


def judged_after(games: int, number: int) -> Judged:
    """A game of the network that had learned from so many games."""
    network = network_after(games)
    with patch("tavla_bots.evaluator.shipped", lambda: network):
        return judged("expert", number)


def main() -> None:
    """Play, then write the table."""
    count = int(sys.argv[1])
    with ProcessPoolExecutor() as pool:
        tasks = [[games, number] for number in range(count) for games in GAMES]
        found = kept("before", tasks, judged_after, pool)
    played = {f"{games:,} games": found[place :: len(GAMES)] for place, games in enumerate(GAMES)}
    with recorded("phases_before"):
        by_phase(played)
        print(f"| all | {' | '.join(rated(some, Phase) for some in played.values())} |")


if __name__ == "__main__":
    main()
