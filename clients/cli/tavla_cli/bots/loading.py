"""A bot by its name: `module:Class` or `file.py:Class` from the current folder, or one that ships with Tavla."""

import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType

import click
from tavla_client import BadBot, Bot, check_hooks

from tavla_cli.text.phrases import did_you_mean

SHIPPED = "tavla_bots"


class NoBot(click.UsageError):
    """A bot that does not exist. str(error) says what to do."""


def load(name: str, folder: Path) -> type[Bot]:
    """The class that a name stands for, see `_found`. Raises: NoBot. Whatever an installed module itself raises."""
    found = _found(name, folder)
    try:
        check_hooks(found)
    except BadBot as bad:
        raise NoBot(str(bad)) from None
    return found


def _found(name: str, folder: Path) -> type[Bot]:
    """The class that a name stands for. folder: the user's own, whose files harm no other user.

    A module of the folder is read from its file, whatever else has its name. What it imports comes from the folder
    last: a file called `engine.py` or `random.py` there hides nothing of ours.

    Raises: NoBot. Whatever an installed module itself raises.
    """
    module_name, _, class_name = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    if not module_name:
        return _shipped(name)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    module = _module(module_name, folder)
    if not class_name:
        return _only_bot(module, module_name)
    found = getattr(module, class_name, None)
    if not (inspect.isclass(found) and issubclass(found, Bot)):
        own = ", ".join(f"{module_name}:{one}" for one in _bots_of(module))
        text = f"{module_name} has no class {class_name} that is a tavla_client.Bot"
        raise NoBot(f"{text}; it has {own}" if own else text)
    return found


def _bots_of(module: ModuleType) -> dict[str, type[Bot]]:
    """The bots that a module defines itself."""
    classes = inspect.getmembers(module, inspect.isclass)
    return {name: one for name, one in classes if issubclass(one, Bot) and one.__module__ == module.__name__}


def _only_bot(module: ModuleType, file: str) -> type[Bot]:
    bots = _bots_of(module)
    if len(bots) != 1:
        text = f"{file} has {len(bots) or 'no'} classes that are a tavla_client.Bot"
        raise NoBot(f"{text}: say which, as {file}:{next(iter(bots))}" if bots else text)
    return next(iter(bots.values()))


def _module(name: str, folder: Path) -> ModuleType:
    """name: of a module, or a file's path with its .py."""
    file = folder / (name if name.endswith(".py") else f"{name}.py")
    if file.is_file():
        unique = f"tavla_bot_of_{file.stem}"  # so that no other module of this name is replaced
        spec = importlib.util.spec_from_file_location(unique, file)
        assert spec is not None, "a .py file can be imported"
        assert spec.loader is not None, "a .py file can be imported"
        module = sys.modules[unique] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise NoBot(f"{file.name} has failed:\n\n{_shown(error, file)}") from None
        return module
    if name.endswith(".py"):
        raise NoBot(f"there is no file {file}")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise NoBot(f"there is no {file.name} in {folder}, and no module {name}") from None


def _shown(error: Exception, file: Path) -> str:
    """The traceback of an error, from the author's file on."""
    own = error.__traceback__
    while own is not None and own.tb_frame.f_code.co_filename != str(file):
        own = own.tb_next
    return "".join(traceback.format_exception(error.with_traceback(own))).rstrip()


def _shipped(name: str) -> type[Bot]:
    try:
        bots: dict[str, type[Bot]] = importlib.import_module(SHIPPED).BOTS
    except ModuleNotFoundError as error:
        if error.name not in (SHIPPED, "numpy"):
            raise
        raise NoBot(f"the bots of Tavla are not installed: pip install 'tavla[bots]' ({error})") from None
    if name not in bots:
        likely = did_you_mean(name, bots)
        raise NoBot(
            f"there is no bot {name!r}{likely}: choose one of {', '.join(bots)}, or give your own, file.py:Class"
        )
    return bots[name]
