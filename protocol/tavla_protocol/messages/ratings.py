"""Ratings: profiles, the leaderboard, the matches of a player."""

import msgspec

from tavla_protocol.messages.analysis import Analysis
from tavla_protocol.messages.values import Cursor, Id, Message, PlayerName, RequestBase, Seat


class Profile(RequestBase, frozen=True, kw_only=True):
    """Ask for a player's career. Answer: career."""

    name: PlayerName


class History(RequestBase, frozen=True, kw_only=True):
    """The matches that someone has played to their end, newest first. Answer: played.

    name: None = your own. after: `next` of the page before; "" = the first page.
    """

    name: PlayerName | None = None
    after: Cursor = ""


class Top(RequestBase, frozen=True, kw_only=True):
    """The players with the highest ratings. Answer: leaders."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A rated match, or a sitting for money, as one player sees it.

    time: of its last result, in ms since 1970. score: one's own points, then the opponent's. change: of the rating.
    rating: after it.
    """

    match: str
    time: int
    opponent: str
    length: int
    score: tuple[int, int]
    change: float
    rating: float


class Career(Message, frozen=True, kw_only=True):
    """A player's profile. rating: None for those without an account. results: rated ones, newest first.

    unrevealed: how many matches are void since no seed came from this player, and of how many for which one was due.
    left: how many matches this player has left, or lost on time, and of how many that have begun. puzzles: the
    rating at puzzles, None = none was answered.
    """

    id: Id
    name: str
    kind: str
    rating: float | None = None
    experience: int = 0
    results: list[Result] = []
    unrevealed: tuple[int, int] = (0, 0)
    left: tuple[int, int] = (0, 0)
    puzzles: int | None = None


class Leader(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the leaderboard."""

    name: str
    kind: str
    rating: float
    experience: int


class Leaders(Message, frozen=True, kw_only=True):
    """Players with a rating, the highest first."""

    id: Id
    leaders: list[Leader]


class Finished(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A match that is over, in someone's history. Pairs are by seat.

    table: its name. seat: whose history it is. players: their names then; `someone`, whose account was closed. rules:
    the options that differ from the default. winner: None = level. ending: how its last game, or the match, ended.
    started, ended: in ms since 1970. ratings: when they sat down, None = not rated; changes: what it did to them.
    private: not shown to others. analysis: where the server judges matches, and has come to this one.
    """

    match: str
    table: str
    seat: Seat
    players: tuple[str, str]
    kinds: tuple[str, str]
    rules: dict[str, bool | int | str] = {}
    score: tuple[int, int] = (0, 0)
    winner: Seat | None = None
    ending: str
    started: int
    ended: int
    ratings: tuple[float | None, float | None] = (None, None)
    changes: tuple[float, float] = (0.0, 0.0)
    private: bool = False
    analysis: Analysis | None = None


class Played(Message, frozen=True, kw_only=True):
    """A page of someone's finished matches, newest first. next: where the next page begins; None = that was all."""

    id: Id
    matches: list[Finished] = []
    next: str | None = None
