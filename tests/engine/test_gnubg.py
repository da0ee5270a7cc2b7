"""GNU Backgammon itself reads what we write: matches as `.mat`, and XGIDs. Debian's package is `gnubg`."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.decide import decide
from tavla_engine.events import Event
from tavla_engine.gnuid import gnu_id
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.match import Cube, Match, new_match
from tavla_engine.rules import Rules, preset
from tavla_engine.sgf import export_sgf, import_sgf
from tavla_engine.xgid import xgid

from tests.support.games.engine import MONEY, TOURNAMENT, on_roll, replayed, to_move
from tests.support.games.gnu_ids import RECORDS, match_of
from tests.support.games.gnubg_matches import MAT_FILES, is_subsequence, orderly_match, positions, shown
from tests.support.games.gnubg_program import gnubg_program
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.long  # GNU Backgammon is a program

Gnubg = Callable[..., str]
NAMES = ("White", "Black")
_ID = re.compile(r"Position ID: (\S{14})\s+Match ID   : (\S{12})")


@pytest.fixture
def gnubg(tmp_path: Path) -> Gnubg:
    """Runs commands in GNU Backgammon, in a folder and with settings of its own, and gives what it prints."""
    program = gnubg_program()

    def run(*commands: str) -> str:
        text = "\n".join(["set automatic roll off", "set automatic game off", *commands, ""])
        environment = {**os.environ, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [program, "-t", "-q"],
            input=text,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        assert "nrecognised" not in done.stdout + done.stderr
        assert "nvalid" not in done.stdout + done.stderr
        return done.stdout

    return run


def through_gnubg(gnubg: Gnubg, folder: Path, text: str, *settings: str) -> str:
    """The same match as GNU Backgammon writes it after reading ours."""
    (folder / "ours.mat").write_text(text)
    gnubg(*settings, "import mat ours.mat", "export match mat theirs.mat")
    return (folder / "theirs.mat").read_text()


MATCHES = [
    (preset("tournament", {"length": 5}), ()),
    (preset("tournament", {"length": 9, "variant": "nackgammon"}), ()),
    (MONEY, ()),
    (preset("money", {"beavers": 3}), ("set beavers 3",)),
    (preset("club"), ("set jacoby off",)),
]


@pytest.mark.parametrize("file", MAT_FILES, ids=lambda file: file.stem)
def test_gnubg_reads_our_copy_of_a_given_match(gnubg: Gnubg, tmp_path: Path, file: Path) -> None:
    given = import_mat(file.read_text())
    ours = export_mat(given.names, given.start, given.events, given.tags)
    theirs = import_mat(through_gnubg(gnubg, tmp_path, ours))
    assert theirs == given


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rules", "settings"), MATCHES)
def test_gnubg_reads_any_match(
    gnubg: Gnubg, tmp_path: Path, rules: Rules, settings: tuple[str, ...], seed: int
) -> None:
    events = orderly_match(rules, seed)
    theirs = through_gnubg(gnubg, tmp_path, export_mat(NAMES, new_match(rules), events), *settings)
    record = import_mat(theirs)
    assert record.names == NAMES
    assert shown(record.events) == shown(events)


def through_gnubg_as_sgf(gnubg: Gnubg, folder: Path, text: str, *settings: str) -> str:
    """The same match as GNU Backgammon saves it after loading ours."""
    (folder / "ours.sgf").write_text(text)
    gnubg(*settings, "load match ours.sgf", "save match theirs.sgf")
    return (folder / "theirs.sgf").read_text()


@pytest.mark.parametrize("file", MAT_FILES, ids=lambda file: file.stem)
def test_gnubg_loads_a_given_match_from_sgf(gnubg: Gnubg, tmp_path: Path, file: Path) -> None:
    given = import_mat(file.read_text())
    theirs = import_sgf(through_gnubg_as_sgf(gnubg, tmp_path, export_sgf(*given[:3])))
    assert (theirs.names, theirs.start, theirs.events) == (given.names, given.start, given.events)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rules", "settings"), MATCHES)
def test_gnubg_loads_any_match_from_sgf(
    gnubg: Gnubg, tmp_path: Path, rules: Rules, settings: tuple[str, ...], seed: int
) -> None:
    rules = rules._replace(cube_cap=rules.cube_cap or 512)  # it counts no higher than some 2^12
    events = orderly_match(rules, seed)
    text = export_sgf(NAMES, new_match(rules), events, {"GC": "a remark: with ] and \\"})
    record = import_sgf(through_gnubg_as_sgf(gnubg, tmp_path, text, *settings))
    assert record.names == NAMES
    assert shown(record.events) == shown(events)


def test_gnubg_keeps_the_dice_with_which_a_game_was_given_up(gnubg: Gnubg, tmp_path: Path) -> None:
    start, log = new_match(MONEY), list[Event]()
    match = start
    for action in (a.Ready(0), a.Ready(1), a.Resign(0, 1), a.AcceptResignation(1)):
        events, match = decide(match, action, lambda _: (6, 3))
        log += events
    record = import_sgf(through_gnubg_as_sgf(gnubg, tmp_path, export_sgf(NAMES, start, log)))
    assert shown(record.events) == shown(log)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("rules", [preset("tournament", {"length": 5}), preset("money", {"beavers": 3})])
def test_gnubg_sees_the_same_ids_at_every_step(gnubg: Gnubg, tmp_path: Path, rules: Rules, seed: int) -> None:
    start, events = new_match(rules), orderly_match(rules, seed)
    (tmp_path / "ours.mat").write_text(export_mat(NAMES, start, events))
    for number, ids in enumerate(positions(start, events)):
        steps = ["next", "show board"] * (len(ids) + 1)
        output = gnubg("set beavers 3", "import mat ours.mat", "first game", *["next game"] * number, *steps)
        seen = [":".join(found) for found in _ID.findall(output)]
        assert is_subsequence(ids, seen), f"game {number + 1}"


def test_gnubg_knows_the_score_after_our_match(gnubg: Gnubg, tmp_path: Path) -> None:
    record = import_mat(MAT_FILES[0].read_text())
    (tmp_path / "ours.mat").write_text(export_mat(record.names, record.start, record.events))
    assert "PlayerA 10, PlayerB 4 (match to 7 points" in gnubg("import mat ours.mat", "show score")


def test_gnubg_reads_the_rest_of_a_match_and_long_names(gnubg: Gnubg, tmp_path: Path) -> None:
    record = import_mat(MAT_FILES[2].read_text())
    second = [index for index, event in enumerate(record.events) if isinstance(event, e.GameStarted)][1]
    start = replayed(record.start, record.events[:second])
    names = ("A" * 29, "Somebody with a very long name: indeed")
    theirs = import_mat(through_gnubg(gnubg, tmp_path, export_mat(names, start, record.events[second:])))
    assert theirs.names == ("A" * 29, "Somebody with a very long name-")
    assert shown(theirs.events) == shown(record.events[second:])
    assert theirs.match.score == record.match.score


XGIDS = [
    on_roll(TOURNAMENT),
    on_roll(TOURNAMENT, score=(6, 2), crawford=True),
    to_move((6, 3), preset("tournament"), seat=1, score=(3, 4), cube=Cube(2, 1, turned=True)),
    to_move((4, 4), score=(3, 9), cube=Cube(8, 0, turned=True)),
    match_of(RECORDS[0]),
    match_of(RECORDS[7]),
]


@pytest.mark.parametrize("match", XGIDS, ids=xgid)
def test_gnubg_reads_our_xgid(gnubg: Gnubg, match: Match) -> None:
    """GNU Backgammon puts the player on roll at the bottom and calls that player 1, White or Black."""
    seen = _ID.findall(gnubg(f"set xgid {xgid(match)}"))[-1]
    assert ":".join(seen) == gnu_id(match if match.turn == 1 else mirrored(match))


@pytest.mark.parametrize("match", XGIDS, ids=gnu_id)
def test_gnubg_reads_our_ids(gnubg: Gnubg, match: Match) -> None:
    seen = _ID.findall(gnubg(f"set gnubgid {gnu_id(match)}", "show board"))[-1]
    assert ":".join(seen) == gnu_id(match)


def mirrored(match: Match) -> Match:
    """The same match with seats changed."""
    owner = None if match.cube.owner is None else 1 - match.cube.owner
    return replace(
        match,
        turn=1 - match.turn,
        board=match.board[::-1],
        score=match.score[::-1],
        cube=match.cube._replace(owner=owner),
    )
