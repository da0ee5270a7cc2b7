"""The page's terms, chain and dice, by the vectors of the scheme."""

import json
from pathlib import Path
from typing import Any

from tavla_engine.rules import PRESETS, preset
from tavla_server.record.projection import rules_fields

from tests.support.browser.node import ask_modules

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "scheme.json").read_text())
LAST, CHAIN = VECTORS["chain"]["256"], VECTORS["chain"]


def test_its_terms_are_those_of_the_vectors() -> None:
    backwards = dict(reversed(VECTORS["rules"].items()))
    asked = [{**VECTORS, "rules": rules} for rules in (VECTORS["rules"], backwards)]
    hashes = [player["hash"] for player in VECTORS["players"]]
    assert ask_modules("agreed", asked) == [[hashes, VECTORS["terms"], VECTORS["binding"]]] * 2


def test_its_chain_is_that_of_the_vectors() -> None:
    numbers = [int(number) for number in CHAIN]
    asked = {"last": LAST, "links": numbers, "committed": VECTORS["commitments"][0]}
    other = {**asked, "committed": "00" * 32}
    (seeds, found), (_, lost) = ask_modules("links", [asked, other])
    assert (seeds, found) == ([*CHAIN.values()], numbers)
    assert set(lost) == {-1}


def test_its_rolls_are_those_of_the_vectors() -> None:
    asked = [{**VECTORS, "last": LAST, "link": row["link"], "k": row["k"]} for row in VECTORS["rolls"]]
    assert ask_modules("linkRoll", asked) == [row["dice"] for row in VECTORS["rolls"]]


def test_rules_are_what_the_page_has_asked_for_unless_an_option_of_it_is_another_one() -> None:
    changes: list[dict[str, Any]] = [{"clock": "none", "length": 3}, {"clock": "fast", "rated": True}]
    asked = [(name, one) for name in PRESETS for one in changes if name != "mpgn" or "rated" not in one]
    same = [{"asked": {"preset": name, **one}, "offered": rules_fields(preset(name, one))} for name, one in asked]
    assert ask_modules("asked", same) == [False] * len(same)
    longer = [{**one, "offered": {**one["offered"], "length": 99}} for one in same]
    assert ask_modules("asked", longer) == [True] * len(longer)
