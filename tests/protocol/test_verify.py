"""The proof of a match's dice: whoever checks it, with our code or by hand, finds the same."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tavla_cli.main import cli
from tavla_engine import events as e
from tavla_engine.dice import commitment, committed_dice
from tavla_engine.proof import faults_of, proof_of

EXAMPLE = Path(__file__).parent.parent.parent / "protocol" / "examples" / "verify.py"
SEED, SEEDS = bytes(range(32)), ("0a" * 16, "0b" * 32)
COMMITTED = (commitment(bytes.fromhex(SEEDS[0])), commitment(bytes.fromhex(SEEDS[1])))
ROLL = committed_dice(SEED, "k3v9q2xa", SEEDS)
EVENTS: list[e.Event] = [
    e.GameStarted(False),
    e.OpeningRolled(*ROLL(1)),
    e.Moved(0, ()),
    *(e.Rolled(k % 2, *ROLL(k)) for k in range(2, 40)),
]
PROOF = proof_of("k3v9q2xa", commitment(SEED), COMMITTED, SEEDS, SEED.hex(), EVENTS)

FORGERIES: list[dict[str, Any]] = [
    {"seed": bytes(32).hex()},
    {"commitment": commitment(b"")},
    {"match": "k3v9q2xb"},
    {"seeds": ["0c" * 16, SEEDS[1]]},
    {"seeds": [SEEDS[0], "0c" * 16]},
    {"seeds": ["", SEEDS[1]]},
    {"commitments": [COMMITTED[1], COMMITTED[0]]},
    {"rolls": PROOF["rolls"][1:]},
    {"rolls": [*PROOF["rolls"][:7], [8, 7 - PROOF["rolls"][7][1], 1], *PROOF["rolls"][8:]]},
    {"rolls": [PROOF["rolls"][0], [2, ROLL(2)[1], ROLL(2)[0]], *PROOF["rolls"][2:]]},
]


def test_a_proof_has_what_the_protocol_says() -> None:
    assert PROOF["rolls"][:2] == [[1, *ROLL(1), True], [2, *ROLL(2)]]
    assert [number for number, *_ in PROOF["rolls"]] == list(range(1, 40))
    assert json.loads(json.dumps(PROOF)) == PROOF
    assert faults_of(PROOF) == []


def by_hand(proof: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "match.json").write_text(json.dumps(proof))
    command = [sys.executable, "-I", str(EXAMPLE), str(folder / "match.json")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def by_command(proof: dict[str, Any], folder: Path) -> tuple[int, str]:
    (folder / "match.json").write_text(json.dumps(proof))
    result = CliRunner().invoke(cli, ["verify", str(folder / "match.json")], color=True)
    return result.exit_code, result.output


def test_a_proof_that_holds_is_green(tmp_path: Path) -> None:
    done = by_hand(PROOF, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "all 39 rolls follow from the seeds\n", "")
    code, out = by_command(PROOF, tmp_path)
    assert (code, out) == (0, "\x1b[32m39 rolls: all follow from the seeds that were committed to\x1b[0m\n")


def test_who_committed_to_no_seed_is_named(tmp_path: Path) -> None:
    seeds = ("", SEEDS[1])
    rolled = e.Rolled(0, *committed_dice(SEED, "m", seeds)(1))
    proof = proof_of("m", commitment(SEED), ("", COMMITTED[1]), seeds, SEED.hex(), [rolled])
    assert "white committed to no seed" in by_hand(proof, tmp_path).stdout
    assert by_command(proof, tmp_path)[1].endswith("white committed to no seed\n")


@pytest.mark.parametrize("forged", FORGERIES, ids=[f"{next(iter(one))}-{i}" for i, one in enumerate(FORGERIES)])
def test_whatever_is_changed_is_found(forged: dict[str, Any], tmp_path: Path) -> None:
    proof = {**PROOF, **forged}
    assert faults_of(proof)
    done = by_hand(proof, tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    code, out = by_command(proof, tmp_path)
    assert code == 1
    assert out.startswith("\x1b[31m\x1b[1mWARNING: ")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"match": 5, "seed": "x"}'])
def test_what_is_no_proof_is_said_in_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "match.json").write_text(text)
    result = CliRunner().invoke(cli, ["verify", str(tmp_path / "match.json")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert CliRunner().invoke(cli, ["verify", str(tmp_path / "none.json")]).exit_code == 1


def test_the_script_is_short_and_takes_nothing_from_us() -> None:
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) <= 40
    assert "tavla" not in text
