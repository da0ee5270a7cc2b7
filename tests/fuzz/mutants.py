"""`python -m tests.fuzz.mutants COUNT`: so many changed files of each format; each is a match, or a sentence says why.

One process, in which the reader of foreign formats runs, too: of a child there would be only its end. What fails is
left in `mutant-crash-...`, and the exit code is 1.
"""

import contextlib
import json
import random
import re
import signal
import sys
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tavla_cli.records import foreign_script
from tavla_cli.records.files import WRITERS, BadFile, as_json, as_ogxm, parse, record_of_foreign
from tavla_cli.records.foreign import foreign_name, match_of
from tavla_cli.records.record import Record, of_server
from tavla_cli.records.steps import steps
from tavla_engine.errors import BadText
from tavla_engine.rules import preset

from tests.support.games.bgf import bgf_of
from tests.support.games.records import played, recorded

DATA = Path(__file__).parent.parent / "data"
SECONDS = 20.0  # of CPU for one file; real ones take a tenth of one
FOREIGN_S = 5.0  # of CPU for the other reader
MEMORY_BYTES = 4 << 30  # of this process
LONGEST_WHY = 500  # characters
XG_RECORD, XG_HEAD = 2560, 8232
OGXM_END = 21  # bytes of its sum and end
XG_PLIES = 24  # records of the first game; a whole match has 400 and takes ten times as long
NUMBERS = [*b'0 1 -1 7 255 65536 4294967295 999999999999999 1e999 NaN "x" []'.split(), b"9" * 400]
BYTES = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]


class Kind(NamedTuple):
    """A kind of file. seeds: files that are changed; binary: in bytes, else in words and lines, too.

    seal: makes a changed one whole, where a sum over all would give each away.
    """

    seeds: Callable[[], list[bytes]]
    binary: bool
    seal: Callable[[bytes], bytes] = bytes

    def mutant(self, rng: random.Random) -> bytes:
        """A changed file."""
        return self.seal(changed(rng.choice(self.seeds()), self.binary, rng))


def changed(data: bytes, binary: bool, rng: random.Random) -> bytes:
    """A file with some places changed, taken out, put in, repeated or cut."""
    changing = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8, 20))):
        at = rng.randrange(min(4, len(changing)), len(changing) + 1)
        match rng.randrange(8):
            case 0:
                del changing[at : at + rng.choice((1, 2, 4, 40, 400))]
            case 1:
                changing[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
            case 2:
                size = rng.choice((1, 8, 80, 2560))
                changing[at:at] = changing[at : at + size] * rng.choice((1, 2, 50))
            case 3 if rng.random() < 0.2:
                del changing[at:]
            case 4 | 5 if not binary and (numbers := list(re.finditer(rb"\d+", changing))):
                found = rng.choice(numbers)
                changing[found.start() : found.end()] = rng.choice(NUMBERS)
            case _:
                changing[at : at + 1] = bytes([rng.choice(BYTES) if rng.random() < 0.6 else rng.randrange(256)])
    return bytes(changing)


def check(data: bytes, rng: random.Random) -> bool:
    """True if a file is a match, which can be replayed and written; False if a sentence says why not.

    Raises: AssertionError and any other error, for what should not be.
    """
    begun = time.process_time()
    try:
        record = read(data)
    except BadText as error:
        why = str(error)
        assert 0 < len(why) < LONGEST_WHY, why
        assert "Error" not in why, why
        return False
    finally:
        assert time.process_time() - begun < SECONDS, "it takes too long"
    if record.faults:  # what is not sound is neither replayed nor written
        return False
    assert steps(record)
    with contextlib.suppress(BadFile):
        WRITERS[rng.choice([*WRITERS])](record)
    return True


def read(data: bytes) -> Record:
    """The record of a file, as `parse` reads it, in this process. Raises: BadText."""
    if name := foreign_name(data):
        with _limited():
            answer = foreign_script.answer_to(data).encode()
        json.loads(answer)
        return record_of_foreign(match_of(answer, name))
    return parse(data)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Time for the other reader, whose process the system ends after 20 s: some files keep it for ever."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, FOREIGN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@cache
def _texts(suffix: str) -> list[bytes]:
    """Small files, and a whole match."""
    files = [file for folder in ("field", "matches") for file in sorted((DATA / folder).glob(f"*{suffix}"))]
    return [file.read_bytes() for file in sorted(files, key=lambda file: file.stat().st_size)[:12]]


@cache
def _xg() -> list[bytes]:
    """The beginning of a first game and its end, unpacked: a change within packed bytes would end in zlib alone."""
    found = []
    for name in ("online-7", "commented-9"):
        data = (DATA / "foreign" / f"{name}.xg").read_bytes()
        start = XG_HEAD + int.from_bytes(data[20:24], "little")
        body = zlib.decompressobj().decompress(data[start:])
        records = [body[at : at + XG_RECORD] for at in range(0, len(body), XG_RECORD)]
        ends = [next(one for one in reversed(records) if one[8] == kind) for kind in (4, 5)]
        found.append(data[:XG_HEAD].replace(data[20:24], bytes(4)) + b"".join([*records[:XG_PLIES], *ends]))
    return found


@cache
def _ogxm() -> list[bytes]:
    """Files without their sums."""
    return [as_ogxm(one)[:-OGXM_END] for one in (_short(), parse(_texts(".sgf")[0]))]


def _end(data: bytes) -> bytes:
    """An `.ogxm` of this length, without its sum."""
    return data[:12] + (len(data) + 4).to_bytes(4, "little") + data[16:] + b"END!"


def _short() -> Record:
    rules = preset("tournament", {"length": 1})
    return of_server(recorded(rules, played(rules, 1)))


KINDS = {
    "mat": Kind(lambda: _texts(".mat"), False),
    "sgf": Kind(lambda: _texts(".sgf"), False),
    "json": Kind(cache(lambda: [as_json(_short()).encode(), as_json(parse(_texts(".mat")[0])).encode()]), False),
    "xg": Kind(_xg, True),
    "bgf": Kind(cache(lambda: [bgf_of(_short())]), True),
    "ogxm": Kind(_ogxm, True, _end),
}


def main() -> None:
    """Try all."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    results = {name: _tried(name, kind, int(sys.argv[1])) for name, kind in KINDS.items()}
    print("changed files: " + "; ".join(f"{name} {result}" for name, result in results.items()))
    sys.exit(any(not result.endswith(" 0 failures") for result in results.values()))


def _tried(name: str, kind: Kind, count: int) -> str:
    rng, found = random.Random(), Counter[bool | None]()
    begun = time.process_time()
    for number in range(count):
        data = kind.mutant(rng)
        try:
            found[check(data, rng)] += 1
        except Exception:
            found[None] += 1
            Path(f"mutant-crash-{number}.{name}").write_bytes(data)
            traceback.print_exc(limit=-3)
    took = time.process_time() - begun
    return f"{found[True]} matches, {found[False]} sentences in {took:.0f} s, {found[None]} failures"


if __name__ == "__main__":
    main()
