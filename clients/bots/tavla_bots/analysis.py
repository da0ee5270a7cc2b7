"""Matches judged: by Sage or GNU Backgammon, where they are installed and know the game, else by the house."""

import os
from collections.abc import Sequence
from threading import Event as Flag
from typing import NamedTuple

from tavla_client import fits
from tavla_engine import events as e
from tavla_engine.analysis import Analysis
from tavla_engine.conditions import no_double
from tavla_engine.events import Event
from tavla_engine.match import Match, Phase
from tavla_engine.notation import format_play

from tavla_bots.evaluator import NETWORKS
from tavla_bots.gnubg import Gnubg
from tavla_bots.gnubg_analysis import by_gnubg
from tavla_bots.gnubg_process import gnubg_path
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import CannotAnalyse, CubeEquities, PositionJudge, Progress, judge_match, turn_of
from tavla_bots.sage import NoSage, SageJudge, is_installed, knows

SAGE, GNUBG, HOUSE, GLANCE = "sage", "gnubg", "house", "glance"  # as one asks for them


class PositionVerdict(NamedTuple):
    """Verdict on a position. by: the judge. plays: with their equities, the best first; or cube, if that is asked."""

    by: str
    plays: list[tuple[str, float]]
    cube: CubeEquities | None = None


def analyse(
    start: Match,
    events: Sequence[Event],
    progress: Progress,
    stop: Flag,
    threads: int | None = None,
    judge: str = SAGE,
) -> Analysis:
    """Judge a match, or as much as there is of it. Takes seconds to minutes; call it in a thread of its own.

    threads: of GNU Backgammon's; None = as many as there are processors. judge: SAGE, GNUBG, HOUSE or
        GLANCE; see `judge_for`.
    Raises: CannotAnalyse. Stopped, soon after `stop` is set.
    """
    if start.rules.variant not in NETWORKS:
        raise CannotAnalyse(f"nobody here can judge {start.rules.variant}")
    if not any(isinstance(event, e.GameStarted) for event in events):
        raise CannotAnalyse("no game was begun")
    judge = judge_for(start, judge)
    if judge == GNUBG and (program := gnubg_path()):
        return by_gnubg(program, start, events, progress, stop, threads or os.cpu_count() or 1)
    return judge_match(position_judge(judge), start, events, progress, stop)


def judge_position(match: Match, judge: str = SAGE) -> PositionVerdict:
    """Judge the decision in a position. judge: as of `analyse`; GNU Backgammon judges whole matches alone.

    Raises: CannotAnalyse, where there is nothing to decide.
    """
    if match.rules.variant not in NETWORKS or judge == GNUBG:
        raise CannotAnalyse("GNU Backgammon judges no single positions here: ask sage or house")
    asked = position_judge(judge_for(match, judge))
    if match.phase is Phase.MOVE:
        turn = turn_of(match, match.turn)
        if not turn.plays:
            raise CannotAnalyse("no checker can move")
        ranking = asked.ranking(turn, turn.plays[0].after).plays
        best = asked.ranking(turn, ranking[0][0].after).plays  # the first one was as deep as what is near it
        return PositionVerdict(asked.name, [(format_play(match.position, play.moves), value) for play, value in best])
    seat = match.offer.seat if match.offer else match.turn
    if match.phase is not Phase.CUBE and (why := no_double(match, seat)):
        raise CannotAnalyse(f"there are no dice, and nobody may double: {why}")
    return PositionVerdict(asked.name, [], asked.cube(match, seat, match.offer is not None))


def judge_for(start: Match, judge: str) -> str:
    """The judge of a match when this one is asked for: HOUSE for what it does not know, and where it is not installed.

    A Sage that is installed and cannot run here, as without AVX2, shows it first when it is tried.
    """
    # GNU Backgammon is talked to through a pipe that Windows does not know
    if judge == GNUBG and os.name != "nt" and fits(Gnubg.plays, start.rules._asdict()) and gnubg_path():
        return GNUBG
    if judge == SAGE and is_installed() and knows(start):
        return SAGE
    return GLANCE if judge == GLANCE else HOUSE


def position_judge(judge: str) -> PositionJudge:
    """A judge of positions: Sage, or the house, deep or at a glance; it also judges where Sage cannot run."""
    if judge == SAGE:
        try:
            return SageJudge()
        except NoSage:
            pass
    return HouseJudge(deep=judge != GLANCE)
