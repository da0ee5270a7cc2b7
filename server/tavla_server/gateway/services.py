"""What a request may use."""

from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.gateway.token_bucket import Allowance
from tavla_server.lobby.blocklist import Ignored
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.listings import Lists
from tavla_server.lobby.matchmaker import Seekers
from tavla_server.lobby.presence import People
from tavla_server.lobby.tables import Tables
from tavla_server.match.registry import Sessions
from tavla_server.players.accounts import Accounts
from tavla_server.players.quotas import Limits
from tavla_server.players.ratings import Standings


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
