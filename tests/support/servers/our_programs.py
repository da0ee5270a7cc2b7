"""Our console scripts, run to their end: forked by their nurseries, which have imported what they import."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

from tests.support.patience import PATIENCE_S
from tests.support.servers.nursery import NURSERIES, ForkedProcess
from tests.support.servers.processes import script

OurProcess = subprocess.Popen[bytes] | ForkedProcess


def start_program(
    name: str, arguments: Sequence[str], env: Mapping[str, str], files: tuple[int, int, int]
) -> OurProcess:
    """Start a console script. files: its standard input, output and error."""
    nursery = NURSERIES.get(name)
    if nursery and nursery.can_fork(env):
        return nursery.fork(arguments, env, files)
    stdin, stdout, stderr = files
    return subprocess.Popen([*script(name), *arguments], stdin=stdin, stdout=stdout, stderr=stderr, env=env)


def run_program(
    name: str, *arguments: str, env: Mapping[str, str] = os.environ, typed: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run a console script to its end. typed: what is piped in."""
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin, keys = os.pipe()
        try:
            process = start_program(name, arguments, env, (stdin, stdout.fileno(), stderr.fileno()))
            os.write(keys, typed.encode())
        finally:
            os.close(keys)
            os.close(stdin)
        code = process.wait(2 * PATIENCE_S)
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess([name, *arguments], code, stdout.read().decode(), stderr.read().decode())
