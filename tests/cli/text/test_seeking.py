"""Rules that other players seek, as a command that seeks a quick match by the same."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.text.seeking import near_misses, play_command, seek_options
from tavla_engine.rules import CLOCKS, Rules, preset
from tavla_protocol import messages as m

WANTED: list[
    tuple[str, dict[str, Any], str | None]
] = [  # preset, what differs from it, the command that seeks the same
    ("tournament", {"length": 5}, "tavla play --length 5 --clock none"),
    ("tournament", {"length": 9, "clock": "fast"}, "tavla play --length 9 --clock fast"),
    ("tournament", {"rated": True}, "tavla play --clock normal --rated"),
    ("tournament", {"variant": "nackgammon", "cube": False}, "tavla play --variant nackgammon --no-cube --clock none"),
    ("tournament", {"length": 5, "hints": True}, "tavla play --length 5 --clock none"),
    ("money", {"clock": "fast"}, "tavla play --preset money --clock fast"),
    ("tavla", {}, "tavla play --preset tavla --clock none"),
    ("portes", {"clock": "slow"}, "tavla play --preset portes --clock slow"),
    ("tournament", {"reserve_s": 7}, None),
    ("tournament", {"crawford": False}, None),
]


@pytest.mark.parametrize(("name", "changes", "command"), WANTED)
def test_the_command_seeks_the_same(name: str, changes: dict[str, Any], command: str | None) -> None:
    rules = preset(name, changes)
    usual = Rules()._asdict()
    changed = {option: value for option, value in rules._asdict().items() if value != usual[option]}
    assert play_command(changed) == command
    options = seek_options(changed)
    if options is not None:
        asked = dict(options)
        sought = preset(str(asked.pop("preset", "tournament")), asked, quick=True)
        assert sought._replace(hints=False) == rules._replace(hints=False)


CLOCK: dict[str, bool | int | str] = dict(zip(("delay_s", "reserve_s"), CLOCKS["normal"], strict=True))


def test_those_who_want_something_else_are_told_with_the_command_that_fits() -> None:
    sofa = m.Table(name="sofa\x1b[2J", players=("ada", None), rules={"length": 3})
    tables = {
        "t1": sofa,
        "t2": replace(sofa, players=("me", None)),
        "t3": replace(sofa, opponent="bot"),
        "t4": replace(sofa, away=(9, 0)),
    }
    seekers = {
        name: m.Seeker(name=name, rules={"length": length, **CLOCK})
        for name, length in (("bob", 5), ("cid", 7), ("me", 9))
    }
    assert near_misses({"length": 7, **CLOCK}, "me", tables, seekers) == [
        "ada waits at a table for match to 3 points: tavla join t1",
        "bob waits for a match to 5 points, clock 12 s + 120 s a point: tavla play --length 5 --clock normal",
    ]
