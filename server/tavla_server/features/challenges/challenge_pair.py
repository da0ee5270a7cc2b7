"""The challenges between two players: which of them are the same, and how each gets its verdict. Pure."""

from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.rules import Rules
from tavla_protocol.messages import Side

from tavla_server.player import Player
from tavla_server.record.commitments import check_differs
from tavla_server.record.events import Terms

Verdict = Literal["", "accepted", "declined", "withdrawn", "expired"]


class Challenge(msgspec.Struct, frozen=True, array_like=True):
    """A challenge of one player by another.

    id: of the match, if it comes to one. seat: of `by`, who asked for `side`. commitments: to the seeds of `by` and
    `to`. since: in ms since 1970. rematch: of which match.
    """

    id: str
    by: Player
    to: Player
    rules: Rules
    seat: Seat
    commitments: tuple[str, str]
    since: int
    side: Side = "either"
    terms: Terms = Terms()
    rematch: str = ""
    verdict: Verdict = ""


Challenges = tuple[Challenge, ...]  # all between two players, the oldest first; at most one of them is accepted
Change = Callable[[Challenges], Challenges]


def key_of(player: str, other: str) -> str:
    """The key of the row with all challenges between two players."""
    return "+".join(sorted((player, other)))


def with_id(known: Challenges, id_: str) -> Challenge | None:
    """A challenge by its id."""
    return next((challenge for challenge in known if challenge.id == id_), None)


def open_ids(known: Challenges) -> set[str]:
    """The ids of those without a verdict."""
    return {challenge.id for challenge in known if not challenge.verdict}


def accepted_one(known: Challenges) -> Challenge | None:
    """The challenge whose match begins at this moment."""
    return next((challenge for challenge in known if challenge.verdict == "accepted"), None)


def same_as(known: Challenges, offered: Challenge) -> Challenge | None:
    """An open challenge that asks for the same match, whichever of the two has made it; or one whose match begins."""
    begins = accepted_one(known)
    if begins is not None and _is_same(begins, offered):
        return begins
    return next((one for one in known if not one.verdict and _is_same(one, offered)), None)


def _is_same(one: Challenge, other: Challenge) -> bool:
    if one.rules != other.rules:
        return False
    if one.by.id == other.by.id:
        return one.side == other.side
    return "either" in (one.side, other.side) or one.seat != other.seat


def offer(offered: Challenge) -> Change:
    """Add a challenge. One that the other player has made already is accepted by it, the player's own stands."""

    def change(known: Challenges) -> Challenges:
        same = same_as(known, offered)
        if same is None:
            return (*(one for one in known if one.id != offered.id), offered)  # (it may have been declined just now)
        if same.verdict or same.by.id == offered.by.id:
            return known
        agreed = _agreed(same, offered)
        known = tuple(agreed if one is same else one for one in known)
        return accept(agreed.id, offered.by, offered.commitments[0])(known)

    return change


def _agreed(first: Challenge, second: Challenge) -> Challenge:
    """The first of two opposite challenges, with what the second adds: its colours, the match that it follows."""
    if first.side == "either":
        first = replace(first, seat=1 - second.seat)
    if second.rematch and not first.rematch:
        first = replace(first, terms=second.terms, rematch=second.rematch)
    return first


def accept(id_: str, player: Player, commitment: str) -> Change:
    """Accept an open challenge as `player`: it leads to the one match of this moment, so all others are withdrawn.

    The change raises Refused for the challenger's own commitment.
    """

    def change(known: Challenges) -> Challenges:
        wanted = with_id(known, id_)
        if accepted_one(known) is not None or wanted is None or wanted.verdict:
            return known
        check_differs(commitment, wanted.commitments[0])
        commitments = wanted.commitments[0], commitment
        accepted = replace(wanted, to=player, commitments=commitments, verdict="accepted")
        return tuple(accepted if one is wanted else replace(one, verdict=one.verdict or "withdrawn") for one in known)

    return change


def judge(id_: str, verdict: Verdict) -> Change:
    """Give an open challenge its verdict."""
    return lambda known: tuple(replace(one, verdict=one.verdict or verdict) if one.id == id_ else one for one in known)


def drop(id_: str) -> Change:
    """Take out a challenge that has its verdict, and those that it ended; another one that is accepted stays."""
    return lambda known: tuple(one for one in known if not one.verdict or (one.verdict == "accepted" and one.id != id_))
