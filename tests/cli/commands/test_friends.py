"""`tavla friends`: who is followed, from the command line."""

import pytest

from tests.support.players.plain import unique
from tests.support.players.programs import Ended, Machine

pytestmark = pytest.mark.slow  # each starts programs

SECRET = "correct horse"


def test_a_friend_is_added_listed_and_removed(here: Machine, there: Machine) -> None:
    ada, bob = unique("ada"), unique("bob")
    for machine, name in ((here, ada), (there, bob)):
        assert machine.run("register", name, typed=f"{SECRET}\n").code == 0
    assert here.run("friends") == Ended(0, "you follow nobody: tavla friends add NAME\n", "")
    assert here.run("friends", "add", bob) == Ended(0, f"you follow {bob}\n", "")
    assert [line.split() for line in here.run("friends").text.splitlines()[1:]] == [[bob, "1500"]]
    for command in (("report", f"{bob}x", "slow"), ("profile", f"{bob}x"), ("friends", "add", f"{bob}x")):
        assert here.run(*command).errors.endswith(f"(did you mean {bob}?)\n"), f"{command}: a friend who is not here"
    assert there.run("friends", "refuse") == Ended(0, "nobody can follow you now\n", "")
    assert there.run("friends").text.endswith("nobody can follow you: tavla friends allow\n")
    assert "does not want to be followed" in here.run("friends").text
    assert here.run("friends", "remove", bob).text == f"you follow {bob} no longer\n"
    assert here.run("friends", "add", bob) == Ended(1, "", f"Error: {bob} does not want to be followed\n")
    assert here.run("friends", "add").code == 2
