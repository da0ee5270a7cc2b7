"""Frames that hold no message, and what is said of each."""

import math
from typing import Any

from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES, encode

from tests.support.wire.messages import ACTION

NOT_MSGPACK: list[tuple[bytes, str]] = [
    (b"", "nothing"),
    (b"\xc1", "the byte that msgpack never uses"),
    (b"hello", "text: its first byte is a number, the rest is too much"),
    (b'{"type": "list", "id": 1}', "JSON"),
    (b"\xc0\xc0", "two values"),
    (encode(m.List(id=1))[:-1], "cut off"),
    (encode(m.List(id=1)) + b"\x00", "one byte too many"),
    (b"\xa1\xff", "text that is not UTF-8"),
    (b"\x81\x01\x02", "a number as a key"),
    (b"\x81\xc0\x02", "nothing as a key"),
    (b"\x81\x90\x02", "an array as a key"),
    (b"\x81\x80\x02", "a map as a key"),
    (b"\xc7\x00\x05", "an empty extension"),
    (b"\xd4\x05\x00", "an extension of one byte"),
    (b"\xd6\xff\x00\x00\x00\x00", "a time"),
    (b"\xc9\xff\xff\xff\xff\x05", "an extension of 4 GiB"),
    (b"\x91" * MAX_FRAME_BYTES, "arrays, too deep"),
    (b"\x81\xa1a" * (MAX_FRAME_BYTES // 3), "maps, too deep"),
    (b"\x91" * (MAX_FRAME_BYTES - 1) + b"\xc0", "arrays, too deep, but complete"),
    (b"\xdb\xff\xff\xff\xff", "text of 4 GiB"),
    (b"\xc6\xff\xff\xff\xff", "bytes of 4 GiB"),
    (b"\xdd\xff\xff\xff\xff", "an array of 4 billion"),
    (b"\xdf\xff\xff\xff\xff", "a map of 4 billion"),
    (b"\xdd\x00\x00\xff\xff" * 200, "arrays that promise much"),
]


REVEAL = {"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "00" * 32}


def _list(**others: Any) -> dict[str, Any]:
    return {"type": "list", "id": 5, **others}


BAD_REQUESTS: list[tuple[Any, str, int | None]] = [  # value, what the error says, the id that is read back
    (None, "a map with a `type`", None),
    (7, "a map with a `type`", None),
    (math.nan, "a map with a `type`", None),
    ("list", "a map with a `type`", None),
    ([], "a map with a `type`", None),
    (["k3v9q2xa", 7, []], "a map with a `type`", None),
    ({}, "a map with a `type`", None),
    ({"id": 5}, "a map with a `type`", 5),
    ({"id": 5, "type": None}, "a map with a `type`", 5),
    ({"id": 5, "type": b"list"}, "a map with a `type`", 5),
    ({"id": 5, "type": ["list"]}, "a map with a `type`", 5),
    ({"id": 5, "type": "dance"}, "unknown type; near it: daily, detach, dice, ", 5),
    ({"id": 5, "type": "List"}, "unknown type; near it: lead_review, leave, ", 5),
    ({"id": 5, "type": "welcome"}, "unknown type; ", 5),
    ({"type": "list"}, "object missing required field `id`", None),
    (_list(id=None), "at `$.id`", None),
    (_list(id=-1), "at `$.id`", None),
    (_list(id=2**63), "at `$.id`", None),
    (_list(id=1.0), "at `$.id`", None),
    (_list(id=math.nan), "at `$.id`", None),
    (_list(id="5"), "at `$.id`", None),
    (_list(id=True), "at `$.id`", None),
    ({b"type": "list", b"id": 5}, "a map with a `type`", None),
    ({"type": "list", b"id": 5}, "at `key` in `$`", None),
    ({"id": 5, "type": "hello", "name": "a"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "a" * 21}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ada\n"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ada lovelace"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ädä"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": b"ada"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "token": ""}, "at `$.token`", 5),
    ({"id": 5, "type": "hello", "token": "x" * 65}, "at `$.token`", 5),
    ({"id": 5, "type": "create", "side": "red"}, "at `$.side`", 5),
    ({"id": 5, "type": "create", "commitment": "xyz"}, "at `$.commitment`", 5),
    ({"id": 5, "type": "create", "commitment": "0" * 65}, "at `$.commitment`", 5),
    ({"id": 5, "type": "create", "commitment": "00:11"}, "at `$.commitment`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "00" * 31}, "at `$.seed`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "00" * 33}, "at `$.seed`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "0" * 65}, "at `$.seed`", 5),
    ({**REVEAL, "binding": "00" * 31}, "at `$.binding`", 5),
    (REVEAL, "missing required field `binding`", 5),
    ({"id": 5, "type": "create", "rules": []}, "at `$.rules`", 5),
    ({"id": 5, "type": "create", "rules": {"length": 3.0}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": math.nan}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": None}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": [[[]]]}}, "at `$.rules", 5),
    ({"id": 5, "type": "join", "table": "a" * 121}, "at `$.table`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "seq": -1}, "at `$.seq`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "epoch": 2**63}, "at `$.epoch`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "plays": 1}, "at `$.plays`", 5),
    ({"id": 5, "type": "detach", "match": ""}, "at `$.match`", 5),
    ({"id": 5, "type": "detach", "match": "m" * 17}, "at `$.match`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "lobby"}, "at `$.to`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "players", "text": "x" * 201}, "at `$.text`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "players", "phrase": "boo"}, "at `$.phrase`", 5),
    ({**ACTION, "type": "roll", "seq": None}, "at `$.seq`", 1),
    ({"type": "roll", "id": 1, "match": "k3v9q2xa"}, "missing required field `seq`", 1),
    ({**ACTION, "type": "move"}, "missing required field `moves`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5, 3]]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [[8]]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [8, 5]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [[26, 20]]}, "at `$.moves[0][0]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, -1]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5.0]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, True]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5]] * 5}, "at `$.moves`", 1),
    ({**ACTION, "type": "move", "moves": b"\x08\x05"}, "at `$.moves`", 1),
    ({**ACTION, "type": "move", "moves": "8/5"}, "at `$.moves`", 1),
    ({**ACTION, "type": "resign", "value": 0}, "at `$.value`", 1),
    ({**ACTION, "type": "resign", "value": 4}, "at `$.value`", 1),
    ({**ACTION, "type": "auto", "what": "think", "on": True}, "at `$.what`", 1),
    ({**ACTION, "type": "auto", "what": "roll", "on": 1}, "at `$.on`", 1),
]
