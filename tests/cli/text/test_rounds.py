"""Rounds of tournaments as text: pairs, crosstables, brackets; none wider than a terminal."""

import pytest
from tavla_cli.text.rounds import (
    WIDTH,
    brackets,
    crosstable,
    in_order,
    match_row,
    pair_text,
    round_lines,
    swiss_columns,
    swiss_rows,
)
from tavla_protocol import messages as m


def pairing(round_: int, players: str, winner: int | None = None, bracket: int = 0) -> m.Pairing:
    """A pairing of players with names of one letter; over, if it has a winner."""
    return m.Pairing(round=round_, players=tuple(players), winner=winner, over=winner is not None, bracket=bracket)


PAIRS = [
    (m.Pairing(round=1, players=("ada",), winner=0, over=True), "ada has a bye"),
    (m.Pairing(round=1, players=("ada", "bob")), "ada plays bob"),
    (m.Pairing(round=1, players=("ada", "bob"), winner=1, over=True), "bob beats ada"),
    (m.Pairing(round=1, players=("ada", "bob"), winner=0, over=True, absent=[1]), "ada wins, bob has not come"),
    (m.Pairing(round=1, players=("ada", "bob"), over=True), "ada and bob: nobody has won"),
    (m.Pairing(round=1, players=("a\x1b[2J", "bob")), "a?[2J plays bob"),
]


@pytest.mark.parametrize(("row", "text"), PAIRS)
def test_a_pair_says_what_has_become_of_it(row: m.Pairing, text: str) -> None:
    assert pair_text(row) == text


def test_a_match_has_a_row_with_its_id() -> None:
    rows = [
        match_row(m.Pairing(round=1, match=str(place), players=row.players, winner=row.winner, over=row.over))
        for place, (row, _) in enumerate(PAIRS)
        if len(row.players) == 2
    ]
    assert rows[:4] == [
        ("1", "ada", "bob", ""),
        ("2", "ada", "bob", "bob"),
        ("3", "ada", "bob", "ada"),
        ("4", "ada", "bob", "nobody"),
    ]


def test_pairings_come_in_the_order_in_which_they_were_made() -> None:
    rows = {str(number): pairing(1 + number // 6, "ab", 0) for number in (10, 9, 11)}
    assert [row.round for row in in_order(rows)] == [2, 2, 2]
    assert len(round_lines(in_order(rows | {"2": pairing(1, "cd", 0)}))) == 3, "of the last round"


def test_a_crosstable_says_who_has_won_against_whom() -> None:
    ranked = [("a", m.Standing(points=1)), ("b", m.Standing()), ("c", m.Standing())]
    pairings = [pairing(1, "ab", 0), pairing(1, "c", 0), pairing(2, "ca")]
    assert crosstable(ranked, pairings) == [
        "          1  2  3",
        " 1 a   1  x  +  ?",
        " 2 b   0  -  x  .",
        " 3 c   0  ?  .  x",
    ]


def test_a_swiss_says_of_each_round_against_which_place_it_was() -> None:
    ranked = [(name, m.Standing(points=2, tiebreaks=(3, 1))) for name in "abc"]
    pairings = [pairing(1, "ab", 0), pairing(1, "c", 0), pairing(2, "ca"), pairing(2, "b", 0)]
    assert swiss_columns(pairings) == ("", "player", "points", "buchholz", "s-b", "1", "2")
    assert swiss_rows(ranked, pairings) == [
        ("1", "a", "2", "3", "1", "2+", "3?"),
        ("2", "b", "2", "3", "1", "1-", "bye"),
        ("3", "c", "2", "3", "1", "bye", "1?"),
    ]
    assert len(swiss_columns([pairing(12, "ab")])) == 5 + 8, "the last eight"


DRAWN = """
                    a ----------------+
                                      |
                                      + ------------------+
b ----------------+                   |                   |
                  + c ----------------+                   |
c ----------------+                                       |
                                                          +
d ----------------+                                       |
                  + d ----------------+                   |
e ----------------+                   |                   |
                                      + ------------------+
f ----------------+                   |
                  + ------------------+
g ----------------+
"""


def test_a_bracket_shows_whom_the_winners_have_beaten() -> None:
    first = [pairing(1, "a", 0), pairing(1, "bc", 1), pairing(1, "de", 0), pairing(1, "fg")]
    assert brackets(first, ascii_only=True) == [("main bracket", DRAWN.strip("\n").split("\n"))]
    consolation = pairing(2, "be", 1, bracket=1)
    assert [name for name, _ in brackets([*first, consolation])] == ["main bracket", "consolation"]


@pytest.mark.parametrize("players", [2, 8, 32, 128])
def test_nothing_is_wider_than_a_terminal(players: int) -> None:
    names = [f"{number:x<20}" for number in range(players)]
    rounds, pairings, number = names, list[m.Pairing](), 1
    while len(rounds) > 1:
        pairs = [rounds[at : at + 2] for at in range(0, len(rounds), 2)]
        pairings += [m.Pairing(round=number, players=tuple(pair), winner=0, over=True) for pair in pairs]
        rounds, number = [pair[0] for pair in pairs], number + 1
    drawn = [line for _, lines in brackets(pairings) for line in lines]
    assert max(map(len, drawn)) <= WIDTH
    some = [(name, m.Standing(points=31)) for name in names[:32]]
    assert max(map(len, crosstable(some, []))) <= WIDTH
