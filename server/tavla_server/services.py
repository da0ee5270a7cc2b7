"""What a request may use."""

from typing import NamedTuple

from tavla_server.clock import Clock
from tavla_server.guests import Guests
from tavla_server.seekers import Seekers
from tavla_server.sessions import Sessions
from tavla_server.tables import Tables


class Services(NamedTuple):
    """The parts of a server behind its door."""

    clock: Clock
    guests: Guests
    tables: Tables
    sessions: Sessions
    seekers: Seekers
