"""Legal plays and features in C: positions.c, compiled with the system's `cc` at first use. It does not ship.

A board is a row of 52 counts: the player on roll's row, then the opponent's. The engine and `features` say the same.
"""

import ctypes
import random
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tavla_bots.features import MISS, WIDTH, Counts, Floats
from tavla_bots.network import Network
from tavla_engine.dice import Dice
from tavla_engine.position import Play

Places = NDArray[np.int64]

BOARD = 52
MOST = 4096  # boards after one roll: positions.c has the same
_WAY = 8  # bytes of the moves of a play: positions.c has the same
_LANES = 32  # units of a first layer that positions.c has in hand at once
_USUAL = 32  # boards after a roll, with some to spare
# Sums in any order, as vectors want them. Not -ffast-math: linked so, it rounds all tiny numbers of the process to 0.
_SUMS = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno")
_OPTIONS = ("-O3", "-march=native", *_SUMS, "-shared", "-fPIC")
_BYTES, _FLOATS, _PLACES = (np.ctypeslib.ndpointer(kind, flags="C") for kind in (np.uint8, np.float32, np.int64))


@cache
def _library() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/positions.so"
        source = Path(__file__).with_name("positions.c")
        subprocess.run(["cc", *_OPTIONS, "-o", library, source], check=True)
        loaded = ctypes.CDLL(library)
    loaded.after_states.argtypes = [_BYTES, _BYTES, ctypes.c_int, _BYTES, ctypes.c_int64, _PLACES]
    loaded.random_play.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_uint32, ctypes.c_char_p]
    loaded.least.argtypes = [_FLOATS, _PLACES, ctypes.c_int, _PLACES]
    loaded.features.argtypes = [_BYTES, ctypes.c_int64, _FLOATS, _FLOATS]
    loaded.first_layer.argtypes = [_BYTES, ctypes.c_int64, _FLOATS, _FLOATS, _FLOATS, ctypes.c_int, _FLOATS]
    return loaded


def after_states(boards: Counts, dice: Counts) -> tuple[Counts, Places]:
    """Boards after every legal play of each board's dice, as the opponent sees them; those of board i are
    found[starts[i]:starts[i + 1]].
    """
    starts = np.zeros(len(boards) + 1, np.int64)
    room = len(boards) * _USUAL + MOST
    while True:
        found = np.empty((room, BOARD), np.uint8)
        if _library().after_states(boards, dice, len(boards), found, room, starts):
            return found[: starts[-1]], starts
        room *= 2


def random_play(board: bytes, dice: Dice, rng: random.Random) -> Play:
    """One of the legal plays of a roll."""
    way = ctypes.create_string_buffer(_WAY)
    _library().random_play(board, *dice, rng.getrandbits(32), way)
    raw = way.raw
    return tuple((raw[at], raw[at + 1]) for at in range(0, _WAY, 2) if raw[at])


def least(values: Floats, starts: Places) -> Places:
    """The place of the least value of each part of `values`."""
    places = np.empty(len(starts) - 1, np.int64)
    _library().least(values, starts, len(places), places)
    return places


def board_features(boards: Counts) -> Floats:
    """Features of boards, as `tavla_bots.features.features` has them."""
    found = np.empty((len(boards), WIDTH), np.float32)
    _library().features(boards, len(boards), _CHANCES, found)
    return found


def outputs(network: Network, boards: Counts) -> Floats:
    """A network's outputs for boards: what it says to their features."""
    (weights, bias), *rest = network.layers
    blocks = -(-len(bias) // _LANES)
    spare = blocks * _LANES - len(bias)
    packed = np.pad(weights, ((0, 0), (0, spare))).reshape(WIDTH, blocks, _LANES).transpose(1, 0, 2).copy()
    inner = np.empty((len(boards), blocks * _LANES), np.float32)
    _library().first_layer(boards, len(boards), _CHANCES, packed, np.pad(bias, (0, spare)), blocks, inner)
    np.maximum(inner, 0, out=inner)
    return Network(tuple(rest))(inner[:, : len(bias)])


_CHANCES = np.concatenate([np.ones(1), np.exp(MISS[0, 1:25]), np.ones(1)]).astype(np.float32)  # to miss, by distance
