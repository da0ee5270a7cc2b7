"""Records of matches that a server has judged."""

import functools
import threading
from collections.abc import Sequence

from msgspec.structs import replace
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import judge_match
from tavla_cli.records.record import Record, of_server
from tavla_engine.analysis import Finding
from tavla_engine.events import Event
from tavla_engine.match import new_match
from tavla_engine.rules import preset
from tavla_protocol import messages as m

from tests.support.games.records import played, recorded

RULES = preset("tournament", {"length": 3})
FIGURES = m.Analysis(by="somebody", ratings=(5.25, None), lost=(0.5, 0.0), decisions=(50, 0), luck=(0.1, -0.1))
CUBE_AND_DROP, FORFEITED = 26, 16  # seeds: double, take, double, drop; double, take, and the match is forfeited


@functools.cache
def _judged(seed: int, games: int) -> tuple[list[Event], Sequence[Finding]]:
    """A match, and the house's findings on it."""
    events = played(RULES, seed, games)
    judge = HouseJudge(deep=False)
    return events, judge_match(judge, new_match(RULES), events, lambda *_: None, threading.Event()).findings


def judged(seed: int, loss: float, games: int = 1, mark: str | None = None) -> Record:
    """A match whose every decision has a finding, as if it had cost so much. mark: by the judge."""
    events, found = _judged(seed, games)
    findings = [m.Finding(one.game, one.turn, one.seat, one.done, one.best, loss, mark) for one in found]
    return of_server(replace(recorded(RULES, events), analysis=FIGURES, findings=findings))
