"""The reader of collected matches: whatever is changed in one, it is a match by the rules, or a sentence says why."""

import random
import zlib

import msgspec
from tavla_protocol.file_match import unpack
from tavla_protocol.messages import Finding
from tavla_server.features.collection.reader import ReadMatch, read

from tests.fuzz.mutants import changed
from tests.support.collections import document
from tests.support.tries import tries

FIELD = ("concedes.mat", "set-up-board.sgf", "nackgammon-dailygammon.mat")
FILES = (*(f"field/{name}" for name in FIELD), "foreign/commented-9.xg")


def checked(data: bytes) -> bool:
    """True if these bytes are a match. What is told of one is as the rules decide it, again and again."""
    found = read(data)
    assert msgspec.json.decode(msgspec.json.encode(found), type=ReadMatch) == found
    assert bool(found.error) != bool(found.document)
    if found.document:
        again = read(found.document)
        assert again == found
        assert all(len(name) <= 40 and name.isprintable() for name in found.players)
    return bool(found.document)


def test_a_changed_match_is_one_or_a_sentence_says_why(rng: random.Random) -> None:
    texts = [zlib.decompress(document(file)) for file in FILES]
    found = [checked(zlib.compress(changed(rng.choice(texts), False, rng), 1)) for _ in range(tries(2000))]
    assert any(found)
    assert not all(found)


def test_changed_bytes_are_refused(rng: random.Random) -> None:
    for _ in range(tries(500)):
        checked(changed(document(), True, rng))


def test_texts_are_cleaned_and_short() -> None:
    whole = unpack(document())
    finding = Finding(1, 1, 0, "8/5\u202e 6/5" + "x" * 999, "\x1b]0;8/5", 0.1)
    odd = msgspec.structs.replace(whole, tags={"Event\n": "\x07" * 999 + "y" * 999}, verdicts=(finding,))
    found = unpack(read(zlib.compress(msgspec.json.encode(odd))).document)
    assert found.tags == {"Event": "y" * 200}
    (one,) = found.verdicts
    assert one.done.startswith("8/5 6/5x")
    assert (len(one.done), one.best) == (200, "")
