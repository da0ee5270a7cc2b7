"""A bot by its name: `module:Class` from the current folder, or one that ships with Tavla."""

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from tavla_client import Bot

SHIPPED = "tavla_bots"


class NoBot(ValueError):
    """There is no such bot. str(error) says what to do."""


def load(name: str, folder: Path) -> type[Bot]:
    """The class that a name stands for. folder: the user's own, whose files harm nobody.

    A module of the folder is read from its file, whatever else has its name. What it imports comes from the folder
    last: a file called `engine.py` or `random.py` there hides nothing of ours.

    Raises: NoBot. Whatever the module itself raises.
    """
    if ":" not in name:
        return _shipped(name)
    module_name, _, class_name = name.partition(":")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    module = _module(module_name, folder)
    found = getattr(module, class_name, None)
    if not (inspect.isclass(found) and issubclass(found, Bot)):
        raise NoBot(f"{module_name} has no class {class_name} that is a tavla_client.Bot")
    return found


def _module(name: str, folder: Path) -> ModuleType:
    file = folder / f"{name}.py"
    if file.is_file():
        unique = f"tavla_bot_of_{name}"  # so that no other module of this name is replaced
        spec = importlib.util.spec_from_file_location(unique, file)
        assert spec is not None, "a .py file can be imported"
        assert spec.loader is not None, "a .py file can be imported"
        module = sys.modules[unique] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise NoBot(f"there is no {file.name} in {folder}, and no module {name}") from None


def _shipped(name: str) -> type[Bot]:
    try:
        bots: dict[str, type[Bot]] = importlib.import_module(SHIPPED).BOTS
    except ModuleNotFoundError as error:
        if error.name not in (SHIPPED, "numpy"):
            raise
        raise NoBot(f"the bots of Tavla are not installed: pip install 'tavla[bots]' ({error})") from None
    if name not in bots:
        raise NoBot(f"there is no bot {name!r}: choose one of {', '.join(bots)}, or give your own as module:Class")
    return bots[name]
