"""The command that a friend types: a server on this machine has another address for others."""

import socket
from collections.abc import Iterator

import pytest
from tavla_cli.invitation import ELSEWHERE, for_others, own_address

LAN, ALONE = "127.0.0.1", "127.0.0.2"  # stand for this machine's address in its network; at one nothing listens


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which something listens at that address."""
    with socket.create_server((LAN, 0)) as listening:
        yield listening.getsockname()[1]


def own(family: socket.AddressFamily) -> str | None:
    """This machine has an address in one network, of IPv4."""
    return LAN if family is socket.AF_INET else None


def test_a_server_here_that_listens_for_others_has_its_address_there(port: int) -> None:
    assert for_others(f"ws://localhost:{port}", own) == f"ws://{LAN}:{port}"
    assert for_others(f"ws://[::1]:{port}", own) == f"ws://{LAN}:{port}"


UNCHANGED = [  # why this row is here
    ("ws://play.example.org:8765", "it is not here"),
    ("wss://localhost:8765", "its certificate names no address"),
    ("ws://localhost", "it has no port of its own"),
    ("ws://localhost:99999", "no port"),
    ("ws://localhost:x", "no number"),
]


@pytest.mark.parametrize(("url", "why"), UNCHANGED)
def test_other_addresses_stay(url: str, why: str) -> None:
    assert for_others(url, own) == url, why


def test_one_that_listens_here_alone_stays(port: int) -> None:
    here = f"ws://localhost:{port}"
    assert for_others(here, lambda family: ALONE if own(family) else None) == here
    assert for_others(here, lambda _: None) == here, "no network"


def test_the_own_address_is_one_or_none() -> None:
    assert all((found := own_address(family)) is None or socket.inet_pton(family, found) for family in ELSEWHERE)
