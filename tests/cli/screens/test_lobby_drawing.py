"""The lobby as text, line by line, at any size."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tavla_cli.screens.lobby_drawing import draw
from tavla_cli.screens.lobby_state import PAGES, Choice, Lobby, Page, move
from tavla_protocol import messages as m

SINCE = int(datetime(2026, 11, 22, 14, 2).timestamp())  # on the clock of the wall


def table(name: str, white: str | None, black: str | None = None, **fields: Any) -> m.Table:
    """A row."""
    return m.Table(name=name, players=(white, black), **fields)


SOFA = table("sofa", "grace", rules={"length": 5}, ratings=(1723, None), kinds=("account", None), since=10)
DEN = table("den", None, "gnu", kinds=(None, "bot"), since=20, opponent="computer")
CUP = table("cup", "ada", "bob", rules={"length": 3}, score=(2, 1), ratings=(1500, 1600), kinds=("account", "account"))
PEOPLE = {"ada": m.Person(kind="account", rating=1500), "eve": m.Person(), "gnu": m.Person(kind="bot", rating=1900)}


def lobby(**fields: Any) -> Lobby:
    """A lobby with two tables and a match, seen by eve."""
    shown = {"tables": {"t1": SOFA, "t2": DEN}, "matches": {"m1": CUP}, "people": PEOPLE, "people_total": 3}
    return Lobby(**{"you": "eve", "server": "wss://play.example", **shown, **fields})


def text(shown: Lobby, columns: int = 80, rows: int = 24) -> list[str]:
    """The screen without its styles."""
    return ["".join(part for _, part in line).rstrip() for line in draw(shown, columns, rows, ascii_only=True)]


def test_the_lobby_at_eighty_columns() -> None:
    assert text(lobby(chosen=Choice("tables", "t1")), rows=18) == [
        " Tavla lobby                                                eve at play.example",
        "",
        " open tables: 2",
        " > sofa           grace 1723                 match to 5 points",
        "   den            gnu (bot) wants a bot      match to 7 points",
        "",
        " live matches: 1",
        "   cup            ada 1500 - bob 1600                   2-1    match to 3 points",
        *[""] * 5,
        " people online: 3",
        "   gnu (bot) 1900, ada 1500, eve",
        "",
        "",
        " Enter: join  Tab: people  c: open  p: private  /: find  s: say  q: leave",
    ]
    assert text(lobby(chosen=Choice("matches", "m1")))[-1].startswith(" Enter: watch ")


def test_an_empty_lobby_says_what_to_do() -> None:
    shown = text(lobby(tables={}, matches={}))
    assert "   none: c opens one, and others see it here" in shown
    assert "   nobody plays just now" in shown


def test_ones_own_come_first_and_are_pointed_out() -> None:
    mine = table("mine", "zoe", "eve")
    shown = lobby(tables={"t1": SOFA, "t9": table("nook", "eve", since=99)}, matches={"m1": CUP, "m2": mine})
    assert [choice.id for choice in shown.choices] == ["t9", "t1", "m2", "m1"]
    assert any("you wait here" in line for line in text(shown))
    assert " your match against zoe is on: choose it to go on" in text(shown)
    assert text(lobby(matches={"m2": mine}, notice=" no"))[-2] == " no"


def test_what_others_wrote_cannot_move_the_cursor() -> None:
    evil = "\x1b[2J\u202eada\n"
    shown = lobby(tables={"t1": table(evil, evil)}, matches={"m1": table(evil, evil, evil)}, people={evil: m.Person()})
    assert all(line.isascii() and line.isprintable() for line in text(shown, columns=200))


def test_people_are_a_page_of_their_own() -> None:
    people = {**PEOPLE, "gnu": m.Person(kind="bot", rating=1900, level="expert")}
    shown = text(lobby(page="people", people=people, chosen=Choice("people", "ada")), rows=10)
    assert shown[2:6] == [" people online: 3", "   gnu (bot) 1900, expert", " > ada 1500", "   eve (you)"]
    assert shown[-1] == " Enter: challenge  m: mute  Tab: chat  c: open  /: find  s: say  q: leave"
    keys = text(lobby(page="people", chosen=Choice("people", "eve")))[-1]
    assert keys == " Tab: chat  c: open  p: private  /: find  s: say  h: history  q: leave", "not of oneself"


def test_who_is_muted_is_marked() -> None:
    shown = text(lobby(page="people", chosen=Choice("people", "ada"), muted={"ada"}))
    assert " > ada 1500, muted" in shown
    assert " m: hear again " in shown[-1]


def test_what_was_said_is_a_page_of_its_own_and_the_newest_is_at_the_end() -> None:
    lines = {str(n): m.Line(name="ada", text=f"line {n} " + "word " * 30, since=SINCE) for n in (9, 10, 11)}
    shown = text(lobby(page="chat", lines=lines), rows=12)
    assert shown[2].startswith("   word")
    assert any(line.startswith(" 14:02 ada: line 11 ") for line in shown)
    assert not any(" ada: line 9 " in line for line in shown)
    assert "   nothing yet: s says something" in text(lobby(page="chat", lines={}))
    assert "   this server has no talk in its lobby" in text(lobby(page="chat"))
    hello = {"9": m.Line(name="ada", text="hello\x1b[2J", since=SINCE)}
    assert text(lobby(lines=hello))[-2] == " 14:02 ada: hello?[2J"
    assert text(lobby(lines=hello, old=9))[-2] == " earlier, 14:02 ada: hello?[2J"


def test_what_was_said_while_one_was_away_is_marked() -> None:
    lines = {str(n): m.Line(name="ada", text=f"line {n}", since=SINCE) for n in (9, 10, 11)}
    assert text(lobby(page="chat", lines=lines, old=10))[2:7] == [
        " said in the lobby",
        " 14:02 ada: line 9",
        " 14:02 ada: line 10",
        " -- the above was said while you were away --",
        " 14:02 ada: line 11",
    ]
    assert not any("away" in line for line in text(lobby(page="chat", lines=lines)))


def test_a_challenge_is_told_before_all_other_news() -> None:
    challenged = m.Challenged(challenge="c1", by="ada", to="eve", rules={"length": 5}, seat=0, expires=60)
    shown = text(lobby(challenges=[challenged], lines={"9": m.Line(name="ada", text="hello")}))
    assert shown[-2] == " ada challenges you: match to 5 points"
    assert shown[-1].startswith(" a: accept  d: decline  ")
    assert text(lobby(challenges=[challenged] * 3))[-2].endswith(" (and 2 more)")


def test_only_what_is_looked_for_is_shown() -> None:
    shown = lobby(wanted="ADA")
    assert shown.choices == [Choice("matches", "m1")]
    assert ' open tables, with "ADA"' in text(shown)
    assert "   none like this: Esc shows all" in text(shown)
    assert lobby(wanted="5 points").choices == [Choice("tables", "t1")]
    assert lobby(wanted="gn", page="people").choices == [Choice("people", "gnu")]


def test_a_private_table_of_ones_own_shows_its_code() -> None:
    shown = text(lobby(tables={"t1": table("nook", "eve", private=True, code="k3x7abcd")}))
    assert "   nook           you wait: code k3x7abcd    match to 7 points" in shown


def test_rules_that_are_too_long_for_the_row_of_the_chosen_table_are_told_below() -> None:
    club = table("club", "ada", rules={"length": 5, "variant": "nackgammon", "hints": True, "rated": True})
    shown = text(lobby(tables={"t1": club, "t2": DEN}, chosen=Choice("tables", "t1")))
    assert " > club           ada                        match to 5 points, nackgammon, hin~" in shown
    assert shown[-3] == " match to 5 points, nackgammon, hints, rated"
    assert text(lobby(tables={"t1": club, "t2": DEN}, chosen=Choice("tables", "t2")))[-3] == ""


def test_a_narrow_screen_tells_of_the_keys_that_matter_most() -> None:
    assert text(lobby(chosen=Choice("tables", "t1")), columns=40)[-1] == " Enter: join  Tab: people  q: leave"
    assert text(lobby(), columns=14)[-1] == " q: leave"


def test_a_long_list_scrolls_with_the_chosen_row() -> None:
    tables = {f"t{n:03}": table(f"table{n:03}", "ada", since=n) for n in range(100)}
    for n in (0, 50, 99):
        shown = text(lobby(tables=tables, chosen=Choice("tables", f"t{n:03}")))
        assert sum(line.startswith(f" > table{n:03} ") for line in shown) == 1
        assert len(shown) == 24


def test_many_people_end_in_a_number() -> None:
    people = {f"player{n:03}": m.Person() for n in range(100)}
    shown = text(lobby(people=people, people_total=1000))
    end = next(line for line in shown if line.endswith("more"))
    assert int(end.split()[-2]) + " ".join(shown).count("player") == 1000
    assert len(end) <= 80


@given(st.integers(1, 200), st.integers(1, 60), st.booleans(), st.sampled_from(PAGES))
def test_it_fits_any_screen(columns: int, rows: int, ascii_only: bool, page: Page) -> None:
    long = table("n" * 30, "w" * 20, "b" * 20, kinds=("bot", "bot"), ratings=(1800, 1700))
    people = {f"player{n:03}": m.Person() for n in range(30)}
    lines = {str(n): m.Line(name="w" * 20, text="word " * 30) for n in range(30)}
    more = {"lines": lines, "page": page, "wanted": "w" if page == "tables" else ""}
    shown = lobby(matches={"m1": long}, people=people, chosen=Choice("matches", "m1"), notice="x" * 90, **more)
    drawn = draw(shown, columns, rows, ascii_only)
    assert len(drawn) <= rows
    assert all(sum(cell_len(part) for _, part in line) <= columns for line in drawn)


A, B, C = (Choice("tables", key) for key in "abc")
MOVES = [  # rows, chosen, its last place, by, then chosen
    ([A, B, C], A, 0, 1, B),
    ([A, B, C], A, 0, -1, A),
    ([A, B, C], B, 1, 10, C),
    ([A, C], B, 1, 1, C),
    ([A, C], B, 1, -1, A),
    ([A, C], None, 0, 1, A),
    ([], A, 0, 1, None),
]


@pytest.mark.parametrize(("choices", "chosen", "last", "by", "then"), MOVES)
def test_moving_goes_on_from_where_a_row_has_vanished(
    choices: list[Choice], chosen: Choice | None, last: int, by: int, then: Choice | None
) -> None:
    assert move(choices, chosen, last, by) == then
