"""Public record of a journal: all that happened, and nothing that is to stay hidden."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import astuple
from tavla_engine import events as e
from tavla_engine.actions import Auto
from tavla_engine.referee import judge
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.codec import pack
from tavla_protocol.view import fields
from tavla_server.player import Player
from tavla_server.record import events as t
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record
from tavla_server.record.transcript import TYPES, event_rows

from tests.support.games.recordings import Recording, recordings

PAGE = (Path(__file__).parents[3] / "protocol" / "records.md").read_text(encoding="utf-8")
SEED = bytes(range(32))
ADA = Player("9f2c61d07be3a845", "ada", "account", 1517.32, 3)

TOLD: list[tuple[t.Event, list[object]]] = [
    (t.Created("sofa", Rules(), SEED, t.Terms("abcd2345")), ["created"]),
    (t.Agreed("tavla-terms-1\n"), ["agreed", "tavla-terms-1\n"]),
    (t.Revealed(1, "c0ffee"), ["revealed", 1, "c0ffee"]),
    (t.Met(3), ["met", 3]),
    (t.Ruled("eve", "a program played"), ["ruled", "eve", "a program played"]),
    (e.GameStarted(crawford=True), ["game_started", True]),
    (e.OpeningRolled(3, 1), ["opening_rolled", 3, 1]),
    (e.Moved(1, ((25, 20), (6, 0)), True), ["moved", 1, [[25, 20], [6, 0]], True]),
    (e.AutoSet(0, Auto.ROLL, True), ["auto_set", 0, "roll", True]),
    (e.GameEnded(0, 4, 2, e.Ending.BORNE_OFF), ["game_ended", 0, 4, 2, "borne_off"]),
    (e.MatchEnded(None, e.Ending.LEFT), ["match_ended", None, "left"]),
]


@pytest.mark.parametrize(("event", "shown"), TOLD, ids=lambda value: type(value).__name__)
def test_an_event_is_an_array_that_any_language_reads(event: t.Event, shown: list[object]) -> None:
    entries = event_rows(7, t.Entry("p", 1, 1789000000000, 0, (event,)))
    assert msgspec.msgpack.decode(pack(entries)) == [[7, 1789000000000, *shown]]


def test_a_player_is_told_by_name_alone() -> None:
    seated = t.Seated(0, ADA)
    (event,) = event_rows(1, t.Entry(ADA.id, 1, 0, 0, (seated,)))
    assert event[2:] == ["seated", 0, "ada"]


def test_no_event_of_the_table_tells_a_seed_a_code_or_an_id() -> None:
    created = t.Created("sofa", Rules(), SEED, t.Terms("abcd2345"))
    said = repr(event_rows(1, t.Entry(ADA.id, 1, 0, 0, (created,))))
    assert not [secret for secret in (SEED.hex(), repr(SEED), "abcd2345", ADA.id) if secret in said]
    assert set(map(len, map(astuple, [created]))) == {6}, "one more field: look whether it may be told"


def test_every_event_has_its_line_on_the_protocols_page() -> None:
    table = PAGE.partition("| event | then |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == sorted(TYPES[type_] for type_ in t.EVENTS)


@pytest.mark.parametrize("recording", recordings())
def test_what_is_told_of_an_honest_match_is_sound(recording: Recording) -> None:
    """At each entry on its way, and at its end."""
    record, events = Record("abcdefghijklmnop"), list[list[Any]]()
    for seq, data in enumerate(recording.entries, 1):
        entry = t.decode_entry(bytes.fromhex(data))
        record = apply_entry(record, entry)
        events += event_rows(seq, entry)
        if seq % 10 and not record.over:
            continue
        view = view_of(record)
        recorded = m.Recorded(id=1, match=record.id, epoch=1, seq=seq, view=fields(view), events=events)
        faults = {*judge(claim_of(recorded)).faults}
        assert faults <= {"black has committed to no seed for the dice"}, "which the recordings keep"
