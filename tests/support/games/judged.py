"""Records of matches that a server has judged."""

from msgspec.structs import replace
from tavla_cli.records.record import Record, of_server
from tavla_engine.rules import preset
from tavla_protocol import messages as m

from tests.support.games.records import played, recorded
from tests.support.stores.judged import decided_by

RULES = preset("tournament", {"length": 3})
FIGURES = m.Analysis(by="somebody", ratings=(5.25, None), lost=(0.5, 0.0), decisions=(50, 0), luck=(0.1, -0.1))
CUBE_AND_DROP, FORFEITED = 26, 16  # seeds: double, take, double, drop; double, take, and the match is forfeited


def judged(seed: int, loss: float, games: int = 1, mark: str | None = None) -> Record:
    """A match whose every decision has a finding, as if it had cost so much. mark: by the judge."""
    events = played(RULES, seed, games)
    findings = [one._replace(loss=loss, mark=mark) for _, one in decided_by(events, RULES)]
    return of_server(replace(recorded(RULES, events), analysis=FIGURES, findings=findings))
