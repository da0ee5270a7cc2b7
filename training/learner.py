"""A network that learns: gradients by hand, steps by Adam."""

from collections.abc import Callable, Iterator

import numpy as np
from tavla_bots.features import Floats
from tavla_bots.network import Layer, Network

_DECAY, _DECAY_SQUARES, _TINY = 0.9, 0.999, 1e-8  # Adam's usual constants (Kingma and Ba, 2015)
_AVERAGE = 0.998  # how much of the average of all weights stays in a step


class Learner:
    """A network, what Adam keeps about it, and the average of its latest weights, which is better than any of them."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.average = _like(network, np.copy)
        self.means, self.squares = _like(network, np.zeros_like), _like(network, np.zeros_like)
        self.steps = 0

    def learn(self, inputs: Floats, targets: Floats, rate: float) -> float:
        """Take a step towards these judgements, by the cross entropy of each output; returns the mean square error."""
        values = self.network.steps(inputs)
        off = values[-1] - targets
        self._step(list(self._slopes(values, off / np.float32(len(inputs)))), rate)
        return float(np.square(off).mean())

    def _slopes(self, values: list[Floats], back: Floats) -> Iterator[Floats]:
        """The slope of each part, from the last one."""
        for number in range(len(self.network.layers) - 1, -1, -1):
            before = values[number]
            yield back.sum(axis=0)
            yield before.T @ back
            if number:
                back = (back @ self.network.layers[number].weights.T) * (before > 0)

    def _step(self, slopes: list[Floats], rate: float) -> None:
        self.steps += 1
        rate *= float(np.sqrt(1 - _DECAY_SQUARES**self.steps) / (1 - _DECAY**self.steps))
        stay = min(_AVERAGE, self.steps / (self.steps + 10))
        kept = (_parts(network) for network in (self.network, self.means, self.squares, self.average))
        for slope, part, mean, square, average in zip(slopes, *kept, strict=True):
            mean += (1 - _DECAY) * (slope - mean)
            square += (1 - _DECAY_SQUARES) * (slope * slope - square)
            part -= np.float32(rate) * mean / (np.sqrt(square) + _TINY)
            average += np.float32(1 - stay) * (part - average)

    def arrays(self) -> dict[str, Floats]:
        """Its state by name, to be written; `restore` takes it back."""
        kept = {"network": self.network, "average": self.average, "means": self.means, "squares": self.squares}
        return {f"{name}{number}": part for name, one in kept.items() for number, part in enumerate(_parts(one))}

    def restore(self, arrays: dict[str, Floats], steps: int) -> None:
        """Become what was written."""
        self.steps = steps
        for name, part in self.arrays().items():
            part[...] = arrays[name]


def _parts(network: Network) -> list[Floats]:
    """Biases and weights, from the last layer."""
    return [part for weights, bias in network.layers[::-1] for part in (bias, weights)]


def _like(network: Network, made: Callable[[Floats], Floats]) -> Network:
    return Network(tuple(Layer(made(weights), made(bias)) for weights, bias in network.layers))
