"""Every key and channel of the project in the store, by name. No other module writes a key's text.

What stands in braces is the hash tag: keys with the same one are in one slot of a cluster, and so can change in one
step. `docs/keys.md` shows this table to operators; a test holds the two together, and plays until all of it is there.
"""

import re

MATCH_TAG = b"{m:%b}"  # of a match's id: its channel, and how all its keys begin


class Key:
    """A kind of key: its name and its contents. Called with the parts of its name in <>, it gives the key.

    type: as the command TYPE names it, or "channel". expires: begins with "never", "after ..." or, where it depends on
    whose it is, "of ...". owner: the module that writes it. holds: what is in it.
    """

    def __init__(self, name: str, type: str, expires: str, owner: str, holds: str) -> None:  # noqa: A002 - Redis's word
        self.name, self.type, self.expires, self.owner, self.holds = name, type, expires, owner, holds
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
NEVER, GUESTS = "never", "of a guest: after 7 days without use, 60 s before the first; of an account: never"
ARCHIVED = "of a match that was archived: after 7 days (a setting); of others: never"

MATCH_LOG = Key(
    "{m:<match>}:log",
    STREAM,
    f"of a table that was cancelled: after 10 min; {ARCHIVED}",
    "match/journal",
    "the journal: entry n has the id n-0 and one field, e",
)
MATCH_SNAPSHOT = Key(
    "{m:<match>}:snapshot", STRING, ARCHIVED, "match/journal", "a version of the match, and its record then"
)
MATCH_NODES = Key(
    "{m:<match>}:nodes",
    HASH,
    "after 1 day without a change",
    "match/replication",
    "node: who is there (match/wire); only nodes on which someone follows the match",
)
MATCH_CHANNEL = Key(
    "{m:<match>}",
    CHANNEL,
    NEVER,
    "match/journal, match/replication",
    "sharded: entries, presence and chat of the match (match/wire), if more than one node follows it",
)
MATCH_RATED = Key("{m:<match>}:rated", STRING, ARCHIVED, "match/unsettled", "empty: both ratings have the last result")
MATCH_COUNTED = Key(
    "{m:<match>}:counted",
    STRING,
    f"of a match that is void: after 10 min; {ARCHIVED}",
    "players/reveals",
    "begun or void: all counts of seeds that were due have the match as that",
)

PLAYER = Key(
    "{p:<player>}:player",
    HASH,
    GUESTS,
    "players/accounts, players/ratings, players/reveals",
    "name, kind; seeded and void (matches for which a seed was due, or did not come); of an account also password "
    "(its hash), rating, experience, and changes (of the rating, how many)",
)
PLAYER_TOKENS = Key(
    "{p:<player>}:tokens", ZSET, GUESTS, "players/accounts", "the tokens' SHA-256, by when they expire, in ms"
)
PLAYER_CLOSED = Key(
    "{p:<player>}:closed", STRING, "after 90 days", "players/accounts", "empty: this account was closed"
)
PLAYER_MERGED = Key(
    "{p:<player>}:merged",
    HASH,
    NEVER,
    "players/account_merges",
    "of an account that has become another one: into, that one's id; and what it brought: experience, seeded, void",
)
PLAYER_NAMES = Key(
    "{p:<player>}:names", HASH, NEVER, "players/account_merges", "id: name; who else has become this player"
)
PLAYER_PLAYED = Key("{p:<player>}:played", SET, NEVER, "lobby/player_matches", "the matches that the player sits at")
PLAYER_MISSED = Key(
    "{p:<player>}:missed",
    SET,
    "after 7 days without another one",
    "lobby/player_matches",
    "matches that ended while the player was away, until they are looked at",
)
PLAYER_IGNORED = Key("{p:<player>}:ignored", SET, NEVER, "lobby/blocklist", "players whom this one ignores")
PLAYER_RATED = Key(
    "{p:<player>}:rated", HASH, NEVER, "players/ratings", "match: what its tally has done to the rating so far"
)
PLAYER_COUNTED = Key(
    "{p:<player>}:counted",
    ZSET,
    GUESTS,
    "players/reveals",
    "matches in seeded and in void, of a day or so, by when counted",
)
PLAYER_HISTORY = Key("{p:<player>}:history", LIST, NEVER, "players/ratings", "rated matches, newest first")
NAME = Key(
    "name:<name>",
    STRING,
    f"{GUESTS}; of one that was closed: after 30 days",
    "players/names",
    "the id of the player with this lower-case name",
)
LOOK = Key(
    "look:<skeleton>",
    STRING,
    f"as the name: {GUESTS}; of one that was closed: after 30 days",
    "players/names",
    "the id of the player whose name looks so: nobody else may have one that can be taken for it",
)
QUOTA = Key(
    "limit:<what>:<who>",
    STRING,
    "after its window: 10 min or 1 h",
    "players/quotas",
    "how many tries an address or a name has made",
)
KNOWN = Key(
    "trusted:<digest>",
    STRING,
    "after 30 days without a login from there",
    "players/quotas",
    "nothing: the owner of a name has given its password at an address, both in the digest",
)
TOP_RATINGS = Key("{top}:ratings", ZSET, NEVER, "players/ratings", "the leaderboard: players by rating")
TOP_CHANGES = Key("{top}:changes", HASH, NEVER, "players/ratings", "player: how many changes its line has seen")
REVEALS_TOTALS = Key(
    "{reveals}:totals",
    HASH,
    NEVER,
    "players/reveals",
    "seeded and void: matches for which seeds were due, on all nodes",
)
REVEALS_COUNTED = Key(
    "{reveals}:counted",
    ZSET,
    NEVER,
    "players/reveals",
    "matches in these two, of a day or so, by when they were counted",
)

