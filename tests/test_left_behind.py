"""Tests leave no processes behind: `conftest.py` looks for theirs, and stores end with tests that are killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.servers.lifetimes import left_behind
from tests.support.servers.processes import RUN, alive, kill
from tests.support.servers.valkey import Valkey, short_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
ROOT = Path(__file__).parent.parent
ORPHANED = """
import subprocess, sys
from pathlib import Path
from tavla_server.store.embedded_store import EmbeddedStore, _command
store = EmbeddedStore(Path(sys.argv[1]))
command = _command(store._data, store._socket)
print(subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True).pid)
"""
KILLED = """
import os, sys
from pathlib import Path
from tests.support.servers.valkey import Valkey
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


@pytest.mark.slow
@pytest.mark.parametrize("run", [RUN, "another", None], ids=["ours", "another-run's", "a-user's"])
def test_a_store_without_a_parent_is_ours_only_if_this_run_has_started_it(run: str | None) -> None:
    env = {name: value for name, value in os.environ.items() if name != "TAVLA_TEST_RUN"}
    with short_folder() as folder:
        command = [sys.executable, "-c", ORPHANED, str(folder)]
        pid = int(subprocess.check_output(command, env=env | ({"TAVLA_TEST_RUN": run} if run else {}), text=True))
        try:
            assert (pid in left_behind()) == (run == RUN)
        finally:
            kill(pid)


@pytest.mark.slow
def test_a_store_ends_with_tests_that_are_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE_S, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    until_s = time.monotonic() + PATIENCE_S
    while alive(int(killed.stdout)):
        assert time.monotonic() < until_s, "its parent is dead"
