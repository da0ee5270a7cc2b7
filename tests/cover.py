"""`python -m tests.cover`: what `make cover` has measured, as the table of `docs/coverage.md`, which is rewritten."""

import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import coverage

PACKAGES = ("tavla_engine", "tavla_protocol", "tavla_server", "tavla_client", "tavla_cli", "tavla_bots")
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
LOW = 90.0  # percent; a module below it has a line of its own


def share(measured: coverage.Coverage, files: list[str]) -> float:
    """How much of some files was run, statements and branches together, in percent."""
    return measured.report(include=files, file=io.StringIO())


def lines_of(measured: coverage.Coverage, package: str) -> Iterator[str]:
    """The line of a package, and one for each of its modules that is far from covered."""
    files = sorted(file for file in measured.get_data().measured_files() if f"/{package}/" in file)
    yield f"| `{package}` | {share(measured, files):.1f} % |"
    for file in files:
        if (covered := share(measured, [file])) < LOW:
            yield f"| - `{file.partition(f'/{package}/')[2]}` | {covered:.0f} % |"


def table() -> str:
    """All packages."""
    measured = coverage.Coverage()
    measured.load()
    lines = itertools.chain.from_iterable(lines_of(measured, package) for package in PACKAGES)
    return "\n".join(["| package | covered |", "|---|---|", *lines])


def main() -> None:
    """Put the table into the page, and print it."""
    made = table()
    page = re.sub(r"(?:^\|.*\n?)+", f"{made}\n", PAGE.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    PAGE.write_text(page, encoding="utf-8")
    print(made)


if __name__ == "__main__":
    main()