# They change in the same step as a match: so each slot of a cluster has its own, whose tag store/slots finds. Where
# there is no cluster, there is one of each.
ENDED = Key(
    "{s:<slot>}:ended",
    ZSET,
    NEVER,
    "match/journal, match/unsettled",
    "matches that are over, or have one more result, until ratings have it; by when that was, in ms",
)
UNARCHIVED = Key(
    "{s:<slot>}:unarchived",
    ZSET,
    NEVER,
    "match/unsettled",
    "matches that are over and rated, until the archive has them; by their end, in ms",
)
SETTLING = Key(
    "{archive}:settling", STRING, "after 5 s", "lobby/settler", "the node that settles what others have left"
)
ARCHIVE_BACKLOG = Key(
    "{archive}:backlog",
    ZSET,
    NEVER,
    "archive/scan",
    "of earlier servers: their list of matches to be archived; the next start takes it away",
)
ARCHIVE_SWEEPING = Key(
    "{archive}:sweeping", STRING, "after 5 s", "archive/archiver", "the node that archives what others have left"
)
ARCHIVE_SCANNED = Key(
    "{archive}:scanned", STRING, NEVER, "archive/scan", "when the last look at all journals began, in ms"
)
ARCHIVE_SCANNING = Key(
    "{archive}:scanning", STRING, "after 60 s", "archive/scan", "the node that looks at all journals"
)
ARCHIVE_EXTENT = Key(
    "{archive}:extent",
    STRING,
    NEVER,
    "archive/comparison",
    "how far the archive was, as JSON: how many matches, and the newest one's end and id",
)
ARCHIVE_COMPARING = Key(
    "{archive}:comparing",
    STRING,
    "after 60 s",
    "archive/comparison",
    "the node that looks for what the archive has lost",
)
ARCHIVE_CLOSING = Key(
    "{archive}:closing",
    HASH,
    NEVER,
    "players/closings, archive/archiver",
    "player: since when, in ms, of accounts that are being closed: what others have of them is still to be forgotten",
)
ARCHIVE_MERGING = Key(
    "{archive}:merging",
    HASH,
    NEVER,
    "players/account_merges",
    "player: whom it becomes, by id, and its name; until that is done everywhere",
)

