"""Meaning of a line that a player types in a match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_cli.input.parsing import BadCommand, Command, Play, parse

LINES: list[tuple[str, Command | Play]] = [
    ("roll", Command("roll")),
    ("r", Command("roll")),
    ("  ROLL ", Command("roll")),
    ("ro", Command("roll")),
    ("d", Command("double")),
    ("dou", Command("double")),
    ("t", Command("take")),
    ("dr", Command("drop")),
    ("pass", Command("drop")),
    ("p", Command("drop")),
    ("beaver", Command("beaver")),
    ("rea", Command("ready")),
    ("ref", Command("refuse")),
    ("acc", Command("accept")),
    ("resign", Command("resign", "1")),
    ("resign single", Command("resign", "1")),
    ("resign gammon", Command("resign", "2")),
    ("resign g", Command("resign", "2")),
    ("resign a gammon", Command("resign", "2")),
    ("resi back", Command("resign", "3")),
    ("resign 3", Command("resign", "3")),
    ("forfeit", Command("forfeit")),
    ("auto roll on", Command("auto", "roll on")),
    ("auto roll", Command("auto", "roll on")),
    ("auto play off", Command("auto", "play off")),
    ("au p of", Command("auto", "play off")),
    ("hint", Command("hint")),
    ("h", Command("help")),
    ("?", Command("help")),
    ("say Well done, Ada!", Command("say", "Well done, Ada!")),
    ("  SAY  8/5 was  better ", Command("say", "8/5 was  better")),
    ("s hello", Command("say", "hello")),
    ("gg", Command("say", "gg")),
    ("mute Eve", Command("mute", "Eve")),
    ("unmute watchers", Command("unmute", "watchers")),
    ("board", Command("board")),
    ("bo", Command("board")),
    ("quit", Command("quit")),
    ("q", Command("quit")),
    ("exit", Command("quit")),
    ("8/5 6/5", Play(((8, 5), (6, 5)))),
    ("8-5, 6-5", Play(((8, 5), (6, 5)))),
    ("bar/22", Play(((25, 22),))),
    ("b/22", Play(((25, 22),))),
    ("BAR/22 13/7*", Play(((25, 22), (13, 7)))),
    ("13/7*", Play(((13, 7),))),
    ("24/18(2)", Play(((24, 18), (24, 18)))),
    ("13/7/5", Play(((13, 7), (7, 5)))),
    ("6/off 5/0", Play(((6, 0), (5, 0)))),
    ("m 8-5 6-5", Play(((8, 5), (6, 5)))),
    ("move 8/5 6/5", Play(((8, 5), (6, 5)))),
    ("M bar-20", Play(((25, 20),))),
    ("m8/5", Play(((8, 5),))),
    ("8 5 6 5", Play(((8, 5), (6, 5)))),
    ("8-5", Play(((8, 5),))),
    ("bar-20", Play(((25, 20),))),
    ("bar 20", Play(((25, 20),))),
    ("b 20 6 o", Play(((25, 20), (6, 0)))),
    ("6-o", Play(((6, 0),))),
    ("mute bob", Command("mute", "bob")),
    ("reject", Command("refuse")),
    ("undo", Command("undo")),
    ("tell bob well done, Bob", Command("tell", "bob well done, Bob")),
    ("oldmoves", Command("oldmoves")),
    ("who", Command("who")),
    ("here", Command("here")),
    ("set", Command("set")),
    ("set bell off", Command("set", "bell off")),
    ("set c on", Command("set", "confirm on")),
    ("confirm on", Command("set", "confirm on")),
    ("bell off", Command("set", "bell off")),
]


@pytest.mark.parametrize(("line", "meaning"), LINES, ids=[line for line, _ in LINES])
def test_a_line_has_one_meaning(line: str, meaning: Command | Play) -> None:
    assert parse(line) == meaning


NONSENSE = [  # line, what the sentence says
    ("rr", "no command 'rr'"),
    ("tkae", r"no command 'tkae' \(did you mean take\?\)"),
    ("re", "ready, refuse, report or resign"),
    ("b", "beaver or board"),
    ("m", "move what"),
    ("tell", "tell whom what"),
    ("confirm", "type set and a name, confirm, ask, bell, forced, first, and on or off"),
    ("confirm maybe", "and on or off"),
    ("set colour on", "type set and a name"),
    ("8 5 6", "names one point"),
    ("roll 6", "stands alone"),
    ("resign everything", "a single game, a gammon or a backgammon"),
    ("resign my gammon", "a single game, a gammon or a backgammon"),
    ("auto", "type auto roll on"),
    ("auto moves", "type auto roll on"),
    ("auto roll maybe", "type auto roll on"),
    ("say", "say what.*hello, gl"),
    ("mute ", "mute whom"),
    ("unmute", "unmute whom"),
    ("5/8", "from a higher point to a lower one"),
    ("8/5 6", "names one point"),
    ("8/x", "cannot read"),
    ("8/5 8/5 8/5 8/5 8/5", "no more than 4 moves"),
    ("bar", "no command 'bar'"),
    ("\x1b[2J", "no command"),
]


@pytest.mark.parametrize(("line", "sentence"), NONSENSE, ids=[repr(line) for line, _ in NONSENSE])
def test_nonsense_gets_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(BadCommand, match=sentence) as error:
        parse(line)
    assert "\n" not in str(error.value)
    assert str(error.value).isprintable()


@given(st.text(max_size=80))
def test_any_line_means_something_or_is_refused_in_one_sentence(line: str) -> None:
    try:
        parse(f"m {line}" if len(line) % 2 else f"{line}x")
    except BadCommand as error:
        sentence = str(error)
    else:
        sentence = ""
    assert "\n" not in sentence
