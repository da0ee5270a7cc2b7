"""The proof of a match: our code and a check by hand find the same."""

import json
import random
import re
import runpy
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tavla_cli.main import cli
from tavla_cli.records.files import as_json, parse
from tavla_cli.records.record import of_server
from tavla_engine.chain import LINKS, ChainDice
from tavla_engine.dice import commitment
from tavla_engine.errors import BadText
from tavla_engine.rules import preset
from tavla_engine.terms import binding

from tests.support.games.forks import FORKS
from tests.support.games.records import SEEDS, played, recorded
from tests.support.patience import PATIENCE_S
from tests.support.tries import tries

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parent.parent.parent / "protocol" / "examples" / "verify.py"
RULES = preset("tournament", {"length": 3})
MATCH: dict[str, Any] = json.loads(as_json(of_server(recorded(RULES, played(RULES, 5)))))
EVENTS, ROLLS, VIEW = MATCH["events"], MATCH["rolls"], MATCH["view"]
SEED, COMMITTED = MATCH["seed"], MATCH["commitments"]


def places(*types: str) -> list[int]:
    return [place for place, event in enumerate(EVENTS) if event[2] in types]


def edited(place: int, *instead: list[Any]) -> dict[str, Any]:
    """Other events in the place of one; the rolls as they are."""
    return {"events": [*EVENTS[:place], *instead, *EVENTS[place + 1 :]]}


A_ROLL, A_PLAY, OPENING = places("rolled")[4], places("moved")[4], places("opening_rolled")[0]
SIXES = [*EVENTS[A_ROLL][:4], 6, 6]
LOSER = [*EVENTS[OPENING + 1][:3], 1 - EVENTS[OPENING + 1][3], *EVENTS[OPENING + 1][4:]]

SEEDS_FORGED: list[dict[str, Any]] = [
    {"seed": bytes(range(32)).hex()},
    {"commitment": commitment(b"")},
    {"match": "k3v9q2xb"},
    {"seeds": ["0c" * 16, SEEDS[1]]},
    {"seeds": [SEEDS[0], "0c" * 16]},
    {"seeds": ["", SEEDS[1]]},
    {"commitments": [COMMITTED[1], COMMITTED[0]]},
    {"terms": MATCH["terms"].replace(":3", ":5")},
    {"rolls": ROLLS[1:]},
    {"rolls": [*ROLLS[:7], [8, 7 - ROLLS[7][1], 1], *ROLLS[8:]]},
    {"rolls": [ROLLS[0], [2, ROLLS[1][2] % 6 + 1, ROLLS[1][1]], *ROLLS[2:]]},
]
EVENTS_FORGED: dict[str, dict[str, Any]] = {
    "6-6 in the events": edited(A_ROLL, SIXES),
    "6-6 in both": {**edited(A_ROLL, SIXES), "rolls": [[n, 6, 6] if n == 6 else [n, *dice] for n, *dice in ROLLS]},
    "a phantom roll": edited(A_ROLL, EVENTS[A_ROLL], EVENTS[A_ROLL]),
    "a roll left out": edited(A_ROLL),
    "a play left out": edited(A_PLAY),
    "the loser of the opening roll starts": edited(OPENING + 1, LOSER),
    "a play with other dice": edited(A_PLAY, [*EVENTS[A_PLAY][:4], [[24, 1], [24, 1]], False]),
}
BY_RULES_ALONE: dict[str, dict[str, Any]] = {  # the rules of the game are needed to find these
    "another score": {"view": {**VIEW, "score": [9, 0]}},
    "the end left out": {"events": EVENTS[:-1]},
    "an illegal play": edited(A_PLAY, [*EVENTS[A_PLAY][:4], [], True]),
}


def script(match: dict[str, Any] | str) -> tuple[bool | None, list[str]]:
    """What the script finds in a file."""
    found: tuple[bool | None, list[str]] = CHECK(match if isinstance(match, str) else json.dumps(match))
    return found


PARTS = runpy.run_path(str(EXAMPLE))
CHECK = PARTS["check"]
VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "scheme.json").read_text())


