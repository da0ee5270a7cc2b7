"""Every key and channel of the project in the store, by name. No other module writes a key's text.

What stands in braces is the hash tag: keys with the same one are in one slot of a cluster, and so can change in one
step. `docs/keys.md` says of each when it expires, which module writes it, and what is in it; a test holds the two
together, and plays until all of it is there.
"""

import re

MATCH_TAG = b"{m:%b}"  # of a match's id: its channel, and how all its keys begin


class Key:
    """A kind of key. Called with the parts of its name in <>, it gives the key.

    type: as the command TYPE names it, or "channel".
    """

    def __init__(self, name: str, type: str) -> None:  # noqa: A002 - Redis's word
        self.name, self.type = name, type
        self._format = re.sub(r"<\w+>", "{}", name.replace("{", "{{").replace("}", "}}"))

    def __call__(self, *parts: str) -> str:
        return self._format.format(*parts)

    def part(self, key: str) -> str:
        """The part that a key was made with, for names with one part."""
        before, after = self("*").split("*")
        return key.removeprefix(before).removesuffix(after)

    @property
    def suffix(self) -> bytes:
        """The rest of the name behind the hash tag."""
        return self.name.partition("}")[2].encode()


STRING, HASH, LIST, SET, ZSET, STREAM, CHANNEL = "string", "hash", "list", "set", "zset", "stream", "channel"

MATCH_LOG = Key("{m:<match>}:log", STREAM)
MATCH_SNAPSHOT = Key("{m:<match>}:snapshot", STRING)
MATCH_NODES = Key("{m:<match>}:nodes", HASH)
MATCH_CHANNEL = Key("{m:<match>}", CHANNEL)
MATCH_RATED = Key("{m:<match>}:rated", STRING)
MATCH_COUNTED = Key("{m:<match>}:counted", STRING)

TOURNAMENT_LOG = Key("{t:<tournament>}:log", STREAM)
TOURNAMENT_NAME = Key("named:<skeleton>", STRING)

REVIEW = Key("{r:<review>}:review", HASH)
REVIEW_FILE = Key("{r:<review>}:file", HASH)
REVIEW_CHANNEL = Key("{r:<review>}", CHANNEL)

PLAYER = Key("{p:<player>}:player", HASH)
PLAYER_TOKENS = Key("{p:<player>}:tokens", ZSET)
PLAYER_CLOSED = Key("{p:<player>}:closed", STRING)
PLAYER_MERGED = Key("{p:<player>}:merged", HASH)
PLAYER_NAMES = Key("{p:<player>}:names", HASH)
PLAYER_PLAYED = Key("{p:<player>}:played", SET)
PLAYER_MISSED = Key("{p:<player>}:missed", SET)
PLAYER_PAIRED = Key("{p:<player>}:paired", STRING)
PLAYER_MET = Key("{p:<player>}:met", ZSET)
PLAYER_IGNORED = Key("{p:<player>}:ignored", SET)
PLAYER_FRIENDS = Key("{p:<player>}:friends", SET)
PLAYER_RATED = Key("{p:<player>}:rated", HASH)
PLAYER_COUNTED = Key("{p:<player>}:counted", ZSET)
PLAYER_HISTORY = Key("{p:<player>}:history", LIST)
PLAYER_PUZZLES = Key("{p:<player>}:puzzles", ZSET)
# In the same step in which an account is closed, or becomes another:
GO_WITH_PLAYER = PLAYER_IGNORED, PLAYER_FRIENDS, PLAYER_MET, PLAYER_PUZZLES
UNPLAYED = Key("{accounts}:unplayed", ZSET)
NAME = Key("name:<name>", STRING)
LOOK = Key("look:<skeleton>", STRING)
QUOTA = Key("limit:<what>:<who>", STRING)
PLACE = Key("{places}:<what>:of:<id>", STRING)
PLACES = Key("{places}:<what>:by:<whose>", ZSET)
KNOWN = Key("trusted:<digest>", STRING)
TOP_RATINGS = Key("{top}:ratings", ZSET)
TOP_CHANGES = Key("{top}:changes", HASH)
REVEALS_TOTALS = Key("{reveals}:totals", HASH)
REVEALS_COUNTED = Key("{reveals}:counted", ZSET)
DAILY_VOTERS = Key("{daily}:<day>:voters", SET)
DAILY_CHOICES = Key("{daily}:<day>:choices", HASH)
PUZZLE_CHANGES = Key("{puzzles}:changes", HASH)

# They change in the same step as a match: so each slot of a cluster has its own, whose tag store/slots finds. Where
# there is no cluster, there is one of each.
ENDED = Key("{s:<slot>}:ended", ZSET)
UNARCHIVED = Key("{s:<slot>}:unarchived", ZSET)
SETTLING = Key("{archive}:settling", STRING)
ARCHIVE_SWEEPING = Key("{archive}:sweeping", STRING)
ARCHIVE_SCANNED = Key("{archive}:scanned", STRING)
ARCHIVE_SCANNING = Key("{archive}:scanning", STRING)
ARCHIVE_EXTENT = Key("{archive}:extent", STRING)
ARCHIVE_COMPARING = Key("{archive}:comparing", STRING)
ARCHIVE_CLOSING = Key("{archive}:closing", HASH)
ARCHIVE_MERGING = Key("{archive}:merging", HASH)

SEED_KEY = Key("seeds:key", STRING)
TABLE_NAMES = Key("tables:names", HASH)
LOBBY_STREAM = Key("{lobby}:news", STREAM)
LOBBY_COUNT = Key("{lobby}:count", STRING)
LOBBY_ROWS = Key("{lobby}:<list>", HASH)
LOBBY_SAID = Key("{lobby}:said", STRING)
LOBBY_RECONCILING = Key("{lobby}:reconciling", STRING)

MODERATION_AUDIT = Key("{moderation}:audit", STREAM)
MODERATION_REPORTS = Key("{moderation}:reports", STREAM)
MODERATION_CLOSED = Key("{moderation}:closed", STREAM)

ALIVE_LAST = Key("{alive}:last", STRING)
ALIVE_OUTAGES = Key("{alive}:outages", ZSET)
ALIVE_NODES = Key("{alive}:nodes", ZSET)
ALIVE_GONE = Key("{alive}:gone", STRING)

VERSION = Key("{alive}:version", STRING)

# Of these only the tag is handed to store/scripts/match_queue.lua, which makes the names from it: which of them it
# needs depends on what it finds.
QUEUE_TAG = "{seek}"
QUEUE_WAITING = Key("{seek}:waiting:<pool>", ZSET)
QUEUE_TICKETS = Key("{seek}:tickets:<pool>", HASH)
QUEUE_POOLS = Key("{seek}:pools:<player>", SET)
QUEUE_NODE = Key("{seek}:node:<node>", STRING)
QUEUE_DUE = Key("{seek}:due:<player>", STRING)
QUEUE_MET = Key("{seek}:met:<player>", LIST)
QUEUE_LATE = Key("{seek}:late:<player>", ZSET)
QUEUE_APART = Key("{seek}:apart:<player>", ZSET)
QUEUE_PLACE = Key("{seek}:place:<player>", STRING)

ALL = [key for key in globals().values() if isinstance(key, Key)]
ESSENTIAL = (ALIVE_LAST().encode(), LOBBY_COUNT().encode())  # without their masters no server begins
