"""`tavla arena`: whole matches through a server with a record of each, deals with shared dice, the table."""

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from tavla_bots import BOTS
from tavla_cli.bots.local_match import deal, play, score, shared_dice
from tavla_cli.main import cli
from tavla_client import Bot, Failures, Turn
from tavla_engine.events import Ending
from tavla_engine.mat import import_mat
from tavla_engine.match import Phase
from tavla_engine.rules import preset

from tests.support.servers.processes import ServerProcess

MONEY = preset("tournament", {"length": 0})


def run(*arguments: str) -> str:
    """Output of the command."""
    result = CliRunner().invoke(cli, ["arena", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_matches_through_a_server_are_written_down(server: ServerProcess, tmp_path: Path) -> None:
    folder = tmp_path / "mats"
    out = run(
        "expert", "random", "--games", "3", "--rules", "3", "--server", server.url, "--mats", str(folder), "--json"
    )
    pairing = json.loads(out)["pairings"][0]
    assert (pairing["first"], pairing["second"], pairing["games"]) == ("expert", "random", 3)
    records = [import_mat(file.read_text()) for file in folder.glob("*.mat")]
    assert len(records) == 3
    assert all(record.match.phase is Phase.OVER and max(record.match.score) >= 3 for record in records)
    assert {record.names for record in records} == {("expert", "random"), ("random", "expert")}


@pytest.mark.slow
def test_every_pair_meets_and_stands_in_the_table() -> None:
    out = run("random", "expert", "beginner", "--local", "--games", "2", "--seed", "s")
    lines = [line.split() for line in out.splitlines()]
    assert [line[:2] for line in lines[1:]] == [["random", "expert"], ["random", "beginner"], ["expert", "beginner"]]


@pytest.mark.slow
def test_local_dice_can_be_had_again_and_are_the_same_for_both() -> None:
    arguments = ("expert", "expert", "--local", "--games", "6", "--seed", "again", "--json")
    first = run(*arguments)
    assert run(*arguments) == first
    assert json.loads(first)["pairings"][0]["mean"] == 0, "the same player, from both sides"


FAULTY = """
from tavla_client import Bot

class Faulty(Bot):
    def choose_play(self, turn):
        return [None, "13/7", [(24, 23)] * 4][turn.view.rolls % 3]

    def offer_resign(self, turn):
        return 99 if turn.view.rolls == 1 else 0
"""


@pytest.mark.parametrize("where", [["--local"], []])
def test_failed_decisions_are_counted_whoever_plays(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: list[str]
) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    arguments = ["arena", "faulty.py", "random", "--games", "2", "--server", server.url, "--json", *where]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 1
    failures = {(row["hook"], row["reason"]) for row in json.loads(result.stdout)["failures"]}
    assert failures >= {
        ("Faulty.choose_play", "it answered None: write `return` and one of turn.plays"),
        ("Faulty.choose_play", "its answer means nothing: write `return` and one of turn.plays"),
        ("Faulty.choose_play", "refused, illegal_play"),
    }
    assert "Faulty.choose_play failed" in result.stderr


async def test_a_deal_takes_a_match_as_one_point(rng: random.Random) -> None:
    rules = preset("tournament", {"length": 1})
    points = [await deal(BOTS["expert"](), BOTS["random"](), rules, f"{rng.random()}", Failures()) for _ in range(3)]
    assert set(points) <= {-1.0, 0.0, 1.0}
    ended = await play((BOTS["expert"](), BOTS["random"]()), MONEY, shared_dice("x"), Failures())
    assert ended.outcome is not None


async def test_a_resignation_that_was_refused_before_the_roll_is_not_offered_again_after_it() -> None:
    class Beaten(Bot):
        def offer_resign(self, turn: Turn) -> int:
            return 1

    class Stubborn(Bot):
        def accept_resign(self, turn: Turn) -> bool:
            return False

    ended = await play((Beaten(), Stubborn()), preset("tournament", {"length": 1}), shared_dice("x"), Failures())
    assert ended.outcome is not None
    assert ended.outcome.ending is Ending.BORNE_OFF


def test_the_interval_shrinks_with_the_square_root() -> None:
    few, many = score([1.0, -1.0] * 50, 100), score([1.0, -1.0] * 200, 400)
    assert few.mean == many.mean == 0
    assert few.plus_minus == pytest.approx(2 * many.plus_minus, rel=0.01)
    assert few.plus_minus == pytest.approx(0.197, abs=0.001)


WRONG = [  # arguments, what is said
    (("expert",), "two bots or more"),
    (("expert", "nobody"), "there is no bot 'nobody'"),
    (("expert", "random", "--rules", "0"), "has no end"),
    (("expert", "random", "--local", "--mats", "x"), "through a server"),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG, ids=[text for _, text in WRONG])
def test_a_wrong_command_line_says_what_to_do(arguments: tuple[str, ...], text: str) -> None:
    result = CliRunner().invoke(cli, ["arena", *arguments])
    assert result.exit_code == 2
    assert text in " ".join(result.output.split())
