"""Results of measurements: a file each in bench/results, and the pages that show the newest one."""

import contextlib
import io
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"
SHOWN = re.compile(r"(?<=<!-- result: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)  # name, and what stands between


class Tee(io.StringIO):
    """A text that is printed as well."""

    def write(self, text: str, /) -> int:
        sys.__stdout__.write(text)  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        return super().write(text)


@contextlib.contextmanager
def recorded(name: str) -> Iterator[None]:
    """Keep what is printed as the newest result of a name, unless it ends with an error."""
    with contextlib.redirect_stdout(Tee()) as tee:
        yield
    RESULTS.mkdir(exist_ok=True)
    said = tee.getvalue().strip("\n")
    (RESULTS / f"{name}.md").write_text(f"{heading()}\n\n{said}\n", encoding="utf-8")
    refresh()


def record(name: str, run: Callable[..., Iterable[str]]) -> None:
    """Print what a measurement with the command's numbers finds, line by line, and keep it."""
    with recorded(name):
        print("\n".join(run(*map(int, sys.argv[1:]))))


def table(head: str, rows: Sequence[Sequence[object]]) -> list[str]:
    """The lines of a table in Markdown; head: its columns, with |."""
    line = "|".join("---" for _ in head.split("|"))
    return [f"| {head} |", f"|{line}|", *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def refresh() -> None:
    """Put the newest results on all pages that show them."""
    for page in pages():
        before = page.read_text(encoding="utf-8")
        if (after := shown(before)) != before:
            page.write_text(after, encoding="utf-8")


def heading() -> str:
    """The command, the day and the machine."""
    program = Path(sys.argv[0]).resolve().relative_to(ROOT).with_suffix("")
    module = ".".join(program.parts).removesuffix(".__main__")
    command = " ".join(["python -m", module, *sys.argv[1:]])
    cores = len(os.sched_getaffinity(0))
    python = platform.python_version()
    return f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, Python {python}, {platform.machine()}, {cores} cores"


def pages() -> list[Path]:
    """Pages that may show results."""
    return [
        ROOT / "bench" / "README.md",
        ROOT / "clients" / "bots" / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]


def shown(page: str) -> str:
    """A page with the newest result wherever it shows one."""
    return SHOWN.sub(lambda found: f"{found[1]}{found[2]}{(RESULTS / f'{found[1]}.md').read_text('utf-8')}", page)
