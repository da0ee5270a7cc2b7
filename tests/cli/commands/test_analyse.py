"""`tavla analyse`: what is printed, and a terminal that is as it was after Ctrl-C."""

import importlib.util
import json
from pathlib import Path

import pytest
from tavla_cli.records.files import read, write

from tests.support.games.gnubg_matches import MAT_FILES
from tests.support.players.programs import Machine
from tests.support.players.terminal import NewTerminal

pytestmark = pytest.mark.slow  # each starts programs
LONGEST = max(MAT_FILES, key=lambda file: file.stat().st_size)


def test_a_short_match_is_judged(here: Machine, tmp_path: Path) -> None:
    text = MAT_FILES[0].read_text().split("\n Game 2")[0].splitlines()
    (tmp_path / "short.mat").write_text("\n".join(text[:8]) + "\n")
    judged = here.run("analyse", str(tmp_path / "short.mat"))
    assert (judged.code, judged.errors) == (0, "")
    assert judged.text.startswith("PlayerA - PlayerB, judged by ")
    assert "performance rating  " in judged.text
    assert ("judged by Sage " in judged.text) == bool(importlib.util.find_spec("bgsage"))
    rough = "It is a rough judge" in judged.text
    assert rough == ("judged by the house evaluator" in judged.text)
    assert max(map(len, judged.text.splitlines())) <= 80
    whole = json.loads(here.run("analyse", str(tmp_path / "short.mat"), "--json").text)
    assert (whole["match"], whole["players"]) == ("", ["PlayerA", "PlayerB"])
    assert whole["by"] in judged.text.splitlines()[0]
    assert f"{whole['rating'][0]:.2f}" in judged.text
    assert sum(one["counts"] for one in whole["findings"]) == sum(whole["decisions"])


def test_ctrl_c_leaves_a_clean_line(open_terminal: NewTerminal) -> None:
    terminal = open_terminal("analyse", str(LONGEST))
    terminal.wait_for("judging ")
    terminal.press("\x03")
    assert terminal.wait() in (0, 1)
    assert terminal.written.endswith("\r\n\x1b[?25h\r\x1b[1A\x1b[2K"), "its line is taken away, the cursor is back"
    assert "Traceback" not in terminal.shown


def test_hypergammon_is_judged_by_the_house(here: Machine, tmp_path: Path) -> None:
    head = '; [Variation "HyperGammon"]\n'
    (tmp_path / "h.mat").write_text(head + "\n 1 point match\n\n Game 1\n a : 0  b : 0\n  1) 31: 24/21 22/21\n")
    judged = here.run("analyse", str(tmp_path / "h.mat"))
    assert (judged.code, judged.errors) == (0, "")
    assert judged.text.startswith("a - b, judged by the house evaluator")


def test_the_files_own_judge_stands_beside_ours(here: Machine, tmp_path: Path) -> None:
    whole = read(Path(__file__).parents[2] / "data" / "foreign" / "emberoak-5.xg")
    verdicts, file = tuple(one for one in whole.verdicts if (one.game, one.turn) < (1, 10)), tmp_path / "m.json"
    write(whole._replace(events=whole.events[:24], times=whole.times[:24], verdicts=verdicts), file)
    ours, kept = here.run("analyse", str(file), "--judge", "house").text.split("\n\nPR kept with the match, by ")
    assert kept.splitlines()[0] == "eXtreme Gammon: Emberoak05 19.18, Jade1 3.83"
    assert kept.splitlines()[2] == " 0.141     1    9  Emberoak05  cube  no double              double"
    assert len(kept.splitlines()) == 2 + len(verdicts)
    assert "eXtreme Gammon:" not in ours
    told = json.loads(here.run("analyse", str(file), "--judge", "house", "--json").text)
    assert told["by"] == "the house evaluator"
    assert told["kept"]["by"] == kept.splitlines()[0]
    worst = max(told["kept"]["findings"], key=lambda one: one["loss"])
    assert (worst["game"], worst["turn"], worst["done"], round(worst["loss"], 3)) == (1, 9, "no double", 0.141)


def test_a_position_is_judged_by_its_plays_or_its_cube(here: Machine, tmp_path: Path) -> None:
    plays = here.run("analyse", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "--judge", "house").text
    assert plays.splitlines()[0].endswith(":31:0:0:0:7:10, judged by the house evaluator")
    assert plays.splitlines()[3].endswith("  8/5 6/5")
    (tmp_path / "copied").write_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10\n\nX:ada   O:bob\n")
    cube = here.run("analyse", str(tmp_path / "copied"), "--judge", "house").text.splitlines()
    assert [line[9:] for line in cube[2:5]] == ["no double", "double, take", "double, drop"]
    assert cube[5] == "take"
    told = json.loads(here.run("analyse", "4HPwATDgc/ABMA:cIkOAAAAAAAE", "--judge", "house", "--json").text)
    assert (told["position"][:5], told["plays"][0][0], told["cube"]) == ("XGID=", "8/3 6/3", None)
    for command, sentence in [("replay", "is a position, not a match"), ("export", "is a position, not a match")]:
        assert sentence in here.run(command, "4HPwATDgc/ABMA:cIkOAAAAAAAE").errors
    refused = here.run("analyse", "XGID=-b----E-C---eE---c-e----B-:0:-1:1:00:0:0:0:7:10").errors
    assert refused == "Error: there are no dice, and nobody may double: your opponent owns the cube\n"


def test_each_match_of_a_folder_has_a_line(here: Machine, tmp_path: Path) -> None:
    field = Path(__file__).parents[2] / "data" / "field"
    for name in ("concedes.mat", "dated.mat"):
        (tmp_path / name).write_bytes((field / name).read_bytes())
    (tmp_path / "x.txt").write_text("hello")
    lines = here.run("analyse", str(tmp_path), "--judge", "house").text.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["concedes.mat", "dated.mat", "x.txt"]
    assert lines[0].startswith("concedes.mat: the house evaluator: cem ")
    assert lines[2] == "x.txt: line 1: expected the match length, as in '7 point match', found 'hello'"
    told = [
        json.loads(line) for line in here.run("analyse", str(tmp_path), "--judge", "house", "--json").text.splitlines()
    ]
    assert [one["file"] for one in told] == ["concedes.mat", "dated.mat", "x.txt"]
    assert "error" in told[2]
    assert "is a folder" in here.run("replay", str(tmp_path)).errors
