"""The page's terms, chain and dice, by the vectors of the scheme."""

import json
from pathlib import Path
from typing import Any

from tests.support.browser.node import ask_modules, need_node

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "scheme.json").read_text())
LAST, CHAIN = VECTORS["chain"]["256"], VECTORS["chain"]


def test_its_terms_are_those_of_the_vectors() -> None:
    need_node()
    backwards = dict(reversed(VECTORS["rules"].items()))
    asked = [{**VECTORS, "rules": rules} for rules in (VECTORS["rules"], backwards)]
    hashes = [player["hash"] for player in VECTORS["players"]]
    assert ask_modules("agreed", asked) == [[hashes, VECTORS["terms"], VECTORS["binding"]]] * 2


def test_its_chain_is_that_of_the_vectors() -> None:
    need_node()
    numbers = [int(number) for number in CHAIN]
    asked = {"last": LAST, "links": numbers, "committed": VECTORS["commitments"][0]}
    other = {**asked, "committed": "00" * 32}
    (seeds, found), (_, lost) = ask_modules("links", [asked, other])
    assert (seeds, found) == ([*CHAIN.values()], numbers)
    assert set(lost) == {-1}


def test_its_rolls_are_those_of_the_vectors() -> None:
    need_node()
    asked = [{**VECTORS, "last": LAST, "link": row["link"], "k": row["k"]} for row in VECTORS["rolls"]]
    assert ask_modules("linkRoll", asked) == [row["dice"] for row in VECTORS["rolls"]]
