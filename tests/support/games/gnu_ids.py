"""Three hundred IDs that GNU Backgammon wrote, the matches that they are of, and what an ID tells of a match."""

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tavla_engine.conditions import to_act
from tavla_engine.match import Cube, Match, Phase, Resignation
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.position import Position
from tavla_engine.rules import Variant

from tests.support.games.gnubg_matches import RESIGNATIONS

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data" / "position_ids.json").read_text())


def match_of(record: dict[str, Any]) -> Match:
    """The match in the state that GNU Backgammon tells beside an ID."""
    state = record["state"]
    match = game_in_progress(
        rules_of(state["match_length"], state["jacoby"], Variant.STANDARD),
        Position(bytes(record["mine"]), bytes(record["theirs"])),
        state["on_roll"],
        (state["score"][0], state["score"][1]),
        Cube(state["cube_value"], state["cube_owner"]),
        state["crawford"],
        (state["dice"][0], state["dice"][1]) if state["dice"] else None,
    )
    if state["doubled"]:
        match = with_offer(match, 0)
    if state["resigned"]:
        resignation = Resignation(1 - state["turn"], RESIGNATIONS[state["resigned"]], match.phase)
        match = replace(match, phase=Phase.RESIGN, resignation=resignation)
    return match


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
