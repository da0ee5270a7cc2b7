"""Matches judged: by Sage or GNU Backgammon, where they are installed and know the game, else by the house."""

import os
from collections.abc import Sequence
from threading import Event as Flag

from tavla_client import fits
from tavla_engine import events as e
from tavla_engine.analysis import Analysis
from tavla_engine.events import Event
from tavla_engine.match import Match

from tavla_bots.evaluator import NETWORKS
from tavla_bots.gnubg import Gnubg
from tavla_bots.gnubg_analysis import by_gnubg
from tavla_bots.gnubg_process import gnubg_path
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import CannotAnalyse, PositionJudge, Progress, judge_match
from tavla_bots.sage import NoSage, SageJudge, knows

SAGE, GNUBG = "sage", "gnubg"  # as one asks for them


def analyse(
    start: Match,
    events: Sequence[Event],
    progress: Progress,
    stop: Flag,
    threads: int | None = None,
    judge: str = SAGE,
) -> Analysis:
    """Judge a match, or as much as there is of it. Takes seconds to minutes; call it in a thread of its own.

    threads: of GNU Backgammon's; None = as many as there are processors. judge: SAGE, GNUBG, or another word for the
    house, which judges what the others do not know, and where they are not installed.
    Raises: CannotAnalyse. Stopped, soon after `stop` is set.
    """
    if start.rules.variant not in NETWORKS:
        raise CannotAnalyse(f"nobody here can judge {start.rules.variant}")
    if not any(isinstance(event, e.GameStarted) for event in events):
        raise CannotAnalyse("no game was begun")
    # GNU Backgammon is talked to through a pipe that Windows does not know
    if judge == GNUBG and os.name != "nt" and fits(Gnubg.plays, start.rules._asdict()) and (program := gnubg_path()):
        return by_gnubg(program, start, events, progress, stop, threads or os.cpu_count() or 1)
    return judge_match(_position_judge(start, judge), start, events, progress, stop)


def _position_judge(start: Match, judge: str) -> PositionJudge:
    if judge == SAGE and knows(start):
        try:
            return SageJudge()
        except NoSage:
            pass
    return HouseJudge()
