"""A real Prometheus, with the rules that we ship. Debian's package is `prometheus`."""

import json
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.needs import need
from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import free_port

DEPLOY = Path(__file__).parents[3] / "deploy"
RULES, CONFIG = DEPLOY / "alerts.yaml", DEPLOY / "prometheus.yaml"
OFTEN = "200ms"  # how often it asks, and looks at its rules; what holds for so long is an alert


def need_prometheus(program: str = "prometheus") -> str:
    """The program, or promtool beside it; the test is skipped without it, but not under CI."""
    return need(shutil.which(program), "prometheus", "Prometheus")


def promtool(*arguments: str, text: str = "") -> None:
    """Let promtool check something: it has nothing to say against it."""
    command = [need_prometheus("promtool"), *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=DEPLOY, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


class Prometheus:
    """Our file and our rules with short times, and another target. Asks the metrics port of one server."""

    def __init__(self, folder: Path, port: int) -> None:
        """port: where the server's metrics are."""
        self.url = f"http://127.0.0.1:{free_port()}"
        self._folder = folder
        rules = re.sub(r"for: \w+", f"for: {OFTEN}", RULES.read_text(encoding="utf-8"))
        (folder / RULES.name).write_text(rules, encoding="utf-8")
        config = re.sub(r"_interval: \w+", f"_interval: {OFTEN}", CONFIG.read_text(encoding="utf-8"))
        (folder / CONFIG.name).write_text(config.replace("127.0.0.1:9100", f"127.0.0.1:{port}"), encoding="utf-8")

    def __enter__(self) -> "Prometheus":
        address = self.url.removeprefix("http://")
        options = [f"--config.file={self._folder / CONFIG.name}", f"--storage.tsdb.path={self._folder / 'data'}"]
        command = [need_prometheus(), *options, f"--web.listen-address={address}", "--log.level=error"]
        self._process = subprocess.Popen(command)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)

    def until(self, path: str, wanted: Callable[[Any], bool]) -> None:
        """Wait until what its API says is wanted."""
        deadline, said = time.monotonic() + PATIENCE_S, None
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=PATIENCE_S) as answer:
                    said = json.load(answer)["data"]
            except OSError:  # it is not there yet
                said = None
            if said is not None and wanted(said):
                return
            time.sleep(0.05)
        raise AssertionError(f"Prometheus says {said}")
