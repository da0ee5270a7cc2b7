"""The command that a friend types: a server on this machine has another address for others."""

import socket
from collections.abc import Iterator

import pytest
from tavla_cli import invitation
from tavla_cli.invitation import for_others

LAN = "127.0.0.1"  # stands for this machine's address in its network


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port at which something listens at that address."""
    monkeypatch.setattr(invitation, "_own", lambda family: LAN if family is socket.AF_INET else None)
    with socket.create_server((LAN, 0)) as listening:
        yield listening.getsockname()[1]


def test_a_server_here_that_listens_for_others_has_its_address_there(port: int) -> None:
    assert for_others(f"ws://localhost:{port}") == f"ws://{LAN}:{port}"
    assert for_others(f"ws://[::1]:{port}") == f"ws://{LAN}:{port}"


UNCHANGED = [  # why this row is here
    ("ws://play.example.org:8765", "it is not here"),
    ("wss://localhost:8765", "its certificate names no address"),
    ("ws://localhost", "it has no port of its own"),
    ("ws://localhost:99999", "no port"),
    ("ws://localhost:x", "no number"),
]


@pytest.mark.parametrize(("url", "why"), UNCHANGED)
def test_other_addresses_stay(url: str, why: str, port: int) -> None:
    assert for_others(url) == url, why


def test_one_that_listens_here_alone_stays(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    monkeypatch.setattr(invitation, "_listens", lambda *_: False)
    assert for_others(f"ws://localhost:{port}") == f"ws://localhost:{port}"
    monkeypatch.setattr(invitation, "_own", lambda _: None)
    assert for_others(f"ws://localhost:{port}") == f"ws://localhost:{port}", "no network"


def test_the_own_address_is_one_or_none() -> None:
    assert all(
        own is None or socket.inet_pton(family, own)
        for family in invitation.ELSEWHERE
        for own in [invitation._own(family)]
    )
