"""Decisions on a table change nothing that is decided already, and nothing that has begun."""

import random

import pytest
from tavla_engine.rules import preset
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import Refused
from tavla_server.features.tables.arrival import void
from tavla_server.match.lifecycle import cancellation, joining, opening, submit_and_wait
from tavla_server.record.decider import Decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Seated, Terms
from tavla_server.record.state import Record

from tests.support.servers import sessions
from tests.support.servers.nodes import node_on
from tests.support.servers.sessions import ADA, BOB
from tests.support.servers.valkey import Valkey

RULES = preset("money", {})


def after(*decided: Decide) -> Record:
    """A match after some changes."""
    record = Record("m")
    for decide in decided:
        _, record = decide(record, MatchDice())
    return record


OPEN = opening("table", RULES, Terms(), Seated(0, ADA))
BEGUN = opening("table", RULES, Terms(), Seated(0, ADA), Seated(1, BOB))

NOTHING = [  # a change, the match before it, why this row is here
    (OPEN, after(OPEN), "opened by two nodes"),
    (BEGUN, after(BEGUN), "likewise, with both players"),
    (joining(ADA, ""), after(OPEN), "its maker"),
    (joining(BOB, ""), after(OPEN, joining(BOB, "")), "sent again"),
    (cancellation, after(OPEN, cancellation), "sent again"),
    (void, after(BEGUN), "whoever was awaited has come"),
    (void, after(OPEN, cancellation), "by another node"),
]


@pytest.mark.parametrize(("decide", "record", "why"), NOTHING)
def test_what_is_so_already_leads_to_nothing(decide: Decide, record: Record, why: str) -> None:
    assert decide(record, MatchDice()) == ([], record), why


async def test_a_change_that_is_refused_says_why(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as node:
        session = await sessions.opened(node, rng)
        with pytest.raises(Refused, match="your opponent has sat down") as refused:
            await submit_and_wait(session, cancellation)
        assert (refused.value.code, session.record.over) == (ErrorCode.TABLE_FULL, False)
