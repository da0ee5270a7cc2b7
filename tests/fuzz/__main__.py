"""`python -m tests.fuzz SECONDS`: changed files, for a third of the time conversations, then inputs led by coverage.

Prints a line for each, and what was found; then the exit code is 1. Inputs that fail are left in `NAME-crash-...`.
"""

import re
import subprocess
import sys

from tests.fuzz.targets import TARGETS

TALK_PART = 3
FILES = 10_000  # of each format, whatever the time: some minutes
FOUND = "found something:"


def main() -> None:
    """Try all."""
    seconds = int(sys.argv[1])
    talk_s = max(1, seconds // TALK_PART)
    each_s = max(1, (seconds - talk_s) // len(TARGETS))
    results = [
        _ran("mutants", FILES),
        _ran("mutants_in_page", FILES),
        _ran("conversations", talk_s),
        *(_ran("guided", each_s, name) for name in TARGETS),
    ]
    sys.exit(0 if all(results) else 1)


def _ran(module: str, seconds: int, *name: str) -> bool:
    """True if nothing was found. seconds: or how many files."""
    command = [sys.executable, "-m", f"tests.fuzz.{module}", *name, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    count = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    said = f"{name[0]}: {count[1]} inputs in {seconds} s" if count else done.stdout.strip().rpartition("\n")[2]
    if done.returncode:
        print(f"{' '.join((module, *name))} {FOUND}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}", flush=True)
    else:
        print(said, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
