"""`tavla tournament`, from the command line."""

import pytest

from tests.support.players.plain import unique
from tests.support.players.programs import Ended, Machine

pytestmark = pytest.mark.slow  # each starts programs

SECRET = "correct horse"


def test_an_arena_is_made_listed_directed_and_ended(here: Machine, there: Machine) -> None:
    ada, name = unique("ada"), unique("a")
    assert here.run("register", ada, typed=f"{SECRET}\n").code == 0
    made = here.run("tournament", "create", name, "--length", "3", "--clock", "fast")
    assert made.code == 0, made.errors
    id_ = made.text.splitlines()[1].split()[3]
    listed = there.run("tournament", "list")
    assert id_ in listed.text, (made.text, listed)
    line = next(row for row in listed.text.splitlines() if id_ in row)
    assert name in line
    assert "60 min left" in line
    assert there.run("tournament", "standings", name).text.split() == ["player", "points", "won", "performance", "now"]
    assert there.run("tournament", "standings", "nothing").errors == (
        "Error: there is no tournament nothing: tavla tournament list\n"
    )
    assert here.run("tournament", "leave", name).text == "you have left it; your points stay\n"
    assert here.run("tournament", "direct", name, "remove", "--reason", "x").code == 2
    assert here.run("tournament", "direct", name, "end", "--reason", "enough") == Ended(0, "done\n", "")
    played = there.run("tournament", "join", name)
    assert "no more matches are made" in played.text
