"""The client library: a connection that keeps itself alive, and matches that are always in step with the server.

    async with Client("ws://localhost:8765", name="ada") as client:
        match = await client.join("grace")
        async for change in match.changes():
            ...

A program that plays is a `Bot`; a `Pilot` lets it play one match, and a `Runner` finds matches for it by a finder
such as `at_table`. What is exported here is the whole public face; every module is private.

Imports go one way: kit (`runner`, `finders`, `pilot`) -> `client` -> `dispatcher` -> `lists`, `pairing` -> `match` ->
`channel` -> `connection`. The client asks the engine whether what it sees follows; the bot kit asks it for legal plays,
too. Everything runs in one event loop, but for the hooks of bots; only `channel` and `connection` know of sockets.
"""

from tavla_protocol import __version__

from tavla_client.bot import BadBot, Bot, Invitation, Result, check_hooks
from tavla_client.changes import Change
from tavla_client.client import Client
from tavla_client.clock import TimeLeft
from tavla_client.connection import Link
from tavla_client.dice_check import DiceVerdict
from tavla_client.errors import ClientError, ConnectionFailed, PlayStopped, Refused
from tavla_client.failures import Failure, Failures
from tavla_client.files import write_whole
from tavla_client.finders import Finder, against, at_table, available, fits, in_pool
from tavla_client.follower import match_of
from tavla_client.hooks import call as call_hook
from tavla_client.hooks import meaningless
from tavla_client.lists import Lists
from tavla_client.match import Match
from tavla_client.pilot import Pilot, moves_of
from tavla_client.pledges import Pledges
from tavla_client.runner import Runner, Summary
from tavla_client.turn import Board, Play, Turn

__all__ = [
    "BadBot",
    "Board",
    "Bot",
    "Change",
    "Client",
    "ClientError",
    "ConnectionFailed",
    "DiceVerdict",
    "Failure",
    "Failures",
    "Finder",
    "Invitation",
    "Link",
    "Lists",
    "Match",
    "Pilot",
    "Play",
    "PlayStopped",
    "Pledges",
    "Refused",
    "Result",
    "Runner",
    "Summary",
    "TimeLeft",
    "Turn",
    "__version__",
    "against",
    "at_table",
    "available",
    "call_hook",
    "check_hooks",
    "fits",
    "in_pool",
    "match_of",
    "meaningless",
    "moves_of",
    "write_whole",
]
