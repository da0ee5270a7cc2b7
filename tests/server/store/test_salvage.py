"""Commands that are whole in a damaged file are kept, and nothing of a transaction that is not whole."""

import random
import subprocess
from pathlib import Path

import pytest
from tavla_server.store.program import valkey_server
from tavla_server.store.salvage import EXEC, MULTI, salvage, sorted_out


def command(*parts: bytes) -> bytes:
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


BEGIN, END = command(MULTI), command(EXEC)
A, B, C, D = (command(b"SET", name, name * 9) for name in (b"a", b"b", b"c", b"d"))
BAD = b"\x00\xff" * 7
TEXT, DAMAGED = 60, 64  # bytes: of damage within a text alone nothing can be seen

CASES = [  # what is in the file, what is kept, why this row is here
    ([A, b"#TS:1795\r\n", B], [A, b"#TS:1795\r\n", B], "nothing is damaged"),
    ([A, BAD, B], [A, B], "between two commands"),
    ([A, B[:-4]], [A], "the end is not whole"),
    ([A, B[:9] + BAD + B[20:], C], [A, C], "within a command"),
    ([BAD], [], "nothing but damage"),
    ([A, b"*2\r\nSET\r\n", B], [A, B], "a count without sizes"),
    ([A, BEGIN, B, BAD, C, END, D], [A, D], "within a transaction: none of it"),
    ([A, BEGIN, B, C], [A], "one that never ended"),
    ([BEGIN[:8], B, C, END, D], [D], "its beginning is gone"),
    ([A, BEGIN, B, BAD, C, D, BEGIN, A, END], [A, C, D, BEGIN, A, END], "its end is gone, what follows is whole"),
    ([A, BAD, B, D, BAD, C], [A, B, D, C], "twice"),
    ([command(b"SET", b"x", A), BAD, B], [command(b"SET", b"x", A), B], "a command within a text is none"),
]


@pytest.mark.parametrize(("parts", "kept", "why"), CASES, ids=[why for *_, why in CASES])
def test_what_can_be_carried_out_is_kept(parts: list[bytes], kept: list[bytes], why: str, tmp_path: Path) -> None:
    data = b"".join(parts)
    found, left = sorted_out(data)
    assert found == kept, why
    assert sum(map(len, found)) + sum(map(len, left)) == len(data), "every byte is one or the other"
    file = tmp_path / "commands.aof"
    file.write_bytes(data)
    salvage(file)
    if found:  # a file of nothing is none to valkey-check-aof
        subprocess.run(["valkey-check-aof", file], executable=valkey_server(), capture_output=True, check=True)


def test_whatever_is_overwritten_the_rest_is_kept(rng: random.Random) -> None:
    many = [
        command(b"XADD", b"{m:%08d}:log" % number, b"%d-0" % number, b"e", rng.randbytes(TEXT)) for number in range(99)
    ]
    data = bytearray(b"".join(many))
    at = rng.randrange(len(data) - DAMAGED)
    data[at : at + DAMAGED] = b"*" * DAMAGED
    found, _ = sorted_out(bytes(data))
    assert set(many) >= set(found)
    assert len(found) >= 96
