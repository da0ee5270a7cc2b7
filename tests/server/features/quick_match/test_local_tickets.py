"""The tickets of a node's connections."""

from typing import Any

from tavla_engine.rules import Rules
from tavla_server.features.quick_match.local_tickets import LocalTicket, LocalTickets
from tavla_server.features.quick_match.match_queue import Ticket
from tavla_server.player import Player


def test_a_ticket_that_a_newer_connection_has_is_not_the_older_one_s_any_more() -> None:
    older: Any = object()
    newer: Any = object()
    ticket = Ticket("t1", "pool", "node", Player("ada", "ada"), 1500.0, 0, "m1", Rules())
    tickets = LocalTickets()
    tickets.add(LocalTicket(older, ticket, 1))
    held = LocalTicket(newer, ticket, 1)
    tickets.add(held)
    assert (tickets.of(older), tickets.of(newer), len(tickets)) == ([], [held], 1)
    tickets.remove(tickets.of(older))
    assert tickets.get("t1") == held, "the older one is gone, and its player waits on"
    tickets.remove([held])
    assert (tickets.of(older), tickets.of(newer), list(tickets)) == ([], [], [])
