"""Training by Sage: a network comes nearer to what it is taught, and keeps what Sage does not know."""

import shutil

import numpy as np
import pytest
from tavla_bots.evaluator import OUTPUTS, evaluate_rows, shipped_network
from tavla_bots.features import WIDTH
from tavla_bots.network import Network
from tavla_engine.position import Position
from tavla_engine.rules import Variant

from tests.support.games.sage_program import need_sage
from tests.support.needs import need

pytestmark = pytest.mark.slow


def test_a_network_comes_nearer_to_sage() -> None:
    need_sage()
    need(shutil.which("cc"), "gcc", "a C compiler")
    from training.sage import Source, Stage, lessons, train

    rng = np.random.default_rng(1)
    stage = Stage((Source(Variant.STANDARD, 6000, 1), Source(Variant.LONGGAMMON, 3000, 0)), 12, (5e-3, 5e-4))
    errors = [error for _, error in train(Network.new([WIDTH, 16, 8, OUTPUTS], rng), stage, rng)]
    assert len(errors) == 12
    assert errors[-1] < 0.7 * errors[0]

    boards, targets = lessons(shipped_network(), stage.sources[0], rng)
    house = evaluate_rows([Position(bytes(board[:26]), bytes(board[26:])) for board in boards])
    assert len({bytes(board) for board in boards}) == len(boards)
    assert np.sqrt(np.square(house - targets).mean(axis=0)).max() < 0.05, "the network that ships has learned from it"
