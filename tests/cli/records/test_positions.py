"""Positions as other programs write them, alone or in a text that has one."""

import json
from pathlib import Path

import gvformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_cli.records.files import read
from tavla_cli.records.positions import position_in
from tavla_engine.errors import BadText
from tavla_engine.gnuid import gnu_id, parse_gnu_id
from tavla_engine.xgid import parse_xgid, xgid

DATA = Path(__file__).parents[2] / "data"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
COPIED = f"""{XGID}

X:ada   O:bob
Score is X:0 O:0 7 pt.(s) match.
 +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
Cube: 1
X to play 31
    1. XG Roller+  8/5 6/5                      eq:+0.159
"""
GNUBG = """ GNU Backgammon  Position ID: 4HPwATDgc/ABMA
                 Match ID   : cIkOAAAAAAAE
"""
ROUND = [one["gnubg_id"] for one in json.loads((DATA / "position_ids.json").read_text())]


@pytest.mark.parametrize("text", [XGID, XGID.removeprefix("XGID="), COPIED, f"see {XGID} there"])
def test_an_xgid_is_found(text: str) -> None:
    match = position_in(text)
    assert match is not None
    assert xgid(match) == XGID


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA:cIkOAAAAAAAE", "GNU ID 4HPwATDgc/ABMA:cIkOAAAAAAAE", GNUBG])
def test_gnu_ids_are_found(text: str) -> None:
    match = position_in(text)
    assert match is not None
    assert gnu_id(match) == "4HPwATDgc/ABMA:cIkOAAAAAAAE"


def test_a_gnu_id_comes_back_or_is_refused_with_a_sentence() -> None:
    """Dice are higher first here; what is over, given up, or was never begun is no position to judge."""
    refused = 0
    for text in ROUND:
        try:
            match = parse_gnu_id(text)
        except BadText:
            refused += 1
            continue
        again = parse_gnu_id(gnu_id(match))
        assert again == match
        assert gnu_id(match).partition(":")[0] == text.partition(":")[0]
    assert refused < len(ROUND) // 3


def test_an_ogid_is_the_position_that_its_match_has() -> None:
    """Each position of a real file by the package's OGID, and by our own reading of the match."""
    file = DATA / "foreign" / "commented-9.xg"
    record = read(file)
    plies = [ply for game in gvformat.convert_xg(file)["games"] for ply in game["plies"] if "d1" in ply]
    assert len(plies) > 100
    for ply in plies:
        match = position_in(ply["ogid_before"])
        assert match is not None
        assert match.turn == 1 - ply["color"]
        assert match.dice == (max(ply["d1"], ply["d2"]), min(ply["d1"], ply["d2"]))
        assert match.rules.length == record.start.rules.length
        assert xgid(parse_xgid(xgid(match))) == xgid(match)
    first = position_in(plies[0]["ogid_before"])
    assert first is not None
    assert first.board[0] == first.board[1] == record.start.rules.start.mine


WRONG = [
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:99:0:0:0:7:10", "an XGID looks like"),
    ("4HPwATDgc/ABMA:cIkO////AAAE", "no match can stand so"),
    ("11ccccchhhjjjjj:66666888dddddoo:N0N::W:R:9:0:7:0", "no game that is played here"),
    ("zz:66666888dddddoo:N0N::W", None),
    ("11:0:N0N:13:W:R:0:0:7:0", "OGID"),
]


@pytest.mark.parametrize(("text", "sentence"), WRONG)
def test_what_cannot_be_is_refused(text: str, sentence: str | None) -> None:
    if sentence is None:
        assert position_in(text) is None
        return
    with pytest.raises(BadText, match=sentence):
        position_in(text)


@given(st.text(st.sampled_from("XGID=-bBE:0139wsNOWB/A4Hc "), max_size=80) | st.text(max_size=60))
def test_any_text_has_a_position_or_none_or_a_sentence_says_what_is_wrong(text: str) -> None:
    try:
        match = position_in(text)
    except BadText:
        return
    assert match is None or xgid(match)
