"""Challenges from one player to another, and rematches."""

from tavla_protocol.messages.values import Commitment, Id, MatchId, Message, PlayerName, RequestBase, Seat, Side


class Challenge(RequestBase, frozen=True, kw_only=True):
    """Ask someone who is online for a match. Answer: challenged, and in time `matched` or `unchallenged`; or the
    snapshot of the match, if the other player has asked for the same.

    rules, side, commitment: as in `create`.
    """

    player: PlayerName
    rules: dict[str, bool | int | str] = {}
    side: Side = "either"
    commitment: Commitment


class Rematch(RequestBase, frozen=True, kw_only=True):
    """Ask the opponent of a match that is over for another one, on the same seats; or accept that. Answer: challenged,
    or the snapshot of the new match."""

    match: MatchId
    commitment: Commitment


class Answer(RequestBase, frozen=True, kw_only=True):
    """Accept a challenge, with a `commitment` as in `create`, or not. Answer: the snapshot of the match, or ok."""

    challenge: MatchId
    accept: bool
    commitment: Commitment | None = None


class Withdraw(RequestBase, frozen=True, kw_only=True):
    """Take one's own challenge back."""

    challenge: MatchId


class Challenged(Message, frozen=True, kw_only=True):
    """`by` challenges `to`. Both players are told, on all their connections.

    id: of the request that it answers. rules: the options that differ from the default. seat: of `by`.
    rematch: the match that it follows. expires: in so many seconds.
    """

    id: Id | None = None
    challenge: str
    by: str
    to: str
    rules: dict[str, bool | int | str] = {}
    seat: Seat
    rematch: str | None = None
    expires: int


class Unchallenged(Message, frozen=True, kw_only=True):
    """A challenge is over: `accepted`, `declined`, `withdrawn` or `expired`. Accepted, it is a match of the same id."""

    challenge: str
    why: str


class Rematched(Message, frozen=True, kw_only=True):
    """The players of a match that you watched play another one, `next`: attach to it. code: of a private one."""

    match: str
    next: str
    code: str = ""
