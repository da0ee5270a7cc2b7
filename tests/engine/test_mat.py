"""`.mat` records: other programs' spellings, rules that follow from the play, and garbage."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.match import Cube, Phase, new_match
from tavla_engine.rules import MAX_AUTOMATIC_DOUBLES, Opening, Variant, preset
from tavla_engine.transcript import MatRecord

from tests.support.games.chance import NAMES, RULES, match_by_chance
from tests.support.games.engine import act, after, replayed
from tests.support.games.gnubg_matches import MAT_FILES, shown
from tests.support.tries import tries

SEVEN = preset("tournament")


# --- Parts of a match and names -----------------------------------------------------------------------------------


def test_names_and_remarks_are_made_fit() -> None:
    names = ("  A  very long name: " + "x" * 60, "")
    text = export_mat(names, new_match(SEVEN), match_by_chance(SEVEN, 1)[1], {"Site": "a\nb"})
    assert text.startswith('; [Site "a b"]\n\n 7 point match\n\n Game 1\n A very long name- xxx')
    assert import_mat(text).names == ("A very long name- " + "x" * 60, "?")
    assert import_mat(text).tags == {"Site": "a b"}


@pytest.mark.parametrize("names", [("#1", ";"), ("Game 2", "7up"), ("a  b", "1) 66:"), ("Wins", "é" * 40)])
def test_players_may_have_odd_names(names: tuple[str, str]) -> None:
    events = match_by_chance(SEVEN, seed=1)[1]
    record = import_mat(export_mat(names, new_match(SEVEN), events))
    assert record.names == ("a b", "1) 66-") if names[0] == "a  b" else names
    assert shown(record.events) == shown(events)


# --- Other spellings ----------------------------------------------------------------------------------------------

PLAIN = """
 3 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             64: 24/18 18/14
  2) 55: 8/3 8/3 6/1* 6/1*       61:
  3)  Doubles => 2                Drops
      Wins 1 point

 Game 2
 Ann : 1                        Bob : 0
  1) 31: 8/5 6/5                  Doubles => 2
  2)  Takes                      52: 13/8 13/11
  3) 42: 8/4 6/4                 66: 24/18 24/18 13/7 13/7
                                  Wins 2 points
"""

SPELLINGS = [
    ('; [Site "Somewhere"]\n# remark\n' + PLAIN, "remarks at the head"),
    ("\ufeff" + PLAIN, "a byte order mark"),
    (PLAIN.replace("\n", "\r\n"), "line ends of Windows"),
    (PLAIN.replace("24/18 18/14", "24/14"), "one move for one checker"),
    (PLAIN.replace("8/3 8/3 6/1* 6/1*", "8/3(2) 6/1*(2)"), "repeated moves"),
    (PLAIN.replace("61:", "61: Cannot Move"), "a word for no play"),
    (PLAIN.replace("Doubles", "doubles").replace("Drops", "drops").replace("Takes", "takes"), "small letters"),
    (PLAIN.replace("Drops\n      Wins", "Drops  Wins"), "the win on the last line"),
    (PLAIN.replace("Wins 2 points", "Wins 2 points and the match"), "more about the win"),
    (PLAIN.replace(" => 2", ""), "no number at the cube"),
    (PLAIN.replace("Ann : 1                        Bob", "Ann : 1 Bob"), "narrow columns"),
    (PLAIN.replace("Ann : 0                        Bob", "Ann : 0Bob"), "a score that touches the next name"),
    (PLAIN.replace("    61:", "\t61:"), "a tab"),
    (PLAIN.replace("3 point match", "3 Point Match"), "capitals"),
    ("A friendly match\n" + PLAIN, "a title"),
    (PLAIN.replace("Ann :", "Ann,1523.44 :").replace("Bob :", "Bob, 1600 :"), "ratings behind the names"),
    (PLAIN.replace("  2) 55:", "  2)55:"), "no blank behind the row's number"),
    ("; " + "x" * 600 + "\n" + PLAIN, "a long remark"),
    (PLAIN.replace("  2) 55", "; [Game 1, Move 2: Dice set to Manual Rolls]\n  2) 55"), "a remark among the moves"),
    (PLAIN.replace("  Wins 2", "  Resigns\n" + " " * 34 + "Wins 2"), "a word for the resignation"),
]


@pytest.mark.parametrize(("text", "why"), SPELLINGS)
def test_other_spellings_tell_the_same(text: str, why: str) -> None:
    record, plain = import_mat(text), import_mat(PLAIN)
    assert record._replace(tags={}) == plain, why
    assert plain.match.score == (1, 2)


def test_bar_and_off_may_be_numbers_or_words() -> None:
    text = MAT_FILES[1].read_text()
    words = text.replace(" 25/", " bar/").replace("/0 ", "/off ").replace("/0\n", "/off\n")
    assert words != text
    assert import_mat(words) == import_mat(text)


def test_a_roll_that_was_not_played_and_a_win_are_a_resignation() -> None:
    for mark in ("", "???", "????"):
        record = import_mat(
            PLAIN.replace("66: 24/18 24/18 13/7 13/7", f"66: {mark}").replace(" " * 34 + "Wins 2", "      Wins 4")
        )
        assert record.match.score == (5, 0)
        assert record.events[-3:-1] == [e.ResignationOffered(1, 2), e.GameEnded(0, 4, 2, Ending.RESIGNATION)]


MONEY = """ 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                  Doubles => 2
  2)  Beavers => 4                Beavers => 8
  3)                             52: 13/8 13/11
