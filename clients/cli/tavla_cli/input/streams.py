"""Standard input and output, so that no byte that is typed and no letter that is shown can end the program."""

import os
import sys
from io import TextIOWrapper

from tavla_cli.output import clean_streams

_PLAIN = ("C", "POSIX")  # locales without a charset


def prepare_streams() -> None:
    """Replace what cannot be read, cannot be shown, or would command the terminal.

    A terminal without a charset is sent ASCII alone.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            plain = stream is not sys.stdin and stream.isatty() and _wants_ascii()
            stream.reconfigure(encoding="ascii" if plain else None, errors="replace")
    clean_streams()


def _wants_ascii() -> bool:
    """True if the user's locale is the plain one, which Python takes for UTF-8 (PEP 538, PEP 540)."""
    told = os.environ.get
    return not told("PYTHONIOENCODING") and (told("LC_ALL") or told("LANG")) in _PLAIN
