"""Permissions of each role: every request of the protocol that moderators have, times every role."""

from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tests.support.players.accounts import registered
from tests.support.players.moderators import appointed, dismissed
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.valkey import Valkey

OF_MODERATORS: list[tuple[type[m.RequestBase], dict[str, Any], str]] = [  # request, fields, the answer
    (m.Reports, {}, "reported"),
    (m.Resolve, {"report": "1-0", "reason": "r"}, ErrorCode.NO_SUCH_MATCH),
    (m.Resolve, {"report": "1-0"}, ErrorCode.NOTHING_SAID),
    (m.Inspect, {"player": "NOBODY"}, ErrorCode.NO_SUCH_PLAYER),
    (m.Inspect, {"player": "BOB"}, "inspected"),
    (m.FairPlay, {"name": "OTHER"}, ErrorCode.NO_ARCHIVE),
    (m.FairPlay, {"name": "NOBODY"}, ErrorCode.NO_SUCH_PLAYER),
    (m.Sanction, {"player": "NOBODY", "what": "kick", "reason": "r"}, ErrorCode.NO_SUCH_PLAYER),
    (m.Sanction, {"player": "BOB", "what": "mute", "reason": "\x1b[2J"}, ErrorCode.NOTHING_SAID),
    (m.Sanction, {"player": "OTHER", "what": "kick", "reason": "r"}, ErrorCode.NOT_ALLOWED),
    (m.Sanction, {"player": "OTHER", "what": "mute", "reason": "r"}, ErrorCode.NOT_ALLOWED),
    (m.Sanction, {"player": "OTHER", "what": "ban", "reason": "r"}, ErrorCode.NOT_ALLOWED),
    (m.Sanction, {"player": "BOB", "what": "mute", "reason": "r"}, "ok"),
    (m.Pardon, {"player": "BOB", "what": "mute", "reason": "r"}, "ok"),
    (m.Pardon, {"player": "BOB", "what": "ban", "reason": "r"}, ErrorCode.NO_SUCH_PLAYER),
    (m.Adjudicate, {"match": "nosuch", "verdict": "void", "reason": "r"}, ErrorCode.NO_SUCH_MATCH),
]


async def answer(player: Player, request: type[m.RequestBase], fields: dict[str, Any], names: dict[str, str]) -> str:
    """The code of an error, or the type of what came instead."""
    fields = {field: names.get(value, value) for field, value in fields.items()}
    got = await player.ask(request, **fields)
    return refused(got) if isinstance(got, m.Error) else type(got).__name__.lower()


async def test_what_moderators_may_ask_is_refused_to_everybody_else(node: str, valkey: Valkey) -> None:
    async with Player(node) as guest, Player(node) as account, Player(node) as eve, Player(node) as other:
        await registered(account)
        for moderator in (eve, other):
            await appointed(moderator, valkey.url)
        names = {"BOB": guest.name or "", "OTHER": other.name or "", "NOBODY": unique("x")}
        for request, fields, wanted in OF_MODERATORS:
            for player in (guest, account):
                assert await answer(player, request, fields, names) == ErrorCode.NOT_ALLOWED, (request, fields)
            assert await answer(eve, request, fields, names) == wanted, (request, fields)


async def test_who_looks_on_may_ask_none_of_it(node: str) -> None:
    async with Player(node, hello={"watch": True}) as nobody:
        for request, fields, _ in OF_MODERATORS:
            assert refused(await nobody.ask(request, **fields)) == ErrorCode.HELLO_FIRST
        assert refused(await nobody.ask(m.Report, player="ada", reason="r")) == ErrorCode.HELLO_FIRST


async def test_a_role_is_told_and_ends_at_once(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve:
        await appointed(eve, valkey.url)
        async with Player(node, token=eve.token) as again:
            assert role_told(again) == "moderator"
            await dismissed(eve, valkey.url)
            for request, fields, _ in OF_MODERATORS:
                for window in (eve, again):
                    assert refused(await window.ask(request, **fields)) == ErrorCode.NOT_ALLOWED, (request, fields)
        async with Player(node, token=eve.token) as again:
            assert role_told(again) == ""


def role_told(player: Player) -> str:
    """The role that a player was told of by the welcome."""
    welcome = player.log[0]
    assert isinstance(welcome, m.Welcome)
    return welcome.role


@pytest.mark.parametrize(
    ("player", "reason", "code"),
    [
        ("NOBODY", "r", ErrorCode.NO_SUCH_PLAYER),
        ("ADA", "r", ErrorCode.NO_SUCH_PLAYER),
        ("BOB", "\u200b", "nothing_said"),
    ],
)
async def test_a_report_that_makes_no_sense(node: str, player: str, reason: str, code: str) -> None:
    async with Player(node) as ada, Player(node) as bob:
        names = {"ADA": ada.name or "", "BOB": bob.name or "", "NOBODY": unique("x")}
        assert await answer(ada, m.Report, {"player": player, "reason": reason}, names) == code
