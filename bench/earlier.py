"""Networks that shipped before, from the history of this repository: what today's is compared with."""

import io
import subprocess

import numpy as np
from tavla_bots.evaluator import shipped
from tavla_bots.network import Layer, Network

from tests.support.results import ROOT

EARLIER = {  # games that each had learned from, and the commit that brought it
    98_816: "54362827",
    123_000: "d4c75f33",
    213_000: "6571e6c8",
    541_000: None,  # the one that ships
}
_FOLDER = "clients/bots/tavla_bots"


def network_after(games: int) -> Network:
    """The network that had learned from so many games."""
    commit = EARLIER[games]
    if commit is None:
        return shipped()
    if games == min(EARLIER):  # with a file of its own, and a single hidden layer
        with np.load(io.BytesIO(_shown(commit, "weights.npz"))) as one:
            layers = Layer(one["hidden"], one["hidden_bias"]), Layer(one["output"], one["output_bias"])
            return Network(tuple(Layer(*(part.astype(np.float32) for part in layer)) for layer in layers))
    return Network.decode(_shown(commit, "network.bin"))


def _shown(commit: str, name: str) -> bytes:
    return subprocess.run(
        ["git", "show", f"{commit}:{_FOLDER}/{name}"], cwd=ROOT, capture_output=True, check=True
    ).stdout
