"""The client library: a connection that keeps itself alive, and matches that are always in step with the server.

    async with Client("ws://localhost:8765", name="ada") as client:
        match = await client.join("grace")
        async for change in match.changes():
            ...

A client's other requests stand with what they are about: `client.lobby`, `.friends`, `.challenges`, `.tournaments`,
`.archive`, `.account`, `.moderation`; `client.me` is the player. A program that plays is a `Bot`; a `Pilot` lets it
play one match, and a `Runner` finds matches for it by a finder such as `at_table`. All public names are exported here;
every module is private.

The client asks the engine whether what it sees follows; the kit for bots asks it for legal plays, too. Everything runs
in one event loop, but for the hooks of bots; only `channel` and `connection` know of sockets.
"""

from tavla_protocol import __version__

from tavla_client.account import Account
from tavla_client.archive import Archive
from tavla_client.bots.bot import Answer, BadBot, Bot, Invitation, Result, check_hooks
from tavla_client.bots.failures import Failure, Failures
from tavla_client.bots.finders import Finder, Found, Host, against, at_table, available, fits, in_pool, in_tournament
from tavla_client.bots.hooks import call as call_hook
from tavla_client.bots.hooks import meaningless
from tavla_client.bots.pace import Pace, human_pace
from tavla_client.bots.pilot import Pilot, moves_of
from tavla_client.bots.runner import Runner, Summary
from tavla_client.bots.turn import Board, Play, Turn
from tavla_client.callbacks import Callbacks
from tavla_client.challenges import Challenges
from tavla_client.changes import Change
from tavla_client.client import Client
from tavla_client.clock import TimeLeft
from tavla_client.connection import Link
from tavla_client.dice_check import DiceCheck, DiceVerdict
from tavla_client.errors import ClientError, ConnectionFailed, NoSeed, PlayStopped, Refused
from tavla_client.files import write_whole
from tavla_client.friends import Friends
from tavla_client.identity import Identity
from tavla_client.lists import Lists, Rows
from tavla_client.lobby import Lobby
from tavla_client.match import Match
from tavla_client.moderation import Moderation
from tavla_client.pledges import Counts, Pledge, Pledges
from tavla_client.shown_match import match_of
from tavla_client.tournaments import Tournaments

__all__ = [
    "Account",
    "Answer",
    "Archive",
    "BadBot",
    "Board",
    "Bot",
    "Callbacks",
    "Challenges",
    "Change",
    "Client",
    "ClientError",
    "ConnectionFailed",
    "Counts",
    "DiceCheck",
    "DiceVerdict",
    "Failure",
    "Failures",
    "Finder",
    "Found",
    "Friends",
    "Host",
    "Identity",
    "Invitation",
    "Link",
    "Lists",
    "Lobby",
    "Match",
    "Moderation",
    "NoSeed",
    "Pace",
    "Pilot",
    "Play",
    "PlayStopped",
    "Pledge",
    "Pledges",
    "Refused",
    "Result",
    "Rows",
    "Runner",
    "Summary",
    "TimeLeft",
    "Tournaments",
    "Turn",
    "__version__",
    "against",
    "at_table",
    "available",
    "call_hook",
    "check_hooks",
    "fits",
    "human_pace",
    "in_pool",
    "in_tournament",
    "match_of",
    "meaningless",
    "moves_of",
    "write_whole",
]
