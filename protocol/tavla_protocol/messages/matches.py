"""A match: what its players do, and what all who follow it are shown."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from tavla_protocol.messages.values import Binding, Id, MatchId, Message, Point, RequestBase, Seat, Seed, Seq


class MatchAction(RequestBase, frozen=True, kw_only=True):
    """An action of a player. epoch, seq: the version of the match that the player saw."""

    match: MatchId
    seq: Seq
    epoch: Seq = 1


class Reveal(MatchAction, frozen=True, kw_only=True):
    """Before the first game, show the seed that one has committed to, on any connection that follows the match.

    binding: the SHA-256, in hex, of the terms that the player has seen.
    """

    seed: Seed
    binding: Binding


class Ready(MatchAction, frozen=True, kw_only=True):
    """Start the next game, as soon as the opponent is ready too."""


class Roll(MatchAction, frozen=True, kw_only=True):
    """Roll the dice instead of doubling."""


class Double(MatchAction, frozen=True, kw_only=True):
    """Offer the cube."""


class Take(MatchAction, frozen=True, kw_only=True):
    """Accept the offered cube."""


class Drop(MatchAction, frozen=True, kw_only=True):
    """Refuse the offered cube and lose the game."""


class Beaver(MatchAction, frozen=True, kw_only=True):
    """Accept the offered cube and redouble at once, keeping it."""


class Move(MatchAction, frozen=True, kw_only=True):
    """Play the whole turn. moves: [from, to] pairs in the mover's own numbering, 25 = bar, 0 = off, in any order."""

    moves: Annotated[tuple[tuple[Point, Point], ...], Meta(max_length=4)]


class Resign(MatchAction, frozen=True, kw_only=True):
    """Offer to lose this game as a single (1), a gammon (2) or a backgammon (3)."""

    value: Annotated[int, Meta(ge=1, le=3)]


class Accept(MatchAction, frozen=True, kw_only=True):
    """Accept the opponent's resignation."""


class Refuse(MatchAction, frozen=True, kw_only=True):
    """Refuse the opponent's resignation."""


class Forfeit(MatchAction, frozen=True, kw_only=True):
    """Give up at the price that the rules state."""


class Leave(MatchAction, frozen=True, kw_only=True):
    """End money play between two games."""


class Claim(MatchAction, frozen=True, kw_only=True):
    """Win a match that waits for the other player, who has been away for too long, see `presence`."""


class Abort(MatchAction, frozen=True, kw_only=True):
    """Ask that the match end without a winner, or agree to that. on: false takes it back."""

    on: bool = True


class Auto(MatchAction, frozen=True, kw_only=True):
    """Leave something to the server: `roll` (never ask me about the cube in this game) or `play` (forced turns).

    on: false takes it back.
    """

    what: Literal["roll", "play"]
    on: bool


class Snapshot(Message, frozen=True, kw_only=True):
    """A whole match. view: every field that differs from the empty view, by name.

    id: of the request that it answers; None when the server sends it unasked, since updates were dropped.
    seat: the one this connection plays, None for a watcher. online: which seats have a living connection.
    elapsed: how long the time of the one who is to act has been running, in milliseconds, in a match with a clock.
    absence: for how many seconds each player may be away; after that the other one may `claim`. claim_after: how many
    of them are left, as in `presence`; None = the player is here, or there is none.
    """

    id: Id | None = None
    match: str
    epoch: int
    seq: int
    seat: Seat | None = None
    online: tuple[bool, bool]
    elapsed: int = 0
    absence: tuple[int, int] = (0, 0)
    claim_after: tuple[int | None, int | None] = (None, None)
    view: dict[str, Any]


class Plays(Message, frozen=True, kw_only=True):
    """Every legal play of the turn at `seq`, for the player who asked: one way for each resulting position."""

    match: str
    seq: int
    plays: list[tuple[tuple[int, int], ...]]


class Presence(Message, frozen=True, kw_only=True):
    """A player's connection was lost, or is back.

    claim_after: seconds until the other player may `claim` the match, while it waits for this one, who stays away; None
    = the player is here. since: when the player went, in seconds since 1970; 0 = the player is here.
    """

    match: str
    seat: Seat
    online: bool
    claim_after: int | None = None
    since: int = 0


class Seated(Message, frozen=True, kw_only=True):
    """A player, `name`, has sat down at the table that you have opened: the match can be attached to. Told on all your
    connections. tournament: that calls you to its board, and the number of the pairing there; None = it is of none.
    """

    match: str
    table: str
    name: str
    tournament: tuple[str, int] | None = None


class Ended(Message, frozen=True, kw_only=True):
    """A match of yours is over, which none of your connections to this server follows: attach to see how it ended."""

    match: str


class Replaced(Message, frozen=True, kw_only=True):
    """Another connection of yours plays this match; this one watches, until that one goes. seat: which of them."""

    match: str
    seat: Seat | None = None


class Heartbeat(Message, frozen=True, kw_only=True):
    """The state of quiet matches: [match, epoch, seq, checksum of the view]. Differs from yours? Attach again."""

    matches: list[tuple[str, int, int, int]]


class Watchers(Message, frozen=True, kw_only=True):
    """Watchers of a match that you follow: up to 20 names, and how many there are in all."""

    match: str
    names: list[str] = []
    count: int


class Update(msgspec.Struct, frozen=True, array_like=True):
    """A step of a match: [match, seq, [code, value, code, value, ...]]. The hot frame, so an array."""

    match: str
    seq: int
    diff: list[Any]
