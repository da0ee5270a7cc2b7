"""Evaluation of positions: the house bot's judgement.

One function stands for all of it, `evaluate`: positions in, probabilities out. Races with all checkers home are exact,
from `bearoff`. Everything else comes from a small network over `features`; it learned its weights by playing against
itself, and from Sage (`training/`). Games with as many checkers have the same network: their starts alone differ.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tavla_engine.position import Position
from tavla_engine.rules import STARTS, Variant

from tavla_bots import bearoff
from tavla_bots.features import Counts, Floats, contact, features, rows
from tavla_bots.network import Network

NETWORKS = {  # files, by the games that can be judged
    Variant.STANDARD: "network.bin",
    Variant.NACKGAMMON: "network.bin",
    Variant.HYPERGAMMON: "hypergammon.bin",
    Variant.LONGGAMMON: "network.bin",
}


class Outlook(NamedTuple):
    """The outlook: probabilities, for the player on roll, of a game played to its end: each includes those of the next
    column.

    win; gammon: to win at least a gammon; backgammon; and the same for the opponent's wins.
    """

    win: float
    gammon: float
    backgammon: float
    lost_gammon: float
    lost_backgammon: float

    @property
    def equity(self) -> float:
        """Points that a game is worth without a cube, at one point."""
        return 2 * self.win - 1 + self.gammon + self.backgammon - self.lost_gammon - self.lost_backgammon


FEW = sum(STARTS[Variant.HYPERGAMMON])  # checkers of a side, by which this game is told from the others
OUTPUTS = len(Outlook._fields)
VALUES = np.array([2, 1, 1, -1, -1], np.float32)  # of each probability in equity, beside the constant -1
_OTHER = [0, 3, 4, 1, 2]  # outputs as the other side sees them; a win is then 1 - win


def evaluate(positions: Sequence[Position]) -> list[Outlook]:
    """The outlook of each position for the player on roll, before the roll."""
    return [Outlook(*map(float, line)) for line in evaluate_rows(positions)]


def evaluate_rows(positions: Sequence[Position]) -> Floats:
    """Evaluate positions, one row of OUTPUTS probabilities for each position: for those who weigh hundreds of plays."""
    mine, theirs = rows(positions)
    found, few = np.empty((len(positions), OUTPUTS), np.float32), mine.sum(axis=1) == FEW
    for variant, here in ((Variant.STANDARD, ~few), (Variant.HYPERGAMMON, few)):
        if here.any():
            found[here] = probabilities(shipped_network(variant), mine[here], theirs[here])
    return found


def equities(found: Floats, value: Sequence[float] | Floats) -> Floats:
    """Equities, one for each row of probabilities. value: of each output.

    Without BLAS: now and then its product with so short a vector warns of an invalid value where all are finite.
    """
    return np.asarray(np.einsum("...o,o->...", found, np.array(value, np.float32)))


def other_side_rows(found: Floats) -> Floats:
    """Rows of probabilities as the other side sees them."""
    other = found[:, _OTHER]
    other[:, 0] = 1 - found[:, 0]
    return other


def shipped_network(variant: Variant = Variant.STANDARD) -> Network:
    """The network of a game that ships with this package."""
    return _network(NETWORKS[variant])


@cache
def _network(file: str) -> Network:
    return Network.decode((files("tavla_bots") / file).read_bytes())


def probabilities(network: Network, mine: Counts, theirs: Counts) -> Floats:
    """A row of OUTPUTS probabilities for each position: from the rules and the bear-off, else the network."""
    return exact_rows(network(features(mine, theirs)), mine, theirs)


def exact_rows(found: Floats, mine: Counts, theirs: Counts) -> Floats:
    """A network's probabilities, with what the rules and the bear-off say for certain in their place."""
    found[:, 1] *= theirs[:, 0] == 0  # with a checker borne off no gammon is lost
    found[:, 3] *= mine[:, 0] == 0
    found[:, 1] = np.minimum(found[:, 1], found[:, 0])
    found[:, 3] = np.minimum(found[:, 3], 1 - found[:, 0])
    found[:, 2] = np.minimum(found[:, 2], found[:, 1])
    found[:, 4] = np.minimum(found[:, 4], found[:, 3])
    exact = bearing_off(mine, theirs)
    if exact.any():
        found[exact] = _bearoff(mine[exact], theirs[exact])
    over = theirs[:, 0] == theirs.sum(axis=1)
    if over.any():
        found[over] = _lost(mine[over])
    return found


def bearing_off(mine: Counts, theirs: Counts) -> NDArray[np.bool_]:
    """True if all checkers of both sides are home and have passed each other."""
    outside = mine[:, 7:].any(axis=1) | theirs[:, 7:].any(axis=1)
    return ~outside & ~contact(mine, theirs)


def _bearoff(mine: Counts, theirs: Counts) -> Floats:
    """A gammon is still possible only when one side has borne off nothing and the other needs one roll."""
    found = np.zeros((len(mine), OUTPUTS), np.float32)
    found[:, 0] = bearoff.race(mine, theirs)
    found[:, 1] = np.minimum(bearoff.off_in_one(mine), found[:, 0]) * (theirs[:, 0] == 0)  # a sum of rounded ones
    return found


def _lost(mine: Counts) -> Floats:
    """The opponent has borne off the last checker."""
    found = np.zeros((len(mine), OUTPUTS), np.float32)
    found[:, 3] = mine[:, 0] == 0
    found[:, 4] = found[:, 3] * mine[:, 19:].any(axis=1)
    return found
