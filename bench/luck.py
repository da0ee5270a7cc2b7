"""Strength against GNU Backgammon, 0-ply, for money without the luck of the dice: `python -m bench.luck`.

Games as `bench.strength` plays them, the same deals. Each roll is taken for what it adds to the equity of its player,
cube included, by our own network one roll ahead. On average that is nothing, however good the network is; without it a
tenth of the games say as much.
"""

import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from unittest.mock import patch

import numpy as np
from tavla_bots.evaluator import OUTPUTS, VALUES, shipped
from tavla_bots.lookahead import CHANCES, ROLLS
from tavla_bots.training.native import BOARD, after_states, least
from tavla_bots.training.self_play import judged
from tavla_cli.bots import local_match
from tavla_engine.actions import Action
from tavla_engine.apply import apply
from tavla_engine.decide import decide
from tavla_engine.dice import Roller
from tavla_engine.events import Event, OpeningRolled, Rolled
from tavla_engine.match import Match, new_match

from bench.kept import kept
from bench.strength import THREADS, Row, deal, judged_ahead
from tests.support.results import recorded

Steps = list[tuple[Match, list[Event]]]

ROWS = (Row("expert", 0, False, 70), Row("world-class", 0, False, 120))


class Noted(threading.local):
    """Steps of a thread's deal: states, and the events that they led to."""

    def __init__(self) -> None:
        self.steps: Steps = []


noted = Noted()


def decide_and_note(match: Match, action: Action, roll: Roller) -> tuple[list[Event], Match]:
    """As the engine decides."""
    events, after = decide(match, action, roll)
    noted.steps.append((match, events))
    return events, after


def luck(steps: Steps) -> float:
    """Points that the dice of both games of a deal brought its first bot, seat 0 and then seat 1."""
    boards, rolls, stakes, opening, game = list[bytes](), list[int](), list[int](), list[bool](), -1
    for match, events in steps:
        game += match == new_match(match.rules)
        for event in events:
            if isinstance(event, Rolled) or (isinstance(event, OpeningRolled) and event.dice[0] != event.dice[1]):
                one, two = (event.die_1, event.die_2) if isinstance(event, Rolled) else event.dice
                seat = event.seat if isinstance(event, Rolled) else int(two > one)
                boards.append(match.board[seat] + match.board[1 - seat])
                rolls.append(ROLLS.index((max(one, two), min(one, two))))
                stakes.append(match.cube.value * (1 if seat == game else -1))
                opening.append(isinstance(event, OpeningRolled))  # as good for either side: worth nothing before
            match = apply(match, event)
    every = np.repeat(np.frombuffer(b"".join(boards), np.uint8).reshape(-1, BOARD), len(ROLLS), axis=0)
    found, starts = after_states(every, np.tile(np.array(ROLLS, np.uint8), (len(boards), 1)))
    judgements = judged(shipped(), found)
    after = judgements[least(judgements @ VALUES, starts)].reshape(-1, len(ROLLS), OUTPUTS)
    worth = 1 - after @ VALUES
    before = np.where(opening, 0, worth @ CHANCES)
    return float(np.dot(stakes, worth[np.arange(len(rolls)), rolls] - before))


def without(name: str, length: int, cube: bool, number: int) -> tuple[float, float]:
    """The bot's mean gain of both sides of a deal, as played and without luck."""
    noted.steps = []
    won = deal(name, length, cube, number)
    return won, won - luck(noted.steps) / 2


def measured(row: Row, pool: Executor) -> str:
    """A line of the table, in Markdown."""
    tasks = [[row.bot, row.length, row.cube, number] for number in range(row.games // 2)]
    scores = [local_match.score(some, row.games) for some in zip(*kept("luck", tasks, without, pool), strict=True)]
    cells = " | ".join(f"{score.mean:+.3f} ± {score.plus_minus:.3f}" for score in scores)
    return f"| `{row.bot}` | money, {'with' if row.cube else 'no'} cube | {row.games} | {cells} |"


def main() -> None:
    """Play, then write the table."""
    ahead, noting = (
        patch("tavla_bots.house.judged_ahead", judged_ahead),
        patch.object(local_match, "decide", decide_and_note),
    )
    with ahead, noting, ThreadPoolExecutor(THREADS) as pool:
        lines = [measured(row, pool) for row in ROWS]
    with recorded("luck"):
        print("| against GNU Backgammon, 0-ply | rules | games | points a game | without luck |")
        print("|---|---|---|---|---|")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