def by_hand(match: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "match.json").write_text(json.dumps(match))
    return run_script(str(folder / "match.json"))


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(EXAMPLE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def command(name: str, match: dict[str, Any], folder: Path, *more: str) -> tuple[int, str]:
    (folder / "match.json").write_text(json.dumps(match))
    result = CliRunner().invoke(cli, [name, str(folder / "match.json"), *more])
    return result.exit_code, result.output


def test_the_script_is_held_to_the_vectors_of_the_scheme() -> None:
    chain, (server, *players) = VECTORS["chain"], VECTORS["commitments"]
    match = {**VECTORS, "seed": chain["256"], "commitment": server, "commitments": players}
    keys = PARTS["keys_of"](match)[::-1]
    assert {number: keys[int(number)].hex() for number in chain} == chain
    assert [*PARTS["wrong_seeds"](match, keys[::-1])] == []
    for row in VECTORS["rolls"]:
        assert PARTS["rolled"](match, keys[row["link"]], row["link"], row["k"]) == row["dice"]


@pytest.mark.parametrize("name", FORKS)
def test_a_match_that_was_put_back_is_judged_by_the_script_as_by_all_others(name: str) -> None:
    record, words = FORKS[name]
    sound, said = script(json.loads(as_json(of_server(record))))
    assert sound is not bool(words), said
    assert not words or any(re.search(words, one) for one in said), said


def test_an_export_has_what_the_protocol_says() -> None:
    terms = next(event[3] for event in EVENTS if event[2] == "agreed")
    assert MATCH["terms"] == terms
    roll = ChainDice(bytes(32), LINKS, binding(terms), SEEDS).of_link(1).roll
    assert ROLLS[:2] == [[1, *roll(1), True], [2, *roll(2)]]
    assert [number for number, *_ in ROLLS] == list(range(1, len(ROLLS) + 1))


def test_a_match_that_holds_is_said_to(tmp_path: Path) -> None:
    done, count = by_hand(MATCH, tmp_path), len(ROLLS)
    word = "hat the match was played, by whom, when and how it was ruled on is the file's word"
    said = f"all {count} rolls follow from the seeds in this file, and each was played\nt{word}\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
    text = f"{count} rolls: all follow from the seeds in this file, and the match from them\nT{word}.\n"
    assert command("verify", MATCH, tmp_path) == (0, text.replace("the match was", "it was"))


@pytest.mark.parametrize("silent", [[0], [1], [0, 1]], ids=["white", "black", "both"])
def test_a_match_without_a_commitment_is_not_sound(silent: list[int], tmp_path: Path) -> None:
    """Also when terms and rolls are made to fit: no program of ours leads to such a match."""
    commitments, seeds = (["" if seat in silent else one[seat] for seat in (0, 1)] for one in (COMMITTED, SEEDS))
    forged = {"commitments": commitments, "seeds": seeds, "view": {**VIEW, "commitments": commitments, "seeds": seeds}}
    done = by_hand({**MATCH, **forged}, tmp_path)
    code, told = command("verify", {**MATCH, **forged}, tmp_path)
    assert done.returncode == code == 1
    for seat in silent:
        colour = ("white", "black")[seat]
        assert f"{colour} committed to no seed" in done.stdout
        assert f"{colour} has committed to no seed" in told


@pytest.mark.parametrize("forged", SEEDS_FORGED, ids=[f"{next(iter(one))}-{i}" for i, one in enumerate(SEEDS_FORGED)])
@pytest.mark.parametrize("both", [False, True], ids=["proof", "proof and view"])
def test_whatever_is_changed_in_the_proof_is_found(forged: dict[str, Any], both: bool, tmp_path: Path) -> None:
    view = {**VIEW, **{name: value for name, value in forged.items() if name != "rolls"}}
    match = {**MATCH, **forged, "view": view if both else VIEW}
    done = by_hand(match, tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    code, out = command("verify", match, tmp_path)
    assert (code, "WARNING: " in out) == (1, True)


@pytest.mark.parametrize("name", [*EVENTS_FORGED, *BY_RULES_ALONE])
def test_changed_events_are_found_everywhere_and_nothing_is_made_of_them(name: str, tmp_path: Path) -> None:
    match = {**MATCH, **(EVENTS_FORGED | BY_RULES_ALONE)[name]}
    if name in EVENTS_FORGED:
        done = by_hand(match, tmp_path)
        assert (done.returncode, done.stderr) == (1, ""), done
    code, out = command("verify", match, tmp_path)
    assert (code, "WARNING: " in out) == (1, True)
    for other, *more in (("export",), ("export", "-o", str(tmp_path / "m.sgf")), ("replay",), ("analyse",)):
        code, out = command(other, match, tmp_path, *more)
        assert code == 1
        assert "this match is not sound: " in out
        assert "Event" not in out, "nothing of it is shown"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"match": 5, "seed": "x"}', json.dumps({**MATCH, "events": [[1]]})])
def test_what_is_no_match_is_said_in_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "match.json").write_text(text)
    result = CliRunner().invoke(cli, ["verify", str(tmp_path / "match.json")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert CliRunner().invoke(cli, ["verify", str(tmp_path / "none.json")]).exit_code == 1
    for arguments in ([str(tmp_path / "match.json")], [str(tmp_path / "none.json")], [str(tmp_path)], []):
        done = run_script(*arguments)
        assert (done.returncode, done.stdout.count("\n"), done.stderr) == (2, 1, "")


def test_the_script_is_short_and_takes_nothing_from_us() -> None:
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) <= 120
    assert "tavla_" not in text


# --- what else a file may claim ---

LAST = EVENTS[-1][0]
RULED = [[LAST + 1, EVENTS[-1][1], "ruled", "mod", "why"], [LAST + 1, EVENTS[-1][1], "match_ended", None, "voided"]]
WINNER, *HOW = VIEW["outcome"]
CLAIMED: dict[str, tuple[dict[str, Any], str]] = {  # what `tavla verify` says; *: the script finds it, too
    "other players": (
        {"view": {**VIEW, "players": ["eve", "bob"]}},
        "the terms of the match have another white player",
    ),
    "another ending": ({"view": {**VIEW, "outcome": [WINNER, *HOW[:2], "drop"]}}, "the result that is shown"),
    "another winner": ({"view": {**VIEW, "outcome": [1 - WINNER, *HOW]}}, "the result that is shown"),
    "a void that the view does not show": ({"events": [*EVENTS, *RULED], "seq": LAST + 1}, "the result that is shown"),
    "* numbers that fall": (edited(A_PLAY, [3, *EVENTS[A_PLAY][1:]]), "the numbers of the entries fall"),
    "* entries that are missing": ({"seq": LAST + 5}, "it is cut"),
    "* events behind the end": ({"events": [*EVENTS, [LAST, 0, "seated", 0, "eve"]]}, "seated stands behind the end"),
    "* an event of a later version": (
        edited(A_PLAY, [*EVENTS[A_PLAY][:2], "teleported"], EVENTS[A_PLAY]),
        "neither sound",
    ),
    "* nothing but the beginning": ({"events": EVENTS[:40]}, "its events end before that"),
}


@pytest.mark.parametrize("name", CLAIMED)
def test_all_that_a_file_claims_is_compared(name: str, tmp_path: Path) -> None:
    changes, words = CLAIMED[name]
    code, out = command("verify", {**MATCH, **changes}, tmp_path)
    assert (code, words in out) == (1, True), out
    is_sound, said = script({**MATCH, **changes})
    assert bool(is_sound) is not name.startswith("*"), said


def test_what_was_added_to_a_file_is_named(tmp_path: Path) -> None:
    code, out = command("verify", {**MATCH, "rated": True, "names": ["ada", "eve"]}, tmp_path)
    assert (code, "nobody can check what was added: names, rated" in out) == (0, True), out


def test_a_file_of_a_private_table_does_not_hold_its_code() -> None:
    private = recorded(RULES, played(RULES, 5))
    private.view["code"] = "abcdefgh"
    assert "abcdefgh" not in as_json(of_server(private))


def test_a_file_that_is_cut_anywhere_is_called_so() -> None:
    text = json.dumps(MATCH)
    for length in range(1, len(text) - 1, 211):
        assert script(text[:length]) == (None, ["the file is cut: it ends in the middle"]), length
        with pytest.raises(BadText, match="this file is cut: it ends in the middle"):
            parse(text[:length])


def mutant(rng: random.Random) -> str:
    """A file that somebody has changed in one to three places: values, their types, whole branches, or its text."""
    match = json.loads(SHORT)
    for _ in range(rng.randrange(1, 4)):
        inside: Any = match
        while True:
            place: Any = rng.choice([*inside] if isinstance(inside, dict) else range(len(inside)))
            if not (isinstance(inside[place], dict | list) and inside[place] and rng.random() < 0.8):
                break
            inside = inside[place]
        match rng.randrange(4):
            case 0:
                del inside[place]
            case 1 if isinstance(inside, list):
                inside.insert(place, rng.choice(inside))
            case _:
                inside[place] = rng.choice(ODD)
        if not match:
            break
    text = json.dumps(match)
    if rng.random() < 0.1:
        place = rng.randrange(len(text))
        text = text[:place] + chr(rng.randrange(0x110000 - 1)) + text[place + 1 :]
    return text


ONE_POINT = preset("tournament", {"length": 1})
SHORT = as_json(of_server(recorded(ONE_POINT, played(ONE_POINT, 5))))
HONEST = parse(SHORT)
ODD: list[Any] = [None, True, -1, 0, 7, 10**30, 1.5, float("nan"), "", "0a", "\u0661", "rolled", [], [[]], {}, {"a": 1}]


def test_no_file_makes_them_fail_and_what_is_called_sound_has_the_dice_of_its_seeds() -> None:
    honest, seen = json.loads(SHORT), Counter[bool]()
    for number in range(tries(3000)):
        text = mutant(random.Random(number))
        is_sound, said = script(text)
        assert said, text
        seen[bool(is_sound)] += 1
        assert not is_sound or json.loads(text)["rolls"] == honest["rolls"], text
        with suppress(BadText):
            record = parse(text)
            assert record.faults or record.unknown or not record.over or record.events == HONEST.events, text
    assert seen[False] > seen[True], "the script looks at no view"
