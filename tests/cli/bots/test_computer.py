"""The computer as an opponent: which program is asked, and who is asked next."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from tavla_cli.bots.computer import _why_none, casual, play_computer, suitable
from tavla_client import Callbacks, Client, ClientError, Refused
from tavla_protocol import messages as m

from tests.support.players.plain import unique, within
from tests.support.servers.processes import ServerProcess


def bot(level: str = "", places: int = 1, **rules: Any) -> m.Person:
    """A program that plays those who ask."""
    return m.Person(kind="bot", places=places, level=level, rules=rules)


PEOPLE = {
    "ada": m.Person(kind="account"),
    "full": bot("expert", places=0),
    "expert": bot("expert", 3),
    "middle": bot("beginner"),
    "short": bot("casual", 2, length=[1, 3], cube=[False]),
}
REFUSED: list[tuple[Mapping[str, Any], str | None, str]] = [  # rules, level, what is said
    ({"variant": "hypergammon"}, None, "expert (expert), which plays variant standard or nackgammon alone"),
    ({"length": 9}, "casual", "short (casual), which plays length 1 or 3 alone, cube false alone"),
    ({}, "gnubg", "no computer plays at level gnubg by these rules now; here are expert (expert), short"),
]


@pytest.mark.parametrize(("rules", "level", "sentence"), REFUSED)
def test_what_is_refused_is_named(rules: Mapping[str, Any], level: str | None, sentence: str) -> None:
    people = {"expert": bot("expert", variant=["standard", "nackgammon"]), "short": PEOPLE["short"]}
    assert suitable(people, rules, level) == []
    assert sentence in _why_none(people, rules, level)


SUITABLE: list[tuple[Mapping[str, Any], str | None, list[str]]] = [  # rules, level, who can be asked, in order
    ({}, None, ["middle", "expert"]),
    ({}, "expert", ["expert"]),
    ({}, "middle", ["middle"]),  # by its name
    ({}, "casual", []),
    ({"length": 3, "cube": False}, None, ["middle", "expert", "short"]),
    ({"preset": "money"}, None, ["middle", "expert"]),
    ({"length": 1, "cube": False}, "casual", ["short"]),
    ({"length": -1}, None, ["middle", "expert"]),  # what cannot be played, the server will tell
]


@pytest.mark.parametrize(("rules", "level", "names"), SUITABLE)
def test_those_are_asked_who_play_by_the_rules_and_have_room(
    rules: Mapping[str, Any], level: str | None, names: list[str]
) -> None:
    assert suitable(PEOPLE, rules, level) == names


def test_a_match_that_may_be_left_is_not_rated_and_has_no_clock() -> None:
    rules = {"length": 5, "rated": True, "clock": "fast"}
    assert casual(rules) == {"length": 5, "rated": False, "clock": "none"}


@pytest.mark.slow  # starts a server
async def test_one_who_declines_is_passed_over(own_server: ServerProcess) -> None:
    async with (
        Client(own_server.url, name="ada") as ada,
        Client(own_server.url, name="bot-first", bot=True) as first,
        Client(own_server.url, name="bot-second", bot=True) as second,
    ):
        asked: list[str] = []

        def decline(challenged: m.Challenged) -> None:
            asked.append("first")
            tasks.append(asyncio.create_task(first.challenges.decline(challenged.challenge)))

        def accept(challenged: m.Challenged) -> None:
            asked.append("second")
            tasks.append(asyncio.create_task(second.challenges.accept(challenged.challenge)))

        tasks: list[asyncio.Task[Any]] = []
        first.callbacks, second.callbacks = Callbacks(challenge=decline), Callbacks(challenge=accept)
        await first.lobby.available(2, "club")
        await second.lobby.available(1, "expert")
        async with ada.lobby.lists("people") as lists:
            while sum(person.places > 0 for person in lists.rows["people"].values()) < 2:
                await within(lists.wait_for_change())
        match = await within(play_computer(ada, {"length": 1}))
        assert asked == ["first", "second"]
        assert "bot-second" in match.view.players
        await asyncio.gather(*tasks)
        with pytest.raises(ClientError, match=r"no computer plays at level beginner.*; here are bot-first \(club"):
            await within(play_computer(ada, {"length": 1}, "beginner"))
        with pytest.raises(Refused, match="a match has 1 to 64 points"):
            await within(play_computer(ada, {"length": -1}))


@pytest.mark.slow  # starts a server
async def test_where_there_is_none_it_is_said_what_to_do(own_server: ServerProcess) -> None:
    async with Client(own_server.url, name=unique("ada")) as ada:
        with pytest.raises(ClientError, match="no computer is here now: open a table for people, or start one"):
            await within(play_computer(ada, {}))
