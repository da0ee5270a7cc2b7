"""Arguments of the shell: what people type, and what it stands for."""

from typing import Any

import click
import pytest
from tavla_cli.input.arguments import player_name, table_code, table_name
from tavla_cli.input.common_options import server_url
from tavla_cli.input.rules_arguments import RULES

CONTEXT, PARAMETER = click.Context(click.Command("tavla")), click.Option(["--x"])
SERVERS = [  # typed, address
    ("play.example", "ws://play.example"),
    ("play.example:8765/", "ws://play.example:8765"),
    ("http://play.example", "ws://play.example"),
    ("https://play.example/", "wss://play.example"),
    ("ws://play.example", "ws://play.example"),
    ("wss://play.example/tavla/", "wss://play.example/tavla"),
    (" play.example ", "ws://play.example"),
    ("ftp://play.example", "ftp://play.example"),
    ("", ""),
]


@pytest.mark.parametrize(("typed", "address"), SERVERS)
def test_a_server_is_found_by_a_host_or_a_pages_address(typed: str, address: str) -> None:
    assert server_url(CONTEXT, PARAMETER, typed) == address


GOOD: list[tuple[Any, str | None]] = [
    (player_name, None),
    (player_name, "al"),
    (player_name, "n" * 20),
    (table_name, "Tom_s-den"),
    (table_name, "Winter Cup"),
    (table_name, "Yılbaşı"),
    (table_name, "n" * 40),
]
BAD: list[tuple[Any, str, str]] = [
    (player_name, "a", "2 to 20 letters"),
    (player_name, "n" * 21, "2 to 20 letters"),
    (player_name, "no good", "2 to 20 letters"),
    (table_name, "n" * 121, "1 to 40 characters"),
    (table_name, " ", "1 to 40 characters"),
]


@pytest.mark.parametrize(("check", "name"), GOOD)
def test_a_name_is_taken_as_it_is(check: Any, name: str | None) -> None:
    assert check(CONTEXT, PARAMETER, name) == name


@pytest.mark.parametrize(("check", "name", "why"), BAD)
def test_a_name_that_no_server_takes_is_refused(check: Any, name: str, why: str) -> None:
    with pytest.raises(click.BadParameter, match=why):
        check(CONTEXT, PARAMETER, name)


@pytest.mark.parametrize(("typed", "code"), [("k3x7", "k3x7"), (" K3X7 ", "k3x7"), ("", ""), ("abcd2345", "abcd2345")])
def test_a_code_is_read_as_people_pass_it_on(typed: str, code: str) -> None:
    assert table_code(CONTEXT, PARAMETER, typed) == code


@pytest.mark.parametrize("typed", ["k3x71", "abcd23456", "a b"])
def test_a_code_that_cannot_be_one_is_refused(typed: str) -> None:
    with pytest.raises(click.BadParameter, match="a code has at most 8"):
        table_code(CONTEXT, PARAMETER, typed)


RULES_READ: list[tuple[Any, dict[str, Any]]] = [
    ("5", {"length": 5}),
    ("length=5,clock=fast,cube=false", {"length": 5, "clock": "fast", "cube": False}),
    ("preset=money", {"preset": "money"}),
    ("3,crawford=true,", {"length": 3, "crawford": True}),
    ("", {}),
    ({"length": 1}, {"length": 1}),
]


@pytest.mark.parametrize(("typed", "rules"), RULES_READ)
def test_rules_are_one_word(typed: Any, rules: dict[str, Any]) -> None:
    assert RULES.convert(typed, None, None) == rules


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("5,jacoby=true", "the Jacoby rule belongs to money play"),
        ("preset=chess", "chess"),
        ("length=many", "length is a whole number"),
        ("height=3", "height"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(typed: str, sentence: str) -> None:
    with pytest.raises(click.BadParameter, match=sentence):
        RULES.convert(typed, None, None)
