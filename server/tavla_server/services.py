"""What a request may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tavla_server.accounts import Accounts
from tavla_server.allowance import Allowance
from tavla_server.clock import Clock
from tavla_server.limits import Limits
from tavla_server.lists import Lists
from tavla_server.people import People
from tavla_server.seekers import Seekers
from tavla_server.sessions import Sessions
from tavla_server.standings import Standings
from tavla_server.tables import Tables

if TYPE_CHECKING:
    from tavla_server.visit import Visit


class Services(NamedTuple):
    """The parts of a server behind its door. visits: the connections that this node has."""

    clock: Clock
    accounts: Accounts
    limits: Limits
    standings: Standings
    tables: Tables
    sessions: Sessions
    seekers: Seekers
    visits: set[Visit]
    people: People
    lists: Lists
    openings: Allowance
