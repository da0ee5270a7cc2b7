"""What a request may use."""

from typing import NamedTuple

from tavla_server.accounts import Accounts
from tavla_server.allowance import Allowance
from tavla_server.challenges import Challenges
from tavla_server.clock import Clock
from tavla_server.ignored import Ignored
from tavla_server.limits import Limits
from tavla_server.lists import Lists
from tavla_server.lobbychat import LobbyChat
from tavla_server.people import People
from tavla_server.seekers import Seekers
from tavla_server.sessions import Sessions
from tavla_server.standings import Standings
from tavla_server.tables import Tables


class Services(NamedTuple):
    """The parts of a server behind its door."""

    clock: Clock
    accounts: Accounts
    limits: Limits
    standings: Standings
    tables: Tables
    sessions: Sessions
    seekers: Seekers
    people: People
    lists: Lists
    lobbychat: LobbyChat
    challenges: Challenges
    ignored: Ignored
    openings: Allowance
    challenging: Allowance
    talking: Allowance
    chatting: Allowance
