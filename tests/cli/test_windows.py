"""Modules that Windows does not have are not needed to start: the clients import without them."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # each starts a Python

UNIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty", "uvloop")
PROGRAM = f"""
import asyncio, pkgutil, subprocess, sys, types  # those of Python look after themselves
sys.modules.update(dict.fromkeys({UNIX_ONLY!r}))  # as if they were not there
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
import tavla_bots, tavla_cli, tavla_client
for package in (tavla_client, tavla_cli, tavla_bots):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("_script"):  # they run in gnubg, and where Sage is
            __import__(module.name)
assert "tavla_cli.main" in sys.modules
"""


def test_the_clients_import_without_what_only_unix_has() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
