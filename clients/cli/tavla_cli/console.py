"""Consoles of rich and prompt_toolkit that no text from elsewhere can command, and no byte that is typed can end."""

import sys
from collections.abc import Iterable

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.output import Output, create_output
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from tavla_cli.output import LINES, raw
from tavla_cli.text.cleaning import clean

MOVES = "\r\n"  # what prompt_toolkit's own text has: a foreign one it shows as ^M


class CleanConsole(Console):
    """A console of rich. Cleaned before lines are measured and cut, so that what is shown stays where it belongs."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of what is printed; only commands of rich's own are left as they are."""
        for part in super().render(renderable, options):
            yield part if part.control or part.text.isprintable() else part._replace(text=clean(part.text, LINES))


def warn(text: str) -> None:
    """Write a line in red to standard error."""
    CleanConsole(file=raw(sys.stderr), soft_wrap=True, highlight=False).print(Text(text, "red"))


def clean_output() -> Output:
    """Output that prompt_toolkit draws to."""
    output = create_output(raw(sys.stdout))
    # It would ask where the cursor stands, wait for that after each line, and warn of a terminal that says nothing.
    output.enable_cpr = False  # type: ignore[attr-defined]
    write = output.write
    output.write = lambda data: write(clean(data, MOVES))  # type: ignore[method-assign] # of whichever class it is
    return output


def lenient_input() -> Input:
    """Input for prompt_toolkit's keys: by itself it makes half a letter of a byte that is none."""
    keys = create_input()
    if sys.platform != "win32":
        from prompt_toolkit.input.posix_utils import PosixStdinReader
        from prompt_toolkit.input.vt100 import Vt100Input

        if isinstance(keys, Vt100Input):
            keys.stdin_reader = PosixStdinReader(keys.fileno(), errors="replace", encoding=keys.stdin.encoding)
    return keys
