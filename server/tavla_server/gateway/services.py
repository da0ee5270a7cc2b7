"""Services: the parts of the server that a request may use."""

import asyncio
from typing import NamedTuple

from tavla_server.archive.archive import Archive
from tavla_server.archive.daily import Daily
from tavla_server.cluster.clock import Clock
from tavla_server.gateway.allowances import Allowances
from tavla_server.limits import Limits
from tavla_server.lobby.arrivals import Arrivals
from tavla_server.lobby.blocklist import Blocklist
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.friends import Friends
from tavla_server.lobby.listings import Listings
from tavla_server.lobby.matchmaker import Matchmaker
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.tables import Tables
from tavla_server.match.journal import Journal
from tavla_server.match.registry import Registry
from tavla_server.moderation.ledger import Ledger
from tavla_server.moderation.powers import Powers
from tavla_server.moderation.reports import Reports
from tavla_server.moderation.rulings import Rulings
from tavla_server.players.accounts import Accounts
from tavla_server.players.closings import Closings
from tavla_server.players.passwords import Passwords
from tavla_server.players.quotas import Quotas
from tavla_server.players.ratings import Ratings
from tavla_server.players.reveals import Reveals
from tavla_server.timings import Timings
from tavla_server.tournaments.tournaments import Tournaments


class Services(NamedTuple):
    """The parts of a server, behind its gateway.

    behind_proxy: clients are who a proxy says they are. contact: whom those may ask whom a moderator keeps out.
    returns: to be held while a player comes back: of thousands at once the others wait, and the store is not asked
    for all of them in one go.
    """

    clock: Clock
    timings: Timings
    limits: Limits
    accounts: Accounts
    arrivals: Arrivals
    closings: Closings
    passwords: Passwords
    quotas: Quotas
    ratings: Ratings
    reveals: Reveals
    tables: Tables
    registry: Registry
    journal: Journal
    archive: Archive | None
    daily: Daily | None
    matchmaker: Matchmaker
    presence: Presence
    listings: Listings
    lobby_chat: LobbyChat
    challenges: Challenges
    tournaments: Tournaments
    blocklist: Blocklist
    friends: Friends
    ledger: Ledger
    powers: Powers
    reports: Reports
    rulings: Rulings
    allowances: Allowances
    returns: asyncio.Semaphore
    behind_proxy: bool
    contact: str
