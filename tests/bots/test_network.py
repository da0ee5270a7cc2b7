"""Networks, and the file that they are kept in."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tavla_bots.evaluator import OUTPUTS, shipped_network
from tavla_bots.features import WIDTH
from tavla_bots.network import Network
from tavla_engine.rules import Variant


def test_a_network_comes_back_from_its_file_in_half_precision() -> None:
    network = Network.new([7, 4, 3, 2], np.random.default_rng(1))
    again = Network.decode(network.encode())
    assert again.sizes == network.sizes == (7, 4, 3, 2)
    for layer, same in zip(network.layers, again.layers, strict=True):
        assert np.allclose(layer.weights, same.weights, atol=2e-3)
        assert layer.bias.shape == same.bias.shape
    assert again.encode() == network.encode()


def test_a_file_reads_as_its_description_says() -> None:
    data = b"TNN1" + b"\2\0" + b"\2\0\1\0" + np.array([0.5, 1, -2], "<f2").tobytes()
    outputs = Network.decode(data)(np.array([[3, 1]], np.float32))
    assert np.allclose(outputs, 1 / (1 + np.exp(-(0.5 + 3 * 1 - 2 * 1))))


@pytest.mark.parametrize("data", [b"", b"PK\3\4....", b"TNN1\2\0\2\0\1\0\0\0"])
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="network"):
        Network.decode(data)


@pytest.mark.parametrize("variant", Variant)
def test_the_network_of_each_game_fits_the_features_and_the_wheel(variant: Variant) -> None:
    network = shipped_network(variant)
    assert (network.sizes[0], network.sizes[-1]) == (WIDTH, OUTPUTS)
    assert len(network.encode()) <= (400 if network is shipped_network() else 50) * 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_a_program_with_our_networks_computes_in_one_thread() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    program = "import os, tavla_bots; print(len(os.listdir('/proc/self/task')))"
    threads = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert int(threads) == 1, "OpenBLAS starts as many as there are processors"