"""


def test_a_taken_beaver_is_not_written() -> None:
    record = import_mat(MONEY)
    assert [type(event) for event in record.events[-6:]] == [
        e.Doubled,
        e.Beavered,
        e.Beavered,
        e.Taken,
        e.Rolled,
        e.Moved,
    ]
    assert record.start.rules.beavers == 2
    assert record.match.cube.value == 8
    assert "Raccoons" not in export_mat(record.names, record.start, record.events)
    raccoon = MONEY.replace("Beavers => 8", "Raccoons => 8")
    taken = raccoon.replace("  3)      ", "  3)  Takes")
    assert import_mat(raccoon) == import_mat(taken) == record


def test_rules_follow_from_the_play_where_no_remark_tells_them() -> None:
    gammon = " 0 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n      Wins {} points\n"
    assert import_mat(gammon.format(1)).start.rules.jacoby
    assert not import_mat(gammon.format(2)).start.rules.jacoby
    assert (
        import_mat(gammon.format(1).replace("31: 8/5 6/5", "11: 8/7(2) 6/5(2)")).start.rules.opening is Opening.SEAT_0
    )
    nack = PLAIN.replace("24/18 18/14", "24/14").replace("24/18 24/18 13/7 13/7", "23/17(2) 13/7(2)")
    record = import_mat('; [Variation "NackGammon"]\n; [Jacoby "On"]\n; [CubeLimit "1024"]\n' + nack)
    assert record.start.rules == preset("tournament", {"length": 3, "variant": Variant.NACKGAMMON})


def test_a_double_in_the_crawford_game_says_that_there_is_none() -> None:
    text = PLAIN.replace("3 point match", "2 point match")
    assert not import_mat(text).start.rules.crawford
    with pytest.raises(BadText, match="game 2: this is the Crawford game"):
        import_mat('; [Crawford "On"]\n; [Variation "Backgammon"]\n' + text)


def test_a_game_of_another_start_is_found_without_a_word() -> None:
    """As GNU Backgammon asks for: `Try a different variation?`"""
    text = " 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 6/5 23/20\n"
    assert import_mat(text).start.rules.variant is Variant.NACKGAMMON
    with pytest.raises(BadText, match="line 6, game 1"):
        import_mat('; [Variation "Backgammon"]\n' + text)


def test_a_play_that_is_left_out_is_the_only_one_there_is() -> None:
    letters = "-A" + "-" * 11 + "A" + "-" * 10 + "b-"
    head = " 3 point match\n\n Game 1\n A : 0    B : 0\n"
    text = f"{head}; Set Pos={letters}/0\n  1) 62:           31:\n      Wins 1 point\n"
    record = import_mat(text)
    assert [event for event in record.events if isinstance(event, e.Moved)] == [e.Moved(0, ((13, 7), (7, 5)))]
    with pytest.raises(BadText, match="6-2 can be played here, but the file has no play"):
        import_mat(text.replace("A----", "A---A", 1))


def test_a_record_that_begins_after_the_crawford_game_may_double() -> None:
    text = " 3 point match\n\n Game 3\n A : 2    B : 1\n  1) 31: 8/5 6/5         Doubles => 2\n"
    assert import_mat(text).match.phase is Phase.CUBE
    assert import_mat(text.replace("Doubles => 2", "")).match.crawford


# --- Garbage ------------------------------------------------------------------------------------------------------

BAD = [  # text, what the answer says
    ("", "the record is empty"),
    ("hello", "line 1: expected the match length"),
    (" 3 point match", "has no game"),
    (" 3 point match\n what", "line 2: expected Game 1, found 'what'"),
    (" 3 point match\n Game 1", "expected names and scores"),
    (" 65 point match\n Game 1\n A : 0 B : 0\n", "1 to 64 points"),
    (" 99999999999 point match\n", "expected the match length"),
    ('; [Variation "Chess"]\n' + PLAIN, "a match of Chess, which is not played here"),
    ('; [CubeLimit "3"]\n' + PLAIN, "a power of two"),
    (PLAIN.replace("18/14", "18/13"), "line 6, game 1: "),
    (PLAIN.replace("18/14", "18/x"), "line 6, game 1: cannot read '18/x'"),
    (PLAIN.replace("61:", "61: 25/24"), "line 7, game 1: no checker can move with (6, 1)"),
    (PLAIN.replace("66: 24/18 24/18 13/7 13/7", "66:") + " 4) 21: 8/5", "game 2"),
    (PLAIN.replace("=> 2", "=> 4"), "line 8, game 1: the cube is offered at 2, not at 4"),
    (PLAIN.replace("Wins 1 point", "Wins 2 points"), "line 9, game 1: the record has a win of 2 points"),
    (PLAIN.replace("Ann : 1", "Ann : 2"), "line 12, game 2: the score is 1 : 0, not 2 : 0"),
    (PLAIN.replace("      Wins 1 point\n", "").replace("Drops", "Takes"), "nobody can win 1 points"),
    (PLAIN.replace("Takes      ", "Takes Drops"), "line 14, game 2: not now"),
    (PLAIN.replace("Doubles => 2                Drops", "Drops"), "line 8, game 1: "),
    (PLAIN.replace("Drops", "Ponders"), "line 8: cannot read"),
    (PLAIN.replace("  2)  Takes", "  2)  Thinks Takes"), "line 14: cannot read 'Thinks'"),
    (PLAIN.replace("52: 13/8 13/11", "52: illegal play"), "line 14: the file has an illegal play here, and no board"),
    (
        PLAIN.replace("Takes                      52: 13/8 13/11", "Takes\n  3) 52: 13/8 13/11"),
        "the other player who rolls",
    ),
    (PLAIN.replace("Wins 2 points", "Wins 1 points"), "nobody can win 1 points with the cube at 2"),
    (PLAIN.replace("Wins 2 points", "Wins"), "nobody can win 0 points"),
    ("x" * 600_000, "no more than 500000 characters"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_a_bad_record_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        import_mat(text)
    assert reason in str(caught.value)


@cache
def originals() -> list[str]:
    games = [text.split("\n Game 2")[0] for text in (MAT_FILES[2].read_text(), MAT_FILES[5].read_text())]
    chance = [export_mat(NAMES, new_match(rules), match_by_chance(rules, 3, games=1)[1]) for rules in RULES[4:]]
    return [PLAIN, MONEY, *games, *(text[:3000] for text in chance)]


WORDS = ["  Doubles => 2 ", " Takes", " Drops", " Beavers => 4", " 66: ", " 21: 8/5", "A : 1", "Wins 9 points"]
SIGNS = [" ", "\n", ":", "0", "1", "6", "25/", "/0", "*", "(2)", "=> 4", "; [", "\x00", "é", ")", " Game 2\n"]
PIECES = st.sampled_from(WORDS + SIGNS)


@settings(max_examples=tries(300))
@given(st.data())
def test_a_damaged_record_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(originals()))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 40, len(text))))
        text = text[:start] + data.draw(PIECES | st.just("") | st.text(max_size=5)) + text[end:]
    read_or_refused(text)


@given(st.text() | st.text().map(lambda text: " 3 point match\n Game 1\n A : 0 B : 0\n" + text))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refused(text)


def read_or_refused(text: str) -> None:
    try:
        record = import_mat(text)
    except BadText:
        return
    assert isinstance(record, MatRecord)
    assert replayed(record.start, record.events) == record.match
    again = import_mat(export_mat(record.names, record.start, record.events, record.tags))
    assert again.match.score == record.match.score
    assert again.match.board == record.match.board


@pytest.mark.parametrize(
    "piece", [" ", "\n", "A : 0 ", "1) ", "66: ", "Wins ", "24/18", "; [", "31: 8/5 6/5 ", "Game 1\n"]
)
def test_a_long_record_of_nonsense_is_refused_at_once(piece: str) -> None:
    for head in ("", " 3 point match\n", " 3 point match\n Game 1\n", " 3 point match\n Game 1\n A : 0 B : 0\n"):
        read_or_refused(head + piece * (400_000 // len(piece)))


def test_the_most_opening_ties_turn_the_cube_as_often() -> None:
    rules = preset("money", {"automatic_doubles": MAX_AUTOMATIC_DOUBLES})
    ties = [(1, 1)] * MAX_AUTOMATIC_DOUBLES
    events, match = act(after(new_match(rules), a.Ready(0)), a.Ready(1), *ties, (3, 1))
    record = import_mat(export_mat(NAMES, new_match(rules), [e.Readied(0), *events]))
    assert record.match.cube == match.cube == Cube(2**MAX_AUTOMATIC_DOUBLES)


def test_a_remark_ends_at_its_own_quotation_mark() -> None:
    text = export_mat(NAMES, new_match(SEVEN), match_by_chance(SEVEN, 1)[1], {"Event": 'Cup"] [Site "x'})
    assert import_mat(text).tags["Event"] == "Cup'] [Site 'x"
