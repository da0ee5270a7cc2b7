"""Files of eXtreme Gammon and OpenGammon, read as the field reads them; hostile ones end in a sentence."""

import contextlib
import json
import random
import zlib
from pathlib import Path

import pytest
from tavla_cli.records import foreign_script
from tavla_cli.records.files import BadFile, as_mat, parse, read
from tavla_cli.records.foreign import MOST_BYTES, foreign_name, match_of
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.errors import BadText
from tavla_engine.mat_text import Cell, Game, Kind, Sheet
from tavla_engine.transcript import record_of

from tests.support.tries import tries

FOLDER = Path(__file__).parents[2] / "data" / "foreign"
HEAD = b"RGMH" + bytes(8228)  # of a file of eXtreme Gammon without a picture


def course(file: Path) -> list[object]:
    """Each state of the match after an event; the order of a play's steps is a matter of taste."""
    record = read(file)
    match = record.start
    states: list[object] = []
    for event in record.events:
        match = apply(match, event)
        states.append((match.board, match.dice, match.cube, match.score))
    return states


@pytest.mark.parametrize("file", ["online-7.xg", "commented-9.xg", "online-7.ogxm"])
def test_it_is_read_as_another_reader_reads_it(file: str) -> None:
    assert course(FOLDER / file) == course((FOLDER / file).with_suffix(".xg.mat"))


def test_names_and_places_outside_latin_1_are_whole_and_the_files_own_judge_stays_with_it() -> None:
    record = read(FOLDER / "commented-9.xg")
    assert record.names == ("Ada Öz", "Bob Çelik")
    assert record.tags["Site"] == "İzmir"
    said = record.tags["Judgement"]
    assert said.startswith("eXtreme Gammon: Ada Öz 5.")
    assert parse(as_mat(record)).tags["Judgement"] == said
    assert record.view.players == record.names


def test_a_play_that_cannot_be_made_as_it_is_written_is_said() -> None:
    """6/off 4/3 leads to where 6/3 4/off leads, which is legal: the match is read to its end."""
    record = read(FOLDER / "illegal-play-7.xg")
    assert record.notes == ("game 3, entry 56: 6/off 4/3 is no play of 6-3, read as 6/3 4/off",)
    assert isinstance(record.events[-1], e.MatchEnded)


def test_an_illegal_play_is_read_up_to_there_with_what_would_have_been_legal() -> None:
    cells = [Cell(1, 0, Kind.ROLL, (3, 1), "8/5 6/5"), Cell(2, 1, Kind.ROLL, (6, 6), "24/18(2) 13/7 13/1")]
    record = record_of(Sheet(3, {}, [Game(0, 1, ("a", "b"), (0, 0), cells)], unit="entry", is_cut_at_fault=True))
    (note,) = record.notes
    assert note.startswith("entry 2, game 1: ")
    assert note.endswith("the match is read up to there")
    assert sum(isinstance(event, e.Moved) for event in record.events) == 1


BOMB = zlib.compress(bytes(1 << 30), 9)  # 1 MB of 1 GB
HOSTILE = [  # bytes, a part of the sentence
    (HEAD + BOMB, "damaged"),
    (HEAD, "damaged"),
    (b"RGMH" + b"\xff" * 90, "damaged"),
    (b"RGMH" + bytes(MOST_BYTES), "too large for a match"),
    (b'{"format":"BGF","version":"1.0","compress":true,"useSmile":true}\n' + BOMB, "damaged"),
    (b'{"format":"BGF"}\n', "damaged"),
    (b"OGXM\x02\x00\x01\x00" + b"\xff" * 90, "damaged"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("data", "sentence"), HOSTILE, ids=["bomb", "head", "ff", "large", "bomb-bgf", "bgf", "ogxm"])
def test_a_hostile_file_ends_in_a_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(BadFile) as refused:
        read(tmp_path / "a")
    assert sentence in str(refused.value)


@pytest.mark.parametrize("file", ["online-7.xg", "online-7.ogxm"])
def test_a_mutant_is_a_match_or_a_sentence(file: str, rng: random.Random) -> None:
    """In this process: of the child's there is only its end."""
    whole = (FOLDER / file).read_bytes()
    head, body = whole, b""
    if file.endswith(".xg"):  # a change within packed bytes would end in zlib alone
        start = foreign_start(whole)
        head, body = whole[:start], zlib.decompressobj().decompress(whole[start:])
    for _ in range(tries(200)):
        data = bytearray(head + body)
        for _ in range(rng.choice([1, 3, 20])):
            data[rng.randrange(4, len(data))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        if rng.random() < 0.2:
            del data[rng.randrange(4, len(data)) :]
        answer = foreign_script.answer_to(bytes(data)).encode()
        json.loads(answer)
        with contextlib.suppress(BadText):
            match_of(answer, foreign_name(bytes(data)))


def foreign_start(data: bytes) -> int:
    """Where the packed records begin."""
    return 8232 + int.from_bytes(data[20:24], "little")
