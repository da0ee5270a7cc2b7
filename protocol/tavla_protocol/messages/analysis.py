"""Analysis: a match as a judge sees it, the position of the day, and puzzles."""

from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta
from tavla_engine.decisions import Theme

from tavla_protocol.messages.values import Choice, Code, Id, MatchId, Message, RequestBase, Seat, Seq

PuzzleLevel = Literal["easy", "medium", "hard"]
AnyTheme = Theme | Literal[""]
AnyPuzzleLevel = PuzzleLevel | Literal[""]


class Daily(RequestBase, frozen=True, kw_only=True):
    """Ask for the position of the day, or say what one would do there. Answer: puzzle.

    choice: a play as it is written, or `double`, `no double`, `take`, `drop`; "" = only look.
    """

    choice: Choice = ""


class Solve(RequestBase, frozen=True, kw_only=True):
    """Ask for a puzzle, or answer one. Answer: puzzle.

    theme, level: of the one that is asked for; "" = of any. puzzle: the one that is answered; choice: as of `daily`.
    """

    theme: AnyTheme = ""
    level: AnyPuzzleLevel = ""
    puzzle: Annotated[str, Meta(max_length=16)] = ""
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
    """The position of the day, or a puzzle: a costly decision of a public match.

    day: the date, UTC. xgid: the position, as in eXtreme Gammon; "" = there is none. To a `choice` also, choices: what
    was chosen that day, each with how often, the most frequent first; none of a puzzle. match: where it comes from.
    finding: what was done there, and what was best; by: whom that is from.

    Of a puzzle, puzzle: its key. theme, rating: its own. own: the account's rating at puzzles, and its change by this
    answer; null for a guest. right: whether the choice was the best.
    """

    id: Id
    day: str
    xgid: str = ""
    choices: dict[str, int] = {}
    match: str = ""
    finding: Finding | None = None
    by: str = ""
    puzzle: str = ""
    theme: AnyTheme = ""
    rating: int | None = None
    own: tuple[int, int] | None = None
    right: bool | None = None
