"""The computer in each game that can be created: a level, hints and a judge for it, in the page and in the terminal."""

from itertools import product
from typing import Any, cast

import pytest
from tavla_bots import BOTS
from tavla_bots.evaluator import evaluate_rows
from tavla_bots.house import House
from tavla_cli.bots.computer import LEVELS, suitable
from tavla_cli.bots.local_match import play, shared_dice
from tavla_client import Failures
from tavla_engine.position import Position
from tavla_engine.rules import PRESETS, STARTS, Rules, Variant, preset
from tavla_protocol import messages as m

from tests.support.browser.node import ask_modules, need_node

pytestmark = pytest.mark.slow

GAMES = [{"preset": preset, "variant": variant.value} for preset, variant in product(PRESETS, Variant)]
PEOPLE = {name: m.Person(kind="bot", places=1, level=name, rules=cast(Any, BOTS[name].plays)) for name in LEVELS}
SAGE_PLAYS = ("tournament", "money")  # it knows no cap of the cube, no game without one, and no other count of points
OLD = {"old": m.Person(kind="bot", places=1, level="expert", rules={"variant": ["standard"], "hit_and_run": [True]})}


def test_each_level_plays_each_game_that_can_be_created_but_what_sage_does_not_know() -> None:
    need_node()
    for level, rules in product(LEVELS, GAMES):
        plays = level != "sage" or (rules["preset"] in SAGE_PLAYS and rules["variant"] in BOTS[level].plays["variant"])
        assert suitable(PEOPLE, rules, level) == [level] * plays, rules
    people = {name: {"places": 1, "level": name, "rules": dict(one.rules)} for name, one in PEOPLE.items()}
    found = ask_modules("programs", [{"people": people, "rules": rules, "level": "club"} for rules in GAMES])
    for rules, one in zip(GAMES, found, strict=True):
        assert (one["names"][0], one["none"]) == ("club", ""), rules
        assert set(one["names"]) == set(suitable(PEOPLE, rules)), rules


def test_where_no_computer_plays_page_and_terminal_say_so_alike() -> None:
    """One that is free, and plays the standard game alone, with hit-and-run."""
    need_node()
    people = {name: {"places": 1, "level": one.level, "rules": one.rules} for name, one in OLD.items()}
    found = ask_modules("programs", [{"people": people, "rules": rules, "level": "club"} for rules in GAMES])
    for rules, one in zip(GAMES, found, strict=True):
        plays = rules["variant"] == "standard" and rules["preset"] != "tavla"
        assert (one["names"], suitable(OLD, rules)) == ((["old"],) * 2 if plays else ([], [])), rules
        assert ("No computer that is free plays by these rules" in one["none"]) is not plays, rules
    assert ask_modules("programs", [{"people": {}, "rules": {}, "level": "club"}]) == [{"names": [], "none": ""}]


@pytest.mark.parametrize("variant", Variant)
async def test_each_game_is_judged_alike_by_bots_and_page(variant: Variant) -> None:
    """Its start, and a whole game of the best level without looking ahead, none of whose hooks fails."""
    need_node()
    start, failures = STARTS[variant], Failures()
    (outlook,) = ask_modules("outlook", [[[*start], [*start]]])
    (hint,) = ask_modules("hint", [{"view": view(variant), "seat": 0, "language": "en"}])
    (ours,) = evaluate_rows([Position(start, start)])
    assert outlook == pytest.approx(ours.tolist(), abs=1e-4)
    assert 0.5 < ours[0] < 0.67, "who is on roll has a little more"
    assert hint["rows"], "a hint"
    rules = Rules(variant, 0, crawford=False)
    ended = await play((House(), House()), rules, shared_dice(variant), failures)
    assert max(ended.score) > 0
    assert not failures.counts


def view(variant: Variant) -> dict[str, Any]:
    """The first turn of a game."""
    rules = preset("tournament", {"variant": variant})
    points = [*STARTS[variant], *STARTS[variant]]
    return {"rules": rules._asdict(), "phase": "move", "turn": 0, "dice": [3, 1], "points": points}


def test_the_lobby_has_people_first_and_the_computer_by_its_levels() -> None:
    levels = ["world-class", "", "beginner", "club", ""]
    people = {f"{place}{level}": {"level": level} if level else {} for place, level in enumerate(levels)}
    assert ask_modules("in_order", [people]) == [["1", "4", "2beginner", "3club", "0world-class"]]