SEED_KEY = Key(
    "seeds:key", STRING, NEVER, "match/seed_keys", "which key seals the seeds of new matches: a part of its hash"
)
TABLE_NAMES = Key("tables:names", HASH, NEVER, "lobby/table_names", "lower-case table name: match")
LOBBY_STREAM = Key(
    "{lobby}:news",
    STREAM,
    NEVER,
    "cluster/feed",
    "changes of rows, of the last 20 to 40 s, numbered; some 10,000 at most",
)
LOBBY_COUNT = Key("{lobby}:count", STRING, NEVER, "cluster/feed", "how many changes there have been")
LOBBY_ROWS = Key(
    "{lobby}:<list>",
    HASH,
    NEVER,
    "cluster/feed",
    "rows of a list: tables, people, challenges, chat, ignored, nodes, seekers or moderation; a value begins with its "
    "version",
)
LOBBY_SAID = Key("{lobby}:said", STRING, NEVER, "lobby/chat", "how many lines of chat there have been")
LOBBY_RECONCILING = Key(
    "{lobby}:reconciling", STRING, "after 60 s", "lobby/membership", "the node that sets right what dead ones have left"
)

MODERATION_AUDIT = Key(
    "{moderation}:audit", STREAM, NEVER, "moderation/audit", "the last 10,000 uses of a power: who, what, whom, why"
)
MODERATION_REPORTS = Key(
    "{moderation}:reports",
    STREAM,
    NEVER,
    "moderation/reports",
    "up to 1,000 open reports; r is one of them, b a digest of the reporter's network",
)
MODERATION_CLOSED = Key(
    "{moderation}:closed",
    STREAM,
    NEVER,
    "moderation/reports",
    "closed reports, some 600 bytes each; r is one of them, with who has closed it, when and why",
)

ALIVE_LAST = Key("{alive}:last", STRING, NEVER, "cluster/liveness", "the last heartbeat of any node, in ms")
ALIVE_OUTAGES = Key(
    "{alive}:outages", ZSET, NEVER, "cluster/liveness", "outages of the last 24 h, 'start end', by when they were seen"
)
ALIVE_NODES = Key("{alive}:nodes", ZSET, NEVER, "cluster/liveness", "living nodes, by their last heartbeat, in ms")

VERSION = Key("{alive}:version", STRING, NEVER, "store/version", "of what stands in the store; none = 1")
UPGRADING = Key(
    "{alive}:upgrading", STRING, "after 10 s", "store/version", "the node that brings an older store up to date"
)

# Of these only the tag is handed to store/scripts/match_queue.lua, which makes the names from it: which of them it
# needs depends on what it finds.
QUEUE_TAG = "{seek}"
QUEUE_WAITING = Key(
    "{seek}:waiting:<pool>", ZSET, "after 1 h without a ticket", "lobby/match_queue", "players, by since when, in ms"
)
QUEUE_TICKETS = Key(
    "{seek}:tickets:<pool>", HASH, "after 1 h without a ticket", "lobby/match_queue", "player: ticket, as JSON"
)
QUEUE_POOLS = Key(
    "{seek}:pools:<player>", SET, "after 1 h without a ticket", "lobby/match_queue", "the pools that a player waits in"
)
QUEUE_NODE = Key("{seek}:node:<node>", STRING, "after 3 s", "lobby/match_queue", "1: the node lives, and its tickets")
QUEUE_DUE = Key(
    "{seek}:due:<player>", STRING, "after 60 s", "lobby/match_queue", "the pairing that is to be taken, as JSON"
)
QUEUE_MET = Key("{seek}:met:<player>", LIST, "after 1 h", "lobby/match_queue", "the last opponents, newest first")
QUEUE_LATE = Key(
    "{seek}:late:<player>",
    ZSET,
    "after 6 h without another one",
    "lobby/match_queue",
    "the last matches that are void since no seed came from the player, by their end, in ms",
)
QUEUE_APART = Key(
    "{seek}:apart:<player>",
    ZSET,
    "after 10 min without another one",
    "lobby/match_queue",
    "players with whom a match was void for want of a seed, by its end, in ms",
)
QUEUE_PLACE = Key(
    "{seek}:place:<player>",
    STRING,
    "after 5 min",
    "lobby/match_queue",
    "the last pairing: match, pool, since when the player had waited, and the opponent, as JSON",
)

ALL = [key for key in globals().values() if isinstance(key, Key)]
ESSENTIAL = (ALIVE_LAST().encode(), LOBBY_COUNT().encode())  # without their masters no server begins
