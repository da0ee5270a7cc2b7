"""`python -m tests.cover`: what `make cover` has measured, as a table; fails where a package has less than it must."""

import io
import itertools
import sys
from collections.abc import Iterator

import coverage

from tests.support.results import recorded

PACKAGES = (
    *("tavla_engine", "tavla_protocol", "tavla_server", "tavla_client", "tavla_cli", "tavla_bots", "tavla_gym"),
    "training",
)
LEAST = {"tavla_engine": 100.0, "tavla_protocol": 100.0, "tavla_server": 99.0}  # percent
LOW = 90.0  # percent; a module below it has a line of its own


def share(measured: coverage.Coverage, files: list[str]) -> float:
    """Coverage of some files, statements and branches together, in percent."""
    return measured.report(include=files, file=io.StringIO())


def files_of(measured: coverage.Coverage, package: str) -> list[str]:
    """The measured files of a package."""
    return sorted(file for file in measured.get_data().measured_files() if f"/{package}/" in file)


def lines_of(measured: coverage.Coverage, package: str) -> Iterator[str]:
    """The line of a package, and one for each of its modules that is far from covered."""
    files = files_of(measured, package)
    yield f"| `{package}` | {share(measured, files):.1f} % |"
    for file in files:
        if (covered := share(measured, [file])) < LOW:
            yield f"| - `{file.partition(f'/{package}/')[2]}` | {covered:.0f} % |"


def table(measured: coverage.Coverage) -> str:
    """All packages."""
    lines = itertools.chain.from_iterable(lines_of(measured, package) for package in PACKAGES)
    return "\n".join(["| package | covered |", "|---|---|", *lines])


def missed(measured: coverage.Coverage) -> list[str]:
    """A sentence for each package of which less was run than must be."""
    shares = {package: share(measured, files_of(measured, package)) for package in LEAST}
    return [
        f"{name}: {shares[name]:.2f} %, and {least:g} % must be run"
        for name, least in LEAST.items()
        if shares[name] < least
    ]


def main() -> None:
    """Print the table, and fail where the gate does not hold."""
    measured = coverage.Coverage()
    measured.load()
    with recorded("coverage"):
        print(table(measured))
    sys.exit("\n".join(missed(measured)) or None)


if __name__ == "__main__":
    main()
