"""Pace: a decision takes as long as a person's, for an opponent who follows it with the eyes."""

import random
from collections.abc import Callable
from math import log2
from typing import Any

from tavla_client.bots.turn import Turn

Pace = Callable[[str, Turn, Any], float]  # seconds for a hook's answer, at least

PLAY_S = 0.6  # for the only play that there is
TWICE_S = 0.25  # more each time that there are twice as many
CUBE_S = 2.0  # for a double, and for any answer to the opponent
SPREAD = (0.7, 1.3)
SHARE = 3  # of the free seconds of a turn, a third at most: nothing is taken from the reserve


def human_pace(hook: str, turn: Turn, answer: Any, rng: random.Random | None = None) -> float:
    """Seconds that a person takes for this answer; none to roll, or not to resign."""
    if hook == "choose_play":
        usual_s = PLAY_S + TWICE_S * log2(len(turn.plays))
    elif answer or hook in ("take_double", "accept_resign"):
        usual_s = CUBE_S
    else:
        return 0.0
    wanted_s = usual_s * (rng or random).uniform(*SPREAD)
    return wanted_s if turn.time_left is None else min(wanted_s, turn.time_left.free / SHARE)
