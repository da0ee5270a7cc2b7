"""The one way out to a terminal. All text is cleaned here: none from elsewhere can command the terminal.

Three libraries write: click and logging to `sys.stdout` and `sys.stderr`, rich through a console, prompt_toolkit
through an output. The last two send commands of their own, so they get the stream itself; their text is cleaned before
(`console.py`).
"""

import sys
from collections.abc import Iterable
from typing import IO, Any, TextIO, cast

from tavla_cli.text.cleaning import clean

LINES = "\n\t"  # what our own sentences may have beside letters


class CleanStream:
    """A text stream without control characters. It has no `buffer`: bytes cannot be written around it."""

    def __init__(self, stream: IO[str]) -> None:
        self.raw = stream

    def write(self, text: str | bytes) -> int:
        """Write text, cleaned. Bytes are text of click's. Raises: TypeError for no bytes, by which click knows us."""
        if not text:
            return self.raw.write(text)  # type: ignore[arg-type] # it complains as it should
        return self.raw.write(clean(text if isinstance(text, str) else text.decode(errors="replace"), LINES))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, cleaned."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.raw, name)


def clean_streams() -> None:
    """Clean all that is written to `sys.stdout` and `sys.stderr` from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, CleanStream):
            setattr(sys, name, CleanStream(stream))


def raw(stream: TextIO) -> TextIO:
    """The stream below the cleaning: for commands to the terminal of our own, and for nothing else."""
    return cast(TextIO, stream.raw) if isinstance(stream, CleanStream) else stream
