"""Which letters a terminal is sent, by what its user's locale says."""

from pathlib import Path

import pytest

from tests.support.players.programs import UTF_8
from tests.support.players.terminal import NewTerminal

pytestmark = pytest.mark.slow  # each starts a program

LOCALES: list[tuple[dict[str, str], bool]] = [  # environment, whether the terminal is sent ASCII alone
    ({"LANG": "C"}, True),
    ({"LANG": "POSIX"}, True),
    ({"LC_ALL": "C", "LANG": "C.UTF-8"}, True),
    ({"LANG": "C", "LC_ALL": "C.UTF-8"}, False),
    ({"LANG": "C.UTF-8"}, False),
    ({"LANG": "de_DE.UTF-8"}, False),
    ({}, False),  # nothing is said: today that is UTF-8
    ({**UTF_8, "LANG": "C"}, False),
]


@pytest.mark.parametrize(("locale", "plain"), LOCALES)
def test_the_locale_says_whether_the_board_is_drawn_in_ascii(
    tmp_path: Path, locale: dict[str, str], plain: bool, open_terminal: NewTerminal
) -> None:
    (tmp_path / "match.mat").write_text(
        " 1 point match\n\n Game 1\n ada : 0                  bob : 0\n  1) 31: 8/5 6/5\n", "utf-8"
    )
    terminal = open_terminal("replay", str(tmp_path / "match.mat"), locale=locale)
    terminal.wait_for("12 11 10  9  8  7")
    assert terminal.shown.isascii() == plain
    terminal.press("q")
    assert terminal.wait() == 0
