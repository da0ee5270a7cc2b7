"""Inputs that are led by what they reach: `python -m tests.fuzz.guided TARGET SECONDS`, with atheris (libFuzzer).

What it finds is a traceback, and the input in a file `crash-...`. The last line says how many inputs there were.
"""

import importlib
import sys
import tempfile
from pathlib import Path

PACKAGES = ["tavla_engine", "tavla_protocol", "tavla_server", "tavla_cli", "websockets"]


def main() -> None:
    """Try one target."""
    name, seconds = sys.argv[1:]
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=PACKAGES):
        targets = importlib.import_module("tests.fuzz.targets").TARGETS
    target = targets[name]
    with tempfile.TemporaryDirectory(prefix="tavla-fuzz-") as folder:
        for number, seed in enumerate(target.seeds()):
            (Path(folder) / str(number)).write_bytes(seed)
        options = [f"-max_total_time={seconds}", f"-max_len={target.longest}", "-print_final_stats=1", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={name}-", folder], target.check)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
