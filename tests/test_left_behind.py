"""Tests leave no processes behind: `conftest.py` looks for them, and stores end with tests that are killed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import Valkey, alive, left_behind

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
ROOT = Path(__file__).parent.parent
KILLED = """
import os, sys
from pathlib import Path
from tests.support.servers.processes import Valkey
valkey = Valkey(Path(sys.argv[1]))
valkey.start()
print(valkey.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_store_that_runs_is_found_and_none_that_has_ended(own_valkey: Valkey) -> None:
    pid = own_valkey.pid
    assert pid in left_behind()
    own_valkey.kill()
    assert pid not in left_behind()


def test_a_store_ends_with_tests_that_are_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE_S, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    until_s = time.monotonic() + PATIENCE_S
    while alive(int(killed.stdout)):
        assert time.monotonic() < until_s, "its parent is dead"
