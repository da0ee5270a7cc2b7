"""Analysis: a match as a judge sees it, and the position of the day."""

from typing import NamedTuple

import msgspec

from tavla_protocol.messages.values import Choice, Code, Id, MatchId, Message, RequestBase, Seat, Seq


class Daily(RequestBase, frozen=True, kw_only=True):
    """Ask for the position of the day, or say what one would do there. Answer: puzzle.

    choice: a play as it is written, or `double`, `no double`, `take`, `drop`; "" = only look.
    """

    choice: Choice = ""


class Analysis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Quality of play in a match. Pairs are by seat; equity: 1 is what a win of the game at its cube is worth.

    by: the judge. error: why it could not be judged; the rest is left out then. ratings: the performance rating, None =
    there was nothing to decide. lost: equity, in all decisions together. luck: equity that the dice have brought.
    rough: a better judge has yet to judge the match; seen: the plays that it has judged so far, of how many: (0, 0)
    before it begins, and in a list.
    """

    by: str = ""
    error: str = ""
    ratings: tuple[float | None, float | None] = (None, None)
    lost: tuple[float, float] = (0.0, 0.0)
    decisions: tuple[int, int] = (0, 0)
    luck: tuple[float, float] = (0.0, 0.0)
    rough: bool = False
    seen: tuple[int, int] = (0, 0)


class Finding(NamedTuple):
    """A decision. turn: of the game, from 1, the roll that it is about or that would follow it. loss: equity.

    done, best: plays as they are written; of the cube `double`, `no double`, `take`, `drop`. mark: the judge's own
    sign, `?!`, `?` or `??`, "" for a decision that deserves none; null = by the loss.
    """

    game: int
    turn: int
    seat: int
    done: str
    best: str
    loss: float
    mark: str | None = None


class LookDeeper(RequestBase, frozen=True, kw_only=True, tag="look_deeper"):
    """Ask the server's judge to look deeper at one decision of a match that is over, with an account. Answer:
    deeper_look, some seconds later.

    game, turn, seat, done: as in a finding. code: a private table's.
    """

    match: MatchId
    game: Seq
    turn: Seq
    seat: Seat
    done: Choice
    code: Code = ""


class DeeperLook(Message, frozen=True, kw_only=True, tag="deeper_look"):
    """Choices in a decision, the best first, as a deeper look has found them.

    by: the judge, with its depth. choices: each with its equity, and its error: the true one is within so much in 95 of
    100 cases; null = it is not known. Of the cube `no double`, `double, take` and `double, drop`, by the equity of who
    may double, or has done it.
    """

    id: Id
    by: str
    choices: list[tuple[str, float, float | None]]


class Puzzle(Message, frozen=True, kw_only=True):
    """The position of the day: a costly decision of a public match. It is the same on all nodes of a server.

    day: its date, UTC. xgid: the position, as in eXtreme Gammon; "" = there is none today. To a `choice` also, choices:
    what was chosen today, each with how often, the most frequent first. match: where it comes from. finding: what was
    done there, and what was best; by: whom that is from.
    """

    id: Id
    day: str
    xgid: str = ""
    choices: dict[str, int] = {}
    match: str = ""
    finding: Finding | None = None
    by: str = ""
