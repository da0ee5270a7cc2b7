"""Readers of text and bytes from strangers, each with what must be true of any input."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tavla_cli.input.parsing import BadCommand, parse
from tavla_cli.text.cleaning import clean
from tavla_engine.errors import BadText
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.notation import parse_play
from tavla_engine.positionid import parse_position_id, position_id
from tavla_engine.sgf import import_sgf
from tavla_engine.xgid import parse_xgid, xgid
from tavla_protocol.actions import decode_action
from tavla_protocol.codec import BadFrame, BadMessage, decode_reply, decode_request, encode
from tavla_server.delivery.flood import EXTRAS
from tavla_server.gateway import text_filter

from tests.support.wire.fed import heard, heard_by_websockets
from tests.support.wire.messages import REPLIES, REQUESTS

DATA = Path(__file__).parent.parent / "data"
MASKED = 6  # bytes of the shortest frame
LONGEST_WHY = 500  # characters
# What steers a terminal, or the direction of a line.
STEERS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)  # a terminal, or the line's direction


def codec(data: bytes) -> None:
    """A frame is a message that is the same when it is written and read again; or it says why it is none."""
    for decode in (decode_request, decode_reply):
        if (message := understood(decode, data, BadFrame, BadMessage)) is not None:
            assert decode(encode(message)) == message
    action = decode_action(data)
    assert action is None or action == decode_request(data)


def frames(data: bytes) -> None:
    """The same messages come, and the same is answered, as by websockets alone; they are cut as the first byte says."""
    size, data = max(1, data[0] if data else 1), data[1 : MASKED * int(EXTRAS.burst)]
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    runner = _runner()
    expected = runner.run(heard_by_websockets(chunks))
    assert runner.run(heard(chunks, at_once=True)) == expected
    assert runner.run(heard(chunks, at_once=False)) == expected


def _runner() -> asyncio.Runner:
    global RUNNER
    if RUNNER is None:
        RUNNER = asyncio.Runner()
    return RUNNER


RUNNER: asyncio.Runner | None = None


def text(data: bytes) -> None:
    """Text shown of a name, a chat line or an error steers no terminal; cleaning twice changes nothing."""
    said = data.decode(errors="surrogateescape")
    for filter_ in (text_filter.clean, clean):
        shown = filter_(said)
        assert not STEERS.search(shown), shown
        assert filter_(shown) == shown
        shown.encode()


def typed(data: bytes) -> None:
    """A line means something, or it is said what to type instead."""
    line = data.decode(errors="surrogateescape").strip() or "?"  # an empty one never gets there
    understood(parse, line, BadCommand)
    understood(parse_play, line, BadText)


def ids(data: bytes) -> None:
    """An ID of a position or a match is one that is the same when it is written and read again."""
    forms: tuple[tuple[Any, Any], ...] = ((parse_position_id, position_id), (parse_xgid, xgid))
    for read, write in forms:
        if (value := understood(read, data.decode(errors="replace"), BadText)) is not None:
            assert write(read(write(value))) == write(value)


def records(data: bytes) -> None:
    """A match in a file is one that can be written and read again; or it is said what is wrong."""
    for read in (import_mat, import_sgf):
        record = understood(read, data.decode(errors="replace"), BadText)
        if record is not None:
            again = import_mat(export_mat(record.names, record.start, record.events, {}))
            assert [type(event) for event in again.events] == [type(event) for event in record.events]


def understood(read: Callable[[Any], Any], given: bytes | str, *errors: type[ValueError]) -> Any:
    """The value that is read; None where it is refused, in some words."""
    try:
        return read(given)
    except errors as error:
        why = str(error)
    assert 0 < len(why) < LONGEST_WHY, why
    return None


def _frames_of(messages: Iterable[bytes]) -> list[bytes]:
    return [bytes((40, 0x82, 0x80 + len(one), 0, 0, 0, 0)) + one for one in messages if len(one) < 126]


def _matches(kind: str) -> list[bytes]:
    return [file.read_bytes() for file in sorted((DATA / "matches").glob(f"*.{kind}"))]


def _ids() -> list[bytes]:
    known = json.loads((DATA / "position_ids.json").read_text(encoding="utf-8"))[:50]
    start = b"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    return [start, *(one["position_id"].encode() for one in known)]


class Target(NamedTuple):
    """check: raises if something is wrong. seeds: inputs to begin with. longest: of an input, in bytes."""

    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    longest: int = 4096


def _messages() -> list[bytes]:
    return [encode(message) for message in [*REQUESTS, *REPLIES]]


LINES = [b"8/5 6/5", b"bar/22(2) 13/8*", b"resign gammon", b"say hello", b"24/18*/13", b"\x1b]0;title\x07 \x1b[31mred"]
TARGETS = {
    "codec": Target(codec, _messages),
    "frames": Target(frames, lambda: _frames_of(_messages()), 300),
    "text": Target(text, lambda: LINES, 200),
    "typed": Target(typed, lambda: LINES, 80),
    "ids": Target(ids, _ids, 80),
    "records": Target(records, lambda: sorted((*_matches("mat"), *_matches("sgf")), key=len)[:8], 8192),
}
