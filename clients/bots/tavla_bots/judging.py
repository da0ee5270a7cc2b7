"""Judging a match decision by decision: one walk, whoever judges the positions."""

from collections.abc import Callable, Iterator, Sequence
from threading import Event as Flag
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace
from tavla_client import Play, Turn
from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.analysis import Analysis, Finding, double_finding, is_choice, take_finding
from tavla_engine.apply import replay
from tavla_engine.conditions import no_double
from tavla_engine.dice import Dice
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match, Phase
from tavla_engine.notation import format_play
from tavla_engine.position import Move, Position, rows_after
from tavla_protocol.match_view import view_of

Progress = Callable[[int, int], None]  # plays that are judged, and how many there are
Ranked = Sequence[tuple[Sequence[Move], float]]  # plays with their equities, the best first


class CannotAnalyse(ValueError):
    """A match that no judge here can analyse. str(error) says why."""


class JudgeDeath(CannotAnalyse):
    """The death of a judge's process, with its work undone: another try may go well."""


class AnalysisStopped(Exception):
    """The analysis was cancelled."""


class CubeEquities(NamedTuple):
    """Equities of waiting, and of a double that is taken."""

    no_double: float
    taken: float


class PlayRanking(NamedTuple):
    """A ranking of the plays of a turn by a judge. plays: with their equities, the best first. hard: see `Finding`."""

    plays: list[tuple[Play, float]]
    hard: bool


class PositionJudge(Protocol):
    """A judge of single decisions. Equities are in units of the game at its cube, see `tavla_engine.analysis`."""

    @property
    def name(self) -> str:
        """The judge with version and depth, as a verdict has it."""

    def ranking(self, turn: Turn, made: Position) -> PlayRanking:
        """Every play of a turn. made: where the play led that was made."""

    def cube(self, match: Match, seat: Seat, doubled: bool) -> CubeEquities:
        """The cube of a player on roll. doubled: it was offered."""

    def luck(self, match: Match, opening: bool) -> float:
        """Luck of a roll: how much better the best play with it is than the average. opening: no double could come."""


def judge_match(
    judge: PositionJudge, start: Match, events: Sequence[Event], progress: Progress, stop: Flag
) -> Analysis:
    """The analysis of a match by a judge of positions. Raises: AnalysisStopped, between two decisions."""
    findings, luck = list[Finding](), [0.0, 0.0]
    plays, done = sum(plays_by_game(events)), 0
    turn = 1
    progress(done, plays)
    for before, event, match in replay(start, events):
        if stop.is_set():
            raise AnalysisStopped
        if isinstance(event, e.GameStarted):
            turn = 1
        findings += _judged(judge, before, event, turn)
        if isinstance(event, e.Rolled):
            luck[match.turn] += judge.luck(match, False)
        elif isinstance(event, e.OpeningRolled) and event.die_0 != event.die_1:
            luck[match.turn] += judge.luck(match, True)
        turn += isinstance(event, e.Moved)
        if is_play(event):
            done += 1
            progress(done, plays)
    return Analysis(judge.name, tuple(findings), (luck[0], luck[1]))


def is_play(event: Event) -> bool:
    """True for a turn in which checkers moved."""
    return isinstance(event, e.Moved) and bool(event.moves)


def plays_by_game(events: Sequence[Event]) -> list[int]:
    """Numbers of plays, game by game."""
    counts = [0]
    for event in events:
        if isinstance(event, e.GameStarted):
            counts.append(0)
        counts[-1] += is_play(event)
    return counts[1:]


def _judged(judge: PositionJudge, match: Match, event: Event, turn: int) -> Iterator[Finding]:
    game = match.game
    match event:
        case e.Moved(seat, moves) if moves:
            assert match.dice is not None, "a turn has dice"
            plays, hard = judge.ranking(turn_of(match, seat), Position(*rows_after(match.position, moves)))
            ranked = [(play.moves, equity) for play, equity in plays]
            found = play_finding(game, turn, seat, match.dice, match.position, moves, ranked)
            yield from (one._replace(hard=hard) for one in found)
        case e.Rolled(seat) if match.phase is Phase.ROLL and no_double(match, seat) is None:
            yield double_finding(game, turn, seat, False, *judge.cube(match, seat, False))
        case e.Doubled(seat):
            yield double_finding(game, turn, seat, True, *judge.cube(match, seat, True))
        case e.Taken(seat) if match.offer and not match.offer.beavers:
            yield take_finding(game, turn, seat, True, judge.cube(match, 1 - seat, True).taken)
        case e.GameEnded(winner, _, _, Ending.DROP) if match.offer and not match.offer.beavers:
            yield take_finding(game, turn, 1 - winner, False, judge.cube(match, winner, True).taken)


def play_finding(
    game: int,
    turn: int,
    seat: Seat,
    dice: Dice,
    position: Position,
    moves: Sequence[Move],
    ranked: Ranked,
    mark: str | None = None,
) -> Iterator[Finding]:
    """The finding on a play; none where its judge has not ranked it."""
    done = rows_after(position, moves)
    score = next((equity for play, equity in ranked if rows_after(position, play) == done), None)
    if score is not None:
        best, most = ranked[0]  # the judge's own choice; one further down that it saw less deeply may seem to be better
        text, better = (format_play(position, play) for play in (moves, best))
        counts = is_choice([equity for _, equity in ranked])
        margin = max(most - max(equity for _, equity in ranked[1:]), 0.0) if ranked[1:] else None
        yield Finding(game, turn, seat, dice, text, better, max(most - score, 0.0), counts, mark, margin=margin)


def turn_of(match: Match, seat: Seat) -> Turn:
    """A decision as a bot sees it."""
    rules: dict[str, Any] = {name: getattr(value, "value", value) for name, value in match.rules._asdict().items()}
    return Turn("", replace(view_of(match), rules=rules), seat)
