"""Progress of matches, as bars below the log; and the number of failed decisions."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from tavla_client import Failures

from tavla_cli.console import CleanConsole
from tavla_cli.output import raw
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural

Bar = Callable[[str], None]  # one more is done; what stands before the numbers from now on


@contextmanager
def counting(texts: Sequence[str], total: int | None) -> Iterator[list[Bar]]:
    """A bar on standard error for each of some texts, if that is a terminal. total: None = without end, and no bars.

    Meanwhile `sys.stderr` writes lines above them.
    """
    columns = TextColumn("{task.description}"), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn()
    with _progress(*columns, shown=total is not None) as progress:
        tasks = [progress.add_task(clean(text), total=total) for text in texts]
        yield [partial(_step, progress, task) for task in tasks]


@contextmanager
def judging() -> Iterator[Callable[[int, int], None]]:
    """A line on standard error, if that is a terminal, for a match that is judged. Gives a function for any thread:
    how many plays are judged, of how many.
    """
    with _progress(TextColumn("{task.description}, {task.elapsed:.0f} s"), shown=True) as progress:
        task = progress.add_task("judging", total=None)

        def update(done: int, plays: int) -> None:
            progress.update(task, description=f"judging {done} of {plays}")

        yield update


def _progress(*columns: ProgressColumn, shown: bool) -> Progress:
    """Progress on standard error, if that is a terminal; nothing is left of it."""
    console = CleanConsole(file=raw(sys.stderr))
    return Progress(*columns, console=console, disable=not (shown and sys.stderr.isatty()), transient=True)


def _step(progress: Progress, task: Any, text: str) -> None:
    progress.update(task, description=clean(text), advance=1)


def failure_lines(failures: Failures) -> list[str]:
    """Failures, a line for each kind, the most frequent first."""
    return [
        f"{one.hook} failed {plural(times, 'time')}: {clean(one.reason)}"
        for one, times in failures.counts.most_common()
    ]


def failure_rows(failures: Failures) -> list[dict[str, Any]]:
    """The same as values, for JSON."""
    return [{**one._asdict(), "times": times} for one, times in failures.counts.most_common()]
