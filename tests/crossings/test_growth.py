"""What is kept, and until when: each key of the store and each table of the archive has an end, or says why not."""

import re
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_server.features.archive.schema import metadata
from tavla_server.features.moderation import reports
from tavla_server.features.moderation.reports import Reports
from tavla_server.store import keys
from tavla_server.store.client import Client, text

from tests.support.players.accounts import registered
from tests.support.players.matches import new_match
from tests.support.players.plain import Player

DOCS = Path(__file__).parents[2] / "docs"
LASTING = re.findall(r"^\| `([^`]+)` \| (?!channel)\w+ \|[^|]*\bnever\b", (DOCS / "keys.md").read_text(), re.MULTILINE)
KEPT = re.findall(
    r"^\| (`.*?|archive: .*?) \|", (DOCS / "limits.md").read_text().partition("## What is kept")[2], re.MULTILINE
)
NAMED = {name for row in KEPT for name in re.findall(r"`([^`]+)`", row)}


def test_whatever_does_not_expire_by_itself_is_said_to_have_an_end() -> None:
    assert set(LASTING) | set(metadata.tables) == NAMED


async def lasting(redis: Client, player: Player) -> set[str]:
    """The keys of a player that do not expire."""
    found = [text(key) async for key in redis.scan_iter(match=f"{{p:{player.id}}}:*")]
    return {key.rpartition(":")[2] for key in found if await redis.ttl(key) == -1}


async def test_all_that_a_guest_leaves_expires_with_the_guest_and_stays_with_an_account(
    node: str, redis: Client
) -> None:
    async with Player(node) as ada, Player(node) as bob:
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
        await ada.ask(m.Ignore, player=bob.name, on=False)
        match = await new_match(ada, bob)
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
        assert await lasting(redis, ada) == {"played"}, "until the match ends"
        assert isinstance(await bob.act(m.Forfeit, match), m.Ok)
        left = await redis.ttl(keys.PLAYER(ada.id))
        assert abs(await redis.ttl(keys.PLAYER_IGNORED(ada.id)) - left) <= 1
        await registered(ada)
        assert {"player", "tokens", "ignored"} <= await lasting(redis, ada)
    async with Player(node) as eve:
        await eve.ask(m.Ignore, player=ada.name)
        await eve.ask(m.Logout)
        assert not await redis.exists(keys.PLAYER_IGNORED(eve.id)), "who logs out is forgotten"


async def test_of_closed_reports_the_last_are_kept(own_redis: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "CLOSED_LIMIT", 100)
    kept = Reports(own_redis)
    complaint = m.Complaint(by="ada", about="bob", reason="rude", time=1)
    for _ in range(300):
        await kept.add(complaint, "ada", "bob", "")
        (report,) = (await kept.page(lambda _: True)).rows.values()
        assert await kept.close(report, "server", "no room", 1)
    assert await own_redis.xlen(keys.MODERATION_CLOSED()) <= 200
