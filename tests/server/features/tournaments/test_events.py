"""Events of a tournament, as its journal has them."""

from typing import get_args

import pytest
from tavla_server.features.tournaments import events as e
from tavla_server.player import Player

from tests.support.games.tournaments import ADA, OPENED

BYTES: list[tuple[e.Event, str]] = [  # what each is in a journal, for good
    (OPENED, ""),
    (e.Entered(ADA, "0f"), ""),
    (e.Left("a"), "9202a161"),
    (e.Paired(("a", "b")), "940392a161a1620090"),
    (e.Scored(3, None, (0, 1)), "960403c0920001c2c2"),
    (e.Closed(), "9105"),
    (e.Halted(True), "9206c3"),
    (e.Extended(5), "920705"),
    (e.Removed("a"), "9208a161"),
    (
        e.Directed(Player("e", "eve"), "halt", None, "tea", "director"),
        "970995a165a3657665a56775657374c000a468616c74c0a3746561a86469726563746f72c0",
    ),
    (e.Again(3), "921003"),
    (e.Added(Player("b", "bo")), "920b95a162a2626fa56775657374c000"),
    (e.Renamed("a", Player("b", "bo")), "930aa16195a162a2626fa56775657374c000"),
    (e.Round(5, 3), "930c0503"),
    (e.Curtailed(), "910d"),
    (e.Begun(), "910e"),
    (e.Away("a"), "920fa161"),
    (e.Retitled("tea"), "9211a3746561"),
]


@pytest.mark.parametrize(("event", "data"), BYTES, ids=[type(event).__name__ for event, _ in BYTES])
def test_an_event_keeps_its_bytes_and_comes_back_as_it_was(event: e.Event, data: str) -> None:
    entry = e.TournamentEntry(1, (event,))
    encoded = e.encode_entry(entry)
    assert e.decode_entry(encoded) == entry
    assert not data or encoded.hex() == "920191" + data
    assert {type(event) for event, _ in BYTES} == set(get_args(e.Event))
