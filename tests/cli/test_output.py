"""The one way out to a terminal: what each library writes there."""

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import tavla_cli
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.table import Table
from rich.text import Text
from tavla_cli.console import CleanConsole, clean_output, warn
from tavla_cli.output import CleanStream, clean_streams, raw

from tests.support.servers.hostile import COMMANDS, FORBIDDEN


@contextlib.contextmanager
def written() -> Iterator[io.StringIO]:
    """Capture standard output and error, both clean."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        clean_streams()
        yield stream


def check(text: str) -> None:
    assert not [one for one in FORBIDDEN if one in text], ascii(text)
    assert "EVIL" in text


def test_click_and_print_write_no_commands() -> None:
    with written() as stream:
        click.echo(COMMANDS)
        click.echo(COMMANDS.encode(), err=True)
        print(COMMANDS)
        click.ClickException(COMMANDS).show()
        sys.stderr.writelines([COMMANDS])
    check(stream.getvalue())
    assert stream.getvalue().count("FORGED") == 5


def test_a_console_keeps_its_own_colours_alone() -> None:
    written = io.StringIO()
    console = CleanConsole(file=written, force_terminal=True, color_system="standard", width=80, emoji=False)
    console.print(Text(COMMANDS, "bold red"))
    table = Table()
    table.add_column(COMMANDS)
    table.add_row(COMMANDS)
    console.print(table)
    check(written.getvalue())
    assert "\x1b[1;31m?]0;EVIL" in written.getvalue()
    assert {len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in written.getvalue().splitlines()[2:]} == {29}, "a frame"


def test_prompt_toolkit_draws_no_commands_and_asks_the_terminal_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    monkeypatch.setattr(drawn, "isatty", lambda: True)
    output = Vt100_Output(drawn, lambda: Size(rows=24, columns=80))
    monkeypatch.setattr("tavla_cli.console.create_output", lambda _: output)
    clean_output().write(COMMANDS)
    assert not output.responds_to_cpr
    output.flush()
    check(drawn.getvalue())


def test_a_warning_is_clean_and_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with written() as stream:
        warn(COMMANDS)
    check(stream.getvalue())
    assert stream.getvalue().startswith("\x1b[31m?]0;EVIL")


def test_commands_of_our_own_go_below() -> None:
    with written() as stream:
        raw(sys.stdout).write("\x1b[0m")
        assert raw(stream) is stream
        assert not hasattr(sys.stdout, "buffer"), "nor can bytes be written around it"
        clean_streams()
        assert not isinstance(raw(sys.stdout), CleanStream), "one is enough"
    assert stream.getvalue() == "\x1b[0m"


def test_no_other_module_opens_a_way_out() -> None:
    for file in Path(tavla_cli.__file__).parent.rglob("*.py"):
        if file.name not in ("output.py", "console.py"):
            assert not re.search(r"[^n]Console\(|create_output|secho|std(out|err)\.buffer", file.read_text("utf-8")), (
                file
            )
