"""HAProxy with the file that we ship, before servers of a test. Debian's package is `haproxy`."""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.servers import ServerProcess, free_port, page

FILE = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"
BACK_S = 2.0  # for a server that is ready again to be given connections


def find_haproxy() -> str | None:
    """The program, if it is installed."""
    return shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin")


def need_haproxy() -> str:
    """The program; the test is skipped without it, but not under CI."""
    program = find_haproxy()
    if program is None:
        missing = "HAProxy is not installed: apt-get install haproxy"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return program


class HAProxy:
    """One address for several servers. url: that one."""

    def __init__(self, program: str, servers: Sequence[ServerProcess]) -> None:
        port = free_port()
        self.url = f"ws://127.0.0.1:{port}"
        self._command = [program, "-db", "-f", str(FILE)]
        nodes = {f"TAVLA_NODE_{number}": f"127.0.0.1:{server.port}" for number, server in enumerate(servers, 1)}
        self._env = {**os.environ, "TAVLA_BIND": f"127.0.0.1:{port}", **nodes}
        self._process: subprocess.Popen[bytes] | None = None

    def check(self) -> str:
        """What HAProxy says of the file; "" if it finds nothing."""
        done = subprocess.run([*self._command, "-c", "-q"], env=self._env, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def start(self) -> None:
        """Start and wait until a server can be reached."""
        self._process = subprocess.Popen(self._command, env=self._env, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, "HAProxy ended at once"
            assert time.monotonic() < deadline, "HAProxy does not answer"

    def stop(self) -> None:
        """End it, with all connections."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE_S)

    def _answers(self) -> bool:
        try:
            return page(self.url, "/readyz")[0] == 200
        except OSError:
            return False
