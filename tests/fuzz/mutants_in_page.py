"""`python -m tests.fuzz.mutants_in_page COUNT`: so many changed files of each format, as the page reads them.

Each is a match, whose decisions are found, or is refused; no error but that, and none takes long. What fails is left in
`page-crash-...`, and the exit code is 1.
"""

import random
import struct
import sys
import zlib
from pathlib import Path

from tests.fuzz.mutants import KINDS, XG_HEAD, Kind
from tests.support.browser.node import ask_modules

SECONDS = 20.0  # for one file; real ones take a tenth of one
AT_ONCE = 50


def packed(data: bytes) -> bytes:
    """An `.xg` with its records packed and in an index, as the page wants them."""
    body = zlib.compress(data[XG_HEAD:], 1)
    sizes = struct.pack("<4I", max(0, len(data) - XG_HEAD), len(body), 0, 0)
    index = zlib.compress(b"\x07temp.xg".ljust(512, b"\0") + sizes + bytes(4), 1)
    return data[:XG_HEAD] + body + index + struct.pack("<9I", 0, 1, 0, len(index), len(body), 1, 0, 0, 0)


READ = KINDS | {"xg": KINDS["xg"]._replace(seal=packed)}


def looked_at(files: list[bytes]) -> list[tuple[bool, str, float]]:
    """Whether each file is a match for the page, the fault of looking at it ("" = none), and the ms it has taken."""
    (told,) = ask_modules("changed", [[file.hex() for file in files]])
    return [(is_match, fault, ms) for is_match, fault, ms in told]


def tried(kind: Kind, count: int, rng: random.Random) -> tuple[int, list[bytes]]:
    """How many of so many changed files were matches, and those that should not be as they are."""
    matches, wrong = 0, list[bytes]()
    for begin in range(0, count, AT_ONCE):
        files = [kind.mutant(rng) for _ in range(min(AT_ONCE, count - begin))]
        for file, (is_match, fault, ms) in zip(files, looked_at(files), strict=True):
            matches += is_match
            if fault or ms > 1000 * SECONDS:
                print(fault or f"{ms:.0f} ms")
                wrong.append(file)
    return matches, wrong


def main() -> None:
    """Try all."""
    count, failures = int(sys.argv[1]), 0
    said = []
    for name, kind in READ.items():
        matches, wrong = tried(kind, count, random.Random())
        for number, data in enumerate(wrong):
            Path(f"page-crash-{number}.{name}").write_bytes(data)
        failures += len(wrong)
        said.append(f"{name} {matches} matches, {len(wrong)} failures")
    print("changed files in the page: " + "; ".join(said))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
