"""Results of single games, a line of JSON each: a command that is stopped goes on with those that it lacks."""

import json
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from importlib.resources import files
from typing import Any

from tavla_bots.evaluator import NETWORKS
from tavla_engine.rules import Variant

from tests.support.results import ROOT


def results_of(name: str, tasks: Sequence[list[Any]], play: Callable[..., Any], pool: Executor) -> list[Any]:
    """Results of `play`, one for each task. Tasks and results are JSON, kept as long as the network of backgammon is
    the same, in build/bench/NAME-NETWORK.jsonl.
    """
    network = zlib.crc32((files("tavla_bots") / NETWORKS[Variant.STANDARD]).read_bytes())
    file = ROOT / "build" / "bench" / f"{name}-{network:08x}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    known = {json.dumps(task): result for task, result in map(json.loads, file.read_text("utf-8").splitlines())}
    missing = [task for task in tasks if json.dumps(task) not in known]
    with file.open("a", encoding="utf-8") as lines:
        for task, result in zip(missing, pool.map(play, *zip(*missing, strict=True)), strict=True):
            known[json.dumps(task)] = result
            print(json.dumps([task, result]), file=lines, flush=True)
    return [known[json.dumps(task)] for task in tasks]
