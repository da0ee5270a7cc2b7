"""Networks of dense layers, and the file that they are kept in.

A file is for other languages, too. All of it is little-endian: the four bytes `TNN1`; how many sizes follow, as uint16;
the sizes, from the inputs to the outputs, as uint16; then for each layer its biases and its weights as float16, the
weights of the first input first. Between layers negative values become 0; outputs pass through the logistic function.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from tavla_bots.features import Floats

_MAGIC = b"TNN1"
_SIZE, _WEIGHT = np.dtype("<u2"), np.dtype("<f2")


class Layer(NamedTuple):
    """A dense layer: one row of weights for each input, one column for each output."""

    weights: Floats
    bias: Floats


class Network(NamedTuple):
    """A network of layers, from the inputs to the outputs."""

    layers: tuple[Layer, ...]

    @classmethod
    def new(cls, sizes: Sequence[int], rng: np.random.Generator) -> Self:
        """A network that knows nothing. sizes: from the inputs to the outputs."""
        layers = [
            Layer(rng.normal(0, np.sqrt(2 / before), (before, after)).astype(np.float32), np.zeros(after, np.float32))
            for before, after in pairwise(sizes)
        ]
        layers[-1] = Layer(layers[-1].weights / np.float32(4), layers[-1].bias)
        return cls(tuple(layers))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The network of a file. Raises: ValueError for any other file."""
        if data[:4] != _MAGIC:
            raise ValueError("this is no file of a network")
        count = int(np.frombuffer(data, _SIZE, 1, 4)[0])
        sizes = [int(size) for size in np.frombuffer(data, _SIZE, count, 6)]
        values = np.frombuffer(data, _WEIGHT, offset=6 + 2 * count).astype(np.float32)
        if len(values) != sum(after * (before + 1) for before, after in pairwise(sizes)):
            raise ValueError("the sizes of this network are not those of its weights")
        layers, start = [], 0
        for before, after in pairwise(sizes):
            middle, end = start + after, start + after * (before + 1)
            layers.append(Layer(values[middle:end].reshape(before, after), values[start:middle]))
            start = end
        return cls(tuple(layers))

    def encode(self) -> bytes:
        """The network as a file: half precision is enough, and halves it."""
        sizes = self.sizes
        parts = [part.astype(_WEIGHT).tobytes() for weights, bias in self.layers for part in (bias, weights)]
        return b"".join([_MAGIC, np.array([len(sizes), *sizes], _SIZE).tobytes(), *parts])

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes from the inputs to the outputs."""
        return (len(self.layers[0].weights), *(len(bias) for _, bias in self.layers))

    def steps(self, inputs: Floats) -> list[Floats]:
        """The inputs of each layer, and at last the outputs."""
        values = [inputs]
        for weights, bias in self.layers:
            if len(values) > 1:
                np.maximum(values[-1], 0, out=values[-1])
            values.append(values[-1] @ weights + bias)
        values[-1] = sigmoid(values[-1])
        return values

    def __call__(self, inputs: Floats) -> Floats:
        """Outputs, 0 to 1, for each row of inputs."""
        return self.steps(inputs)[-1]


def sigmoid(values: Floats) -> Floats:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))
