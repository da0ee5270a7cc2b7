"""Options of the server x what uses their values: one that could never be used is refused at the start."""

import pytest
from click.testing import CliRunner
from tavla_server.process.cli import main
from tavla_server.process.values import HOST_NAME, ORIGIN

REFUSED = [  # an option, its value, what is said
    ("--archive-grace", "nan", "nan is no time"),
    ("--drain", "nan", "nan is no time"),
    ("--host-name", "https://play.example", "is not like play.example"),
    ("--host-name", "play.example/", "is not like play.example"),
    ("--host-name", "a.example,b.example", "is not like play.example"),
    ("--host-name", "*.play.example", "is not like play.example"),
    ("--allow-origin", "club.example", "is not like https://club.example"),
    ("--allow-origin", "*", "is not like https://club.example"),
    ("--allow-origin", "https://club.example/page", "is not like https://club.example"),
]


@pytest.mark.parametrize(("option", "value", "said"), REFUSED)
def test_a_value_that_nothing_can_use_is_refused_also_in_the_environment(option: str, value: str, said: str) -> None:
    variable = "TAVLA_" + option.strip("-").replace("-", "_").upper()
    for arguments, env in (([option, value], {}), ([], {variable: value})):
        done = CliRunner().invoke(main, arguments, env=env)
        assert (done.exit_code, said in done.output) == (2, True), done.output


def test_names_and_origins_that_are_used_are_taken() -> None:
    for name in ("*", "play.example", "play.example:8765", "[::1]", "192.0.2.1"):
        assert HOST_NAME.convert(name, None, None) == name
    for origin in ("https://club.example", "http://localhost:3000/", "capacitor://localhost"):
        assert ORIGIN.convert(origin, None, None) == origin
