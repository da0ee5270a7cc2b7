"""Uncaught errors, in the log of `tavla-server`."""

import asyncio
import subprocess
import sys

import pytest
from structlog.testing import capture_logs
from tavla_server.process.serving import _log_unhandled

from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.slow


SLOW = {"asyncio", "msgspec", "redis", "sqlalchemy", "structlog", "uvloop", "websockets"}  # to import
PROGRAM = """
import sys
from tavla_server.process.start import main
try:
    main()
finally:
    print(*sys.modules)
"""


@pytest.mark.parametrize(
    "arguments", [["--version"], ["-h"], ["admin", "-h"], ["backup", "-h"], ["dump", "-h"]], ids=" ".join
)
def test_version_and_help_are_shown_without_what_takes_long_to_import(arguments: list[str]) -> None:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    *lines, modules = shown.stdout.splitlines()
    assert lines
    assert SLOW & set(modules.split()) == set()


def test_a_server_with_its_own_store_imports_nothing_that_it_does_not_use() -> None:
    """Players wait while it starts."""
    unused = {
        "alembic",
        "multiprocessing",
        "numpy",
        "prometheus_client",
        "psycopg",
        "sqlalchemy.dialects.postgresql",
        "valkey",
    }
    ours = "tavla_server.process.cli, tavla_server.app, tavla_server.store.embedded_store"
    code = f"import sys, {ours}; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert unused & set(done.stdout.splitlines()) == set()


UNHANDLED = [  # what the loop says, its error, the line's event and level, why this row is here
    ("Fatal error on SSL protocol", OSError("reset"), ("tls_lost", "info"), "the store hung up: who uses it knows"),
    ("Task exception was never retrieved", KeyError("x"), ("unhandled_exception", "error"), "a fault of ours"),
    ("", KeyError("x"), ("unhandled_exception", "error"), "uvloop, of a protocol that could not be made"),
    ("Unclosed transport", None, ("unhandled_exception", "error"), "not every complaint has an exception"),
]


@pytest.mark.parametrize(("what", "error", "line", "why"), UNHANDLED)
def test_what_nobody_has_caught_is_a_line_of_the_log(
    what: str, error: Exception | None, line: tuple[str, str], why: str
) -> None:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(_log_unhandled)
    with capture_logs() as lines:
        loop.call_exception_handler(({"message": what} if what else {}) | ({"exception": error} if error else {}))
    loop.close()
    assert [(found["event"], found["log_level"]) for found in lines] == [line], why
