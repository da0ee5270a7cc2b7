"""A terminal of plain lines: a question stands below whatever was shown last."""

import io

from tavla_cli.console import CleanConsole
from tavla_cli.input.terminal import PlainTerminal, look_of


def test_a_question_is_asked_anew_below_what_was_shown_and_else_once() -> None:
    shown, asked = io.StringIO(), ["your turn"]
    console = CleanConsole(file=shown, width=80)
    terminal = PlainTerminal(console, look_of(console, ascii_only=True), lambda: asked[0])
    for line in ("", "", "no such command", "bob rolls 3-1", ""):
        if line:
            terminal.show(line)
        terminal.refresh()
    asked[0] = "take or drop?"
    terminal.refresh()
    assert shown.getvalue().splitlines() == [
        "> your turn",
        "no such command",
        "> your turn",
        "bob rolls 3-1",
        "> your turn",
        "> take or drop?",
    ]
