"""Load balancers with the files that we ship, before servers of a test: HAProxy, nginx, Caddy, of Debian's packages."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.needs import need
from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import free_port, page
from tests.support.servers.valkey import folder_in_memory

DEPLOY = Path(__file__).parents[3] / "deploy"
BACK_S = 2.0  # for a server that is ready again to be given connections


def find_program(name: str) -> str | None:
    """A program, if it is installed."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


def need_program(name: str) -> str:
    """The program; the test is skipped without it, but not under CI."""
    return need(find_program(name), name)


class Balancer(ABC):
    """Address for several servers, each at a port of this machine. url: that address. folder: for files of its own.

    host: the address, of this machine; one that is not loopback makes clients there count as others do.
    """

    name: str  # of the program and of its package
    file: Path

    def __init__(self, folder: Path, ports: Sequence[int], host: str = "127.0.0.1") -> None:
        self.program, self.folder, self.host, self.port = need_program(self.name), folder, host, free_port()
        self.url = f"ws://{host}:{self.port}"
        self.env = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(exist_ok=True)
        self.prepare(ports)

    @abstractmethod
    def prepare(self, ports: Sequence[int]) -> None:
        """Put the servers' ports, and our own, where the file that we ship has examples."""

    @abstractmethod
    def command(self) -> list[str]:
        """The command that starts it in the foreground."""

    @abstractmethod
    def checking(self) -> list[str]:
        """The command that only checks its file."""

    @abstractmethod
    def reload(self) -> None:
        """Have it read its file again; returns before it has."""

    def check(self) -> str:
        """Complaints of the program about the file; "" if it finds nothing."""
        done = subprocess.run(self.checking(), env=self.env, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr if done.returncode or "warn" in done.stderr.lower() else ""

    def start(self) -> None:
        """Start and wait until a server can be reached."""
        log = (self.folder / f"{self.name}.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                self.command(), env=self.env, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, f"{self.name} ended at once"
            assert time.monotonic() < deadline, f"{self.name} does not answer"
            time.sleep(0.01)

    def stop(self) -> None:
        """End it, with all its processes and connections."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(PATIENCE_S)

    def signal(self, number: int) -> None:
        """Send its first process a signal."""
        assert self._process is not None, "started"
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            return page(self.url, "/readyz")[0] == 200
        except OSError:
            return False


class HAProxy(Balancer):
    """HAProxy, with addresses from its environment."""

    name, file = "haproxy", DEPLOY / "haproxy.cfg"

    def prepare(self, ports: Sequence[int]) -> None:
        nodes = {f"TAVLA_NODE_{number}": f"127.0.0.1:{port}" for number, port in enumerate(ports, 1)}
        self.env = {**self.env, "TAVLA_BIND": f"{self.host}:{self.port}", **nodes}

    def command(self) -> list[str]:
        return [self.program, "-W", "-db", "-f", str(self.file)]

    def checking(self) -> list[str]:
        return [self.program, "-c", "-q", "-f", str(self.file)]

    def reload(self) -> None:
        self.signal(signal.SIGUSR2)


class Nginx(Balancer):
    """Our file is a site; what is around it is Debian's, and here the least that does."""

    name, file = "nginx", DEPLOY / "nginx.conf"

    def prepare(self, ports: Sequence[int]) -> None:
        site = self.file.read_text()
        rows = "".join(f"    server 127.0.0.1:{port} max_fails=0;\n" for port in ports)
        site = _replaced(r"^    server 127\.0\.0\.1:8765 max_fails=0;\n", rows, site)
        site = _replaced(r"^    listen \[::\].*\n", "", site)
        site = _replaced(r"^    ssl_certificate.*\n", "", site)
        site = _replaced(r"listen 80;", f"listen unix:{self.folder}/80.sock;", site)
        site = _replaced(r"listen 443 ssl;", f"listen {self.host}:{self.port};", site)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in kinds)
        (self.folder / "site.conf").write_text(site)
        (self.folder / "nginx.conf").write_text(
            f"worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr; events {{ }}\n"
            f"http {{ access_log off; {temporary} include {self.folder}/site.conf; }}\n"
        )
        (self.folder / "80.sock").unlink(missing_ok=True)

    def command(self) -> list[str]:
        options = ["-p", str(self.folder), "-e", "stderr", "-c", str(self.folder / "nginx.conf")]
        return [self.program, *options, "-g", "daemon off;"]

    def checking(self) -> list[str]:
        return [*self.command(), "-t", "-q"]

    def reload(self) -> None:
        self.signal(signal.SIGHUP)


class Caddy(Balancer):
    """The site is served without TLS here: to get a certificate it would need a name, and the internet."""

    name, file = "caddy", DEPLOY / "Caddyfile"

    def prepare(self, ports: Sequence[int]) -> None:
        host = "" if self.host == "0.0.0.0" else self.host  # it serves by the name that is asked for
        site = _replaced(r"^play\.example \{", f"http://{host}:{self.port} {{", self.file.read_text())
        site = _replaced(r"127\.0\.0\.1:8765", " ".join(f"127.0.0.1:{port}" for port in ports), site)
        admin = f"{{\n\tadmin unix/{self.folder}/admin.sock\n}}\n"
        (self.folder / "Caddyfile").write_text(admin + site)

    def command(self) -> list[str]:
        return [self.program, "run", *self._config()]

    def checking(self) -> list[str]:
        return [self.program, "validate", *self._config()]

    def reload(self) -> None:
        command = [self.program, "reload", *self._config(), "--address", f"unix/{self.folder}/admin.sock"]
        subprocess.run(command, env=self.env, capture_output=True, check=True)

    def _config(self) -> list[str]:
        return ["--config", str(self.folder / "Caddyfile"), "--adapter", "caddyfile"]


def _replaced(pattern: str, by: str, text: str) -> str:
    """The text with what is an example in our file replaced. The pattern must be there: else the file has changed."""
    text, times = re.subn(pattern, lambda _: by, text, flags=re.MULTILINE)
    assert times, f"no {pattern} in the file"
    return text


ALL: tuple[type[Balancer], ...] = (HAProxy, Nginx, Caddy)


@contextlib.contextmanager
def balancing(kind: type[Balancer], ports: Sequence[int], host: str = "127.0.0.1") -> Iterator[Balancer]:
    """A balancer before servers at these ports."""
    with folder_in_memory() as folder:
        balancer = kind(folder, ports, host)
        try:
            balancer.start()
            yield balancer
        finally:
            balancer.stop()
