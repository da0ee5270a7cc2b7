"""Files that somebody made to do harm: bombs, lengths that lie, a hundred thousand games, names of a megabyte."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import gvformat
import pytest
from tavla_cli.records.files import BadFile, as_json, as_ogxm, parse, read
from tavla_cli.records.foreign import MOST_BYTES
from tavla_engine.errors import BadText

from tests.support.bombs import GZIP, bomb
from tests.support.games.gnubg_matches import MAT_FILES

HEAD = b"RGMH" + bytes(8228)  # of a file of eXtreme Gammon without a picture
BGF = b'{"format":"BGF","version":"1.0","compress":true,"useSmile":true}\n'
BOMB = 256  # MiB that a file of 250 KB becomes
LONG = "x" * 1_000_000
MAT = " 1 point match\n\n Game 1\n {} : 0   b : 0\n  1) 31: 8/5 6/5\n"
SGF = "(;FF[4]GM[6]MI[length:{}][game:{}][ws:{}][bs:0]PW[{}]PB[b]RE[W+1]\n;W[31hefe])"
PLY = {"color": 1, "action_id": 2, "d1": 3, "d2": 1, "moves": [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}]}


def ogxm(games: int, name: str = "a") -> bytes:
    """An `.ogxm` of so many games for money, as the package writes it."""
    game = {"winner": 0, "points_won": 1, "plies": [PLY, {"color": 0, "action_id": 27}]}
    return bytes(gvformat.write_gvab({"player_white": name, "player_black": "b", "games": [game] * games}))


def lying(data: bytes, at: int, value: int) -> bytes:
    """A file with another number at a place."""
    return data[:at] + struct.pack("<I", value) + data[at + 4 :]


def named(name: str) -> str:
    """A JSON file with a player of this name."""
    whole = json.loads(as_json(read(MAT_FILES[0])))
    return json.dumps(whole | {"players": [name, "b"]})


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {  # bytes, made when they are wanted; a part of the sentence
    "bomb in .xg": (lambda: HEAD + bomb(BOMB), "damaged"),
    "head alone": (lambda: HEAD, "damaged"),
    "picture that is longer than its file": (lambda: lying(HEAD, 20, 0xFFFFFFFF), "damaged"),
    "no head": (lambda: b"RGMH" + b"\xff" * 90, "damaged"),
    "5 MB": (lambda: b"RGMH" + bytes(MOST_BYTES), "too large for a match"),
    "bomb in .bgf": (lambda: BGF + bomb(BOMB), "damaged"),
    "gzip bomb in .bgf": (lambda: BGF + bomb(BOMB, window=GZIP), "damaged"),
    "deep .bgf": (lambda: BGF + b":)\n\x00" + b"\xf8" * 100_000, "damaged"),
    ".bgf without its tree": (lambda: b'{"format":"BGF"}\n', "damaged"),
    ".ogxm of 0xff": (lambda: b"OGXM\x02\x00\x01\x00" + b"\xff" * 90, "damaged"),
    ".ogxm that says it is of 4 GB": (lambda: lying(ogxm(1), 12, 0xFFFFFFFF), "file_size header (4294967295)"),
    ".ogxm section of 4 GB": (lambda: lying(ogxm(1), 20, 0xFFFFFFFF), "damaged"),
    ".ogxm of 900 games": (lambda: ogxm(900), "more games or turns than anybody has played"),
    ".mat of 100,000 games": (lambda: MAT.format("a").encode() * 100_000, "no more than 500000 characters"),
    ".sgf of more than it can have": (
        lambda: SGF.format(1, 0, 0, "a").encode() * 200_000,
        "no more than 10000000 characters",
    ),
    ".json of 100,000 games": (
        lambda: b'{"players":["a","b"],"events":[' + b"[1,0,[]]," * 2_300_000,
        "too large for a match",
    ),
    "deep .json": (lambda: b'{"a":' * 100_000, "maximum recursion depth"),
    ".json number": (lambda: b'{"view":' + b"9" * 5_000_000 + b"}", "4300 digits"),
    "name in .mat": (lambda: MAT.format(LONG[:400_000]).encode(), "a line has no more than 500 characters"),
    "name in .sgf": (lambda: SGF.format(1, 0, 0, LONG).encode(), "a player's name has no more than 200 characters"),
    "name in .json": (lambda: named(LONG).encode(), "a player's name has no more than 200 characters"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("made", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_ends_in_a_sentence(tmp_path: Path, made: Callable[[], bytes], sentence: str) -> None:
    (tmp_path / "a").write_bytes(made())
    with pytest.raises(BadFile) as refused:
        read(tmp_path / "a")
    assert sentence in str(refused.value)
    assert len(str(refused.value)) < 500
    assert "Error" not in str(refused.value)


@pytest.mark.slow
def test_of_ten_thousand_games_those_of_a_sitting_are_read() -> None:
    record = parse("".join(SGF.format(0, game, game, "a") for game in range(10_000)))
    assert record.notes == ("the match is over before game 257: what follows is not read",)


def test_names_and_places_of_a_foreign_file_are_cut() -> None:
    record = read(MAT_FILES[0])
    data = as_ogxm(record._replace(names=("a" * 190, "b"), tags={"Site": "s" * 3000}))
    again = parse(data)
    assert (len(again.names[0]), len(again.tags["Site"])) == (120, 120)


def test_what_is_cut_anywhere_is_a_match_up_to_there_or_a_sentence() -> None:
    text = MAT_FILES[0].read_text()
    refused = []
    for end in range(0, len(text), 97):
        try:
            parse(text[:end])
        except BadText as error:
            refused.append(str(error))
    assert refused
    assert max(map(len, refused)) < 200
