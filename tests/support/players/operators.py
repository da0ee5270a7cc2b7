"""`tavla-server admin`, run in this process."""

import asyncio
from unittest.mock import patch

import click
from click.testing import CliRunner
from structlog.testing import capture_logs
from tavla_server.commands.admin import admin
from tavla_server.process.cli import main
from tavla_server.telemetry import log

from tests.support.servers.valkey import Valkey


async def types(store: Valkey, *words: str) -> tuple[int, str]:
    """The exit code, and all that is said."""
    runner, arguments = CliRunner(), ["--redis", store.url, *words]
    # The log is that of the servers in this process: they share their output, and all loggers, with the command.
    with patch.object(log, "configure_log"), capture_logs():
        result = await asyncio.to_thread(runner.invoke, admin, arguments, parent=click.Context(main))
    return result.exit_code, result.output


async def does(store: Valkey, *words: str) -> list[str]:
    """The lines that a command says which works."""
    code, said = await types(store, *words)
    assert code == 0, said
    return said.splitlines()
