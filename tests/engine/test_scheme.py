"""The scheme of the dice, by the vectors that the page and a check by hand are held to as well."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_engine.actions import Forfeit, Ready
from tavla_engine.chain import LINKS, ChainDice, chain_commitment, earlier, link_number
from tavla_engine.decide import decide
from tavla_engine.dice import LinkDice, commitment
from tavla_engine.events import Ending, GameEnded, MatchEnded
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import Rules, preset
from tavla_engine.terms import binding, player_hash, terms_fault, terms_text

from tests.support.needs import need
from tests.support.patience import PATIENCE_S

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "scheme.json").read_text())
LAST, SEEDS = bytes.fromhex(VECTORS["chain"]["256"]), (VECTORS["seeds"][0], VECTORS["seeds"][1])
TERMS, BINDING = VECTORS["terms"], VECTORS["binding"]
ROLLS = [(row["link"], row["k"], tuple(row["dice"])) for row in VECTORS["rolls"]]


def test_terms_are_those_of_the_vectors() -> None:
    hashes = [player_hash(player["salt"], player["kind"], player["name"]) for player in VECTORS["players"]]
    assert hashes == [player["hash"] for player in VECTORS["players"]]
    assert terms_text(VECTORS["match"], VECTORS["rules"], hashes, VECTORS["commitments"]) == TERMS
    assert binding(TERMS) == BINDING
    assert VECTORS["commitments"][1:] == [commitment(bytes.fromhex(seed)) for seed in SEEDS]


def test_terms_are_the_same_in_whatever_order_the_rules_are_named(rng: random.Random) -> None:
    hashes = [player["hash"] for player in VECTORS["players"]]
    rules = list(VECTORS["rules"].items())
    rng.shuffle(rules)
    assert terms_text(VECTORS["match"], dict(rules), hashes, VECTORS["commitments"]) == TERMS


@pytest.mark.parametrize("line", range(8))
def test_terms_that_differ_in_a_line_are_others(line: int) -> None:
    lines = TERMS.split("\n")
    lines[line] += "0"
    assert binding(other := "\n".join(lines)) != BINDING
    assert terms_fault(other, TERMS).startswith("the terms of the match have another ")


@pytest.mark.parametrize("text", ["", TERMS[:-1], TERMS + "\n", TERMS.replace("\n", "\r")])
def test_terms_of_another_number_of_lines_are_none(text: str) -> None:
    assert terms_fault(text, TERMS) == "the terms of the match are not eight lines"
    assert terms_fault(TERMS, TERMS) == ""


def test_each_link_hashes_to_the_one_before_and_the_first_is_the_commitment() -> None:
    assert chain_commitment(LAST) == VECTORS["chain"]["0"] == VECTORS["commitments"][0]
    for number, seed in VECTORS["chain"].items():
        assert earlier(LAST, LINKS - int(number)).hex() == seed
        assert link_number(bytes.fromhex(seed), VECTORS["commitments"][0]) == int(number)


def test_a_seed_of_no_link_has_no_number() -> None:
    beyond = random.Random(1).randbytes(32)
    assert link_number(beyond, VECTORS["commitments"][0]) is None
    assert link_number(beyond, earlier(beyond, LINKS + 1).hex()) is None, "of a longer chain"


def test_rolls_are_those_of_the_vectors_whichever_link_is_known() -> None:
    for link, k, dice in ROLLS:
        seed = earlier(LAST, LINKS - link)
        assert LinkDice(seed, BINDING, SEEDS, link).roll(k) == dice
        for number in (link, min(link + 7, LINKS), LINKS):
            newest = earlier(LAST, LINKS - number)
            assert ChainDice(newest, number, BINDING, SEEDS).of_link(link).roll(k) == dice


def test_a_byte_of_252_or_more_is_skipped() -> None:
    link, k, block = VECTORS["skipped"]["link"], VECTORS["skipped"]["k"], bytes.fromhex(VECTORS["skipped"]["block"])
    assert max(block[:2]) >= 252
    good = [byte % 6 + 1 for byte in block if byte < 252]
    assert (link, k, (good[0], good[1])) in ROLLS


def test_a_match_takes_the_link_of_its_game_and_before_a_game_the_next() -> None:
    dice = ChainDice(LAST, LINKS, BINDING, SEEDS)
    match = new_match(Rules())
    for game, phase, link in ((0, Phase.READY, 1), (1, Phase.ROLL, 1), (1, Phase.READY, 2), (2, Phase.MOVE, 2)):
        roll = dice.roller(replace(match, game=game, phase=phase))
        assert roll == dice.of_link(link).roll, "kept"
        assert roll(9) == LinkDice(earlier(LAST, LINKS - link), BINDING, SEEDS, link).roll(9)


def test_seeds_that_could_be_read_in_two_ways_are_refused() -> None:
    for text, seeds in (("m", ("a:b", "c")), ("m", ("a", ":")), ("m:a", ("b", "c"))):
        with pytest.raises(ValueError, match="colon"):
            LinkDice(LAST, text, seeds, 1)


BY_HAND = """
hash() { openssl dgst -sha256 -r | cut -c1-64; }
bytes() { xxd -r -p; }
[ "$(printf %s "$TERMS" | hash)" = "$BINDING" ] || echo another binding
link=$SEED; i=$LINK
while [ $i -gt 0 ]; do link=$(printf %s "$link" | bytes | hash); i=$((i - 1)); done
[ "$link" = "$COMMITMENT" ] || echo another chain
printf %s "$BINDING:$SEED_0:$SEED_1:$LINK:$K:0" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SEED" -r | cut -c1-64 | fold -w2 |
  while read -r byte; do [ $((0x$byte)) -ge 252 ] || echo $((0x$byte % 6 + 1)); done | head -2 | xargs
"""


@pytest.mark.parametrize(("link", "k", "dice"), [row for row in ROLLS if row[0] < 4])
def test_openssl_by_hand_gives_the_same(link: int, k: int, dice: tuple[int, int]) -> None:
    for tool in ("bash", "openssl", "xxd"):
        need(shutil.which(tool), tool, tool)
    given = {
        "TERMS": TERMS,
        "BINDING": BINDING,
        "COMMITMENT": VECTORS["chain"]["0"],
        "SEED": VECTORS["chain"][str(link)],
        "LINK": str(link),
        "SEED_0": SEEDS[0],
        "SEED_1": SEEDS[1],
        "K": str(k),
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        ["bash", "-c", BY_HAND], env=given, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.stdout, done.stderr) == (f"{dice[0]} {dice[1]}\n", "")


def test_money_play_ends_with_the_last_link() -> None:
    match = new_match(preset("money"))
    for game in range(1, LINKS + 1):
        for action in (Ready(0), Ready(1)):
            _, match = decide(match, action, lambda number: (6, 1))
        assert match.game == game
        events, match = decide(match, Forfeit(game % 2), lambda number: (6, 1))
    assert [type(event) for event in events] == [GameEnded, MatchEnded]
    assert match.phase is Phase.OVER
    assert match.outcome is not None
    assert match.outcome.ending is Ending.LEFT
