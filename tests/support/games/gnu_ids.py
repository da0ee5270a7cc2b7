"""Three hundred IDs that GNU Backgammon wrote, and what an ID tells of a match."""

import json
from pathlib import Path
from typing import Any

from tavla_engine.conditions import to_act
from tavla_engine.match import Match, Phase

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data" / "position_ids.json").read_text())


def told(match: Match) -> tuple[object, ...]:
    """The part of a state that a Match ID tells."""
    playing = match.phase not in (Phase.READY, Phase.OVER)
    offer, resignation = match.offer, match.resignation
    return (
        match.phase,
        match.board,
        match.score,
        match.crawford,
        match.cube.value,
        offer.holder if offer and offer.beavers else match.cube.owner,
        match.turn,
        match.dice,
        playing and to_act(match),
        offer and (offer.seat, offer.holder, offer.beavers % 2),
        resignation and (resignation.seat, resignation.value, resignation.phase),
        match.rules.length,
        match.rules.jacoby,
    )
