"""Terms and seeds with what happens to a match later: closed accounts, the archive, each end of a game."""

import json
import random
from typing import Any

import pytest
from tavla_cli.records.files import as_json, parse
from tavla_cli.records.record import of_server
from tavla_engine.chain import link_number
from tavla_engine.referee import judge
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.view import View, fields, from_fields
from tavla_server.features.archive.rolls import roll_rows
from tavla_server.features.archive.summary import anonymous_journal
from tavla_server.record.events import decode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record
from tavla_server.record.transcript import event_rows

from tests.support.stores.finished import journal_of, player

ID = "k3v7q2xa"
RULES = [preset("tournament", {"length": 5}), preset("money"), preset("portes", {"length": 2})]


def told(journal: list[bytes]) -> list[m.Recorded]:
    """What `record` answers after each entry of a journal."""
    record, events, answers = Record(ID), list[list[Any]](), list[m.Recorded]()
    for seq, data in enumerate(journal, 1):
        record = apply_entry(record, entry := decode_entry(data))
        events = [*events, *event_rows(seq, entry)]
        answers.append(m.Recorded(id=1, match=ID, epoch=1, seq=seq, view=fields(view_of(record)), events=events))
    return answers


def view_in(answer: m.Recorded) -> View:
    return from_fields(answer.view)


def some_journal(rng: random.Random, number: int) -> list[bytes]:
    return journal_of(rng, ID, (player(rng, "ada"), player(rng, "bob", 1500.0)), RULES[number], most=300)


@pytest.mark.parametrize("number", range(len(RULES)))
@pytest.mark.parametrize("gone", [(0,), (1,), (0, 1)])
def test_old_and_new_exports_of_a_match_stay_sound_when_its_players_close_their_accounts(
    number: int, gone: tuple[int, ...], rng: random.Random
) -> None:
    journal = some_journal(rng, number)
    old = told(journal)[-1]
    for seat in gone:
        journal = anonymous_journal(journal, seat)
    new = told(journal)[-1]
    said = json.dumps([new.events, fields(view_in(new))], default=repr)
    for seat in gone:
        salt, name = view_in(old).salts[seat], ("ada", "bob")[seat]
        assert not [secret for secret in (salt, f'"{name}"') if secret in said]
    for answer in (old, new):
        assert judge(claim_of(answer)).faults == ()
        assert parse(as_json(of_server(answer))).faults == ()
    assert {row["proved"] for row in roll_rows(ID, journal)} == {True}


@pytest.mark.parametrize("number", range(len(RULES)))
def test_each_game_shows_its_link_when_it_is_over_and_all_before_it_hold(number: int, rng: random.Random) -> None:
    shown = set[int]()
    for answer in told(some_journal(rng, number)):
        view = view_in(answer)
        ended = view.game if view.phase in ("ready", "over") else max(0, view.game - 1)
        assert (link_number(bytes.fromhex(view.seed), view.commitment) if view.seed else 0) == ended
        if ended not in shown:
            shown.add(ended)
            assert judge(claim_of(answer)).faults == ()
    assert len(shown) == ended + 1
