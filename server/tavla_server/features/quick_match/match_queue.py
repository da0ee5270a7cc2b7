"""Quick match in Redis: tickets by pool, and pairings until they are acknowledged. See
store/scripts/match_queue.lua.

All of it is in one hash slot, so that being paired in one pool takes a player out of the others in the same step; with
a tag for each pool two of them could pair the same player. A slot is enough: a ticket costs Redis some 130 us in all.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from tavla_engine.rules import Rules, compact
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Kind

from tavla_server.errors import Refused
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import DEFAULTS, Timings

BAND = 100.0  # rating points between two who have just come: 100 points are 42 to 58 in a match to 7
BAND_PER_S = 10.0  # how it widens for one who waits
OPEN_S = 30.0  # from then on anyone will do: a distant opponent is better than none
IN_A_ROW = 3  # the same two do not meet so many times in a row while others wait
MET_S = 3600.0  # after an hour the last opponents do not matter
KEPT_S = 3600.0  # rubbish of a pool without use since is thrown away
POOLS_LIMIT = 4  # a player's at a time

# From a match that is void for want of a player's seed until quick match takes this player again: after the first one,
# the second, ... A program that has died once is held up hardly at all; each one costs the opponent half a minute.
# Matches that the player has left count as well, but for the first one: a line may fail, a turn may be hard.
HELD_BACK_S = (15.0, 60.0, 300.0, 900.0, 3600.0)
FADE_S = 6 * 3600.0  # such a match counts for that so long: by time alone, for arranged matches cost nothing
APART_S = 600.0  # after one, the same two are not paired: the opponent is not to meet the same player again and again
VOIDS_KEPT = 32  # such matches, and opponents, that are remembered of a player; the wait grows no more long before
PLACE_S = 300.0  # the place in the queue is kept so long: longer than the time to reveal a seed

# Those of the numbers above that the script needs, by its names.
_OPTIONS = {
    "band": BAND,
    "band_per_s": BAND_PER_S,
    "open_ms": OPEN_S * 1000,
    "in_a_row": IN_A_ROW,
    "met_ms": round(MET_S * 1000),
    "kept_ms": round(KEPT_S * 1000),
    "pools_limit": POOLS_LIMIT,
    "held_back_ms": [round(1000 * wait_s) for wait_s in HELD_BACK_S],
    "fade_ms": round(1000 * FADE_S),
    "apart_ms": round(1000 * APART_S),
    "voids_kept": VOIDS_KEPT,
    "place_ms": round(1000 * PLACE_S),
}

Gone = Literal["gone"]
Apart = Literal["apart"]


class Ticket(msgspec.Struct, frozen=True):
    """A player who waits. A player has one ticket in a pool: a later one replaces the one before.

    id: new for every ticket, so that one which was replaced is not taken for the other. node: whose connection it is.
    match: the id of the match that it leads to, if it is the one of the two that waited longer. wants: the id of the
    ticket of one player in particular; "" = any. ignores: the ids of those with whom the player is not to be paired.
    """

    id: str
    pool: str
    node: str
    player: Player
    rating: float
    since_ms: int
    match: str
    rules: Rules
    commitment: str = ""
    wants: str = ""
    ignores: tuple[str, ...] = ()


class Pairing(msgspec.Struct, frozen=True):
    """A pairing: two tickets that belong together now, the one that waited longer first.

    since_ms: since when they waited.

    table: there is one ticket, twice, whose player is to sit down at the open table `match`.
    """

    match: str
    tickets: tuple[Ticket, Ticket]
    since_ms: tuple[int, int]
    table: bool = False

    def ticket_of(self, player: str) -> Ticket:
        """The ticket of one of the two players."""
        return next(ticket for ticket in self.tickets if ticket.player.id == player)


class Void(NamedTuple):
    """A void match: it never began, for want of the seeds of `late`; or that `late` has left.

    players: both, by id. at_ms: since when it is so.
    """

    match: str
    players: tuple[str, str]
    late: tuple[str, ...]
    at_ms: int
    left: bool = False


def pool_of(rules: Rules, kind: Kind = "guest") -> str:
    """The pool of a ticket: players are paired for exactly the same rules.

    kind: of the player. For their ratings programs meet programs alone: people have not agreed to play one.
    """
    options = compact(rules)
    wanted: object = (options, kind) if rules.rated and kind == "bot" else options
    return hashlib.sha256(msgspec.json.encode(wanted)).hexdigest()[:16]


class MatchQueue:
    """The queue of the tickets of all nodes.

    All methods raise StoreUnavailable, and may then be repeated or may have worked.
    """

    def __init__(self, redis: Client, node: str, timings: Timings = DEFAULTS) -> None:
        """node: this node's own name."""
        self.node = node
        times_ms = {"node_ms": round(1000 * timings.queue_dead_s), "due_ms": round(1000 * timings.pairing_s)}
        self._options = {**_OPTIONS, **times_ms, "node": node}
        self._script = redis.script("match_queue")

    async def enqueue(self, ticket: Ticket, now_ms: int, drop: str = "", again: bool = False) -> Pairing | None:
        """Wait, and look for an opponent. Returns the pairing, if there is one.

        It may be an earlier one, of another ticket of this player, that was not taken yet: then nothing has changed,
        and the ticket does not wait. drop: the match of such a pairing which is not wanted. again: one who has waited
        before goes on, and if held back is paired later.
        Raises: Refused for a player who waits in too many pools, or is held back.
        """
        answer = await self._run("enqueue", [ticket], now_ms=now_ms, drop=drop, again=again)
        if answer == b"limit":
            raise Refused(ErrorCode.TOO_MANY, f"you seek {POOLS_LIMIT} kinds of match already: give them up first")
        if answer.startswith(b"held "):
            raise _held_back(*map(int, answer.split()[1:]))
        return _pairing(answer)

    async def leave_for_table(self, ticket: Ticket, match: str, maker: str, now_ms: int) -> Pairing | Gone | Apart:
        """Wait no longer, but sit down at an open table, if the player was not paired before: then that is returned.

        maker: the id of the player who sits there. `apart`: not at this table now, after a match that was void.
        """
        answer = await self._run("leave_for_table", [ticket], match=match, maker=maker, now_ms=now_ms)
        if answer in (b"gone", b"apart"):
            return "gone" if answer == b"gone" else "apart"
        return msgspec.json.decode(answer, type=Pairing)

    async def hold_back(self, void: Void) -> None:
        """A match is void, or was left: those of `late` wait before the next one, and the two do not meet soon."""
        await self._run("hold_back", [], now_ms=void.at_ms, **void._asdict())

    async def held_back(self, players: Sequence[str], now_ms: int) -> set[str]:
        """The players, of some, who are held back now, here and in tournaments."""
        if not players:
            return set()
        held = await self._run("held", [], now_ms=now_ms, players=players)
        return {player for player, is_held in zip(players, held, strict=True) if is_held}

    async def withdraw(self, tickets: Sequence[Ticket]) -> list[Pairing | None]:
        """Wait no longer. Returns the pairings of those that had been paired before."""
        return [_pairing(answer) for answer in await self._run("withdraw", tickets)]

    async def acknowledge(self, tickets: Sequence[Ticket]) -> None:
        """The players know of the pairings that came of these tickets: when they come again, they want another."""
        await self._run("acknowledge", tickets)

    async def renew(self, tickets: Sequence[Ticket], now_ms: int) -> list[Pairing | Gone | None]:
        """Renew this node's tickets and look for opponents. Returns what has become of each ticket.

        `gone`: the player was paired, or waits in this pool, by another ticket. None: it waits.
        """
        answers = await self._run("renew", tickets, now_ms=now_ms)
        return ["gone" if answer == b"gone" else _pairing(answer) for answer in answers]

    async def _run(self, task: str, tickets: Iterable[Ticket], **options: object) -> Any:
        text = json.dumps({**self._options, **options})
        return await self._script(keys=[keys.QUEUE_TAG], args=[task, text, *map(msgspec.json.encode, tickets)])


def _held_back(held_ms: int, voids: int, left: int) -> Refused:
    """The refusal of a player until then. voids: matches without a seed of this player lately. left: by this one."""
    why = []
    if voids:
        matches = "a match was" if voids == 1 else f"{voids} matches were"
        why.append(f"{matches} void, since no seed for the dice came from you")
    if left > 1 or not voids:
        why.append(f"you have left {left} matches, or let your time run out")
    text = f"quick match takes you again in {math.ceil(held_ms / 1000)} s: {'; '.join(why)}"
    return Refused(ErrorCode.UNREVEALED if voids else ErrorCode.LEFT_MATCHES, text, math.ceil(held_ms / 100) / 10)


def _pairing(answer: bytes) -> Pairing | None:
    return msgspec.json.decode(answer, type=Pairing) if answer else None
