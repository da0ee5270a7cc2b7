"""The ways to tamper with an exported match: each changes what it says, and nothing else."""

import json
from typing import Any

import pytest
from tavla_cli.records.files import as_json
from tavla_cli.records.record import of_server
from tavla_engine.rules import preset

from tests.support.games.records import played, recorded
from tests.support.games.tampering import TAMPERINGS, tampered

RULES = preset("tournament", {"length": 1})
OTHERWISE = {  # where something else changes than events
    "sixes_in_rolls": {"rolls"},
    "sixes_in_both": {"rolls", "events"},
    "roll_removed": {"rolls", "events"},
    "score_changed": {"view"},
    "seed_changed": {"seed", "view"},
    "player_seed_changed": {"seeds", "view"},
    "commitment_changed": {"commitment", "view"},
    "commitments_dropped": {"commitments", "view"},
    "seed_in_view": {"view"},
    "match_changed": {"match"},
}


def exported(seed: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(as_json(of_server(recorded(RULES, played(RULES, seed)))))
    return found


@pytest.mark.parametrize("how", TAMPERINGS)
def test_a_file_is_changed_where_it_should_be(how: str) -> None:
    for seed in range(3):
        before = exported(seed)
        after = tampered(how, before)
        changed = {name for name in before if after[name] != before[name]}
        assert changed == OTHERWISE.get(how, {"events"})
        assert before == exported(seed), "a copy"


def test_dice_are_changed_in_events_in_rolls_or_in_both() -> None:
    before = exported(1)
    events, rolls, both = (tampered(f"sixes_in_{where}", before) for where in ("events", "rolls", "both"))
    (changed,) = [new for old, new in zip(before["events"], events["events"], strict=True) if old != new]
    assert changed[-2:] == [6, 6]
    assert (both["events"], both["rolls"]) == (events["events"], rolls["rolls"])
