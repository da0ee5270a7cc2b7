"""Reports: seen behind any flood, kept when they are closed, and closed by others than they are about."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.features.moderation import reports as reports_module
from tavla_server.features.moderation.reports import HOUSE, SHARE, Reports
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.store.client import Client, connection_to

from tests.support.players.accounts import registered
from tests.support.players.lobby import Watch
from tests.support.players.matches import new_match
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


async def listed(moderator: Player, **wanted: Any) -> dict[str, m.Complaint]:
    """The first page of reports that a moderator asks for."""
    answer = await moderator.get(m.Reported, m.Reports, **wanted)
    return answer.rows


def complaint(about: str, by: str = "", reason: str = "r") -> m.Complaint:
    return m.Complaint(by=by or unique("p"), about=about, reason=reason, time=1_789_000_000_000)


async def file(reports: Reports, one: m.Complaint, address: str) -> None:
    """A player's report arrives from an address. (Here the names are ids, too.)"""
    await reports.add(one, one.by, one.about, address)


async def names(reports: Reports, about: str = "", **wanted: Any) -> list[str]:
    """Authors of the reports about a player, on a page, the newest first."""
    page = await reports.page(lambda one: about in ("", one.about), **wanted)
    return [one.by for one in page.rows.values()]


@pytest.fixture
async def own_reports(own_valkey: Valkey) -> AsyncIterator[Reports]:
    """A store without any report."""
    async with connection_to(own_valkey.url) as redis:
        yield Reports(redis)


async def test_a_report_brings_what_was_said_and_a_second_one_takes_its_place_with_its_words(valkey: Valkey) -> None:
    async with (
        inside(valkey.url) as here,
        inside(valkey.url) as there,
        guests(here, 2) as (eve, ada),
        Player(there) as bob,
    ):
        await appointed(eve, valkey.url)
        match, lobby = await new_match(ada, bob), Watch(ada)
        await lobby.follow("chat")
        await bob.ask(m.Subscribe, what="chat")
        await bob.ask(m.Chat, text="bad lobby")
        await bob.ask(m.Say, match=match, to="players", text="bad \x1b[2Jdice")
        await ada.next(m.Said)
        await lobby.until(
            "chat", lambda rows: (bob.name, "bad lobby") in [(a["name"], a["text"]) for a in rows.values()]
        )
        for reason, at in (("he  shouts", match), ("again", "")):
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason=reason, match=at), m.Ok)
        (row,) = (await listed(eve, about=bob.name)).values()
        assert (row.by, row.earlier, row.reason, row.match) == (ada.name, ["he shouts"], "again", match)
        assert row.lines == [(bob.name, "bad dice"), (bob.name, "bad lobby")]
        seen = await eve.get(m.Inspected, m.Inspect, player=bob.name)
        assert (seen.reports, seen.online, [*seen.matches]) == (1, True, [match])


async def test_reports_of_the_same_moment_are_counted_together(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as here, connection_to(own_valkey.url) as there:
        nodes, each = (Reports(here), Reports(there)), 3 * SHARE
        filed = [file(node, complaint("bob"), "192.0.2.1") for node in nodes for _ in range(each)]
        filed += [file(node, complaint("bob", by="ada"), "192.0.2.2") for node in nodes]
        answers = await asyncio.gather(*filed, return_exceptions=True)
        assert sum(answer is None for answer in answers) == SHARE + len(nodes)
        assert all(isinstance(answer, Refused) for answer in answers if answer is not None)
        open_now = await names(nodes[0])
        assert (len(open_now), open_now.count("ada")) == (SHARE + 1, 1), (
            "the second one of ada took the first one's place"
        )


async def test_a_closed_report_is_kept_with_by_whom_about_whom_and_why(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as ada, Player(node) as bob:
        await appointed(eve, valkey.url)
        await ada.ask(m.Report, player=bob.name, reason="he shouts")
        (id_,) = await listed(eve, about=bob.name)
        assert refused(await eve.ask(m.Resolve, report=id_)) == ErrorCode.NOTHING_SAID
        assert isinstance(await eve.ask(m.Resolve, report=id_, reason="muted for a day"), m.Ok)
        assert refused(await eve.ask(m.Resolve, report=id_, reason="twice")) == ErrorCode.NO_SUCH_MATCH
        assert not await listed(eve, about=bob.name)
        (closed,) = (await listed(eve, by=ada.name, closed=True)).values()
        assert (closed.by, closed.about, closed.reason) == (ada.name, bob.name, "he shouts")
        assert (closed.closed_by, closed.closed_why, closed.closed >= closed.time) == (
            eve.name,
            "muted for a day",
            True,
        )
        await ada.ask(m.Report, player=bob.name, reason="he shouts on")
        assert len(await listed(eve, about=bob.name)) == 1, "a new one, beside the one that is closed"


async def test_a_moderator_sees_and_decides_nothing_about_himself(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as other, Player(node) as ada:
        for moderator in (eve, other):
            await appointed(moderator, valkey.url)
        await ada.ask(m.Report, player=eve.name, reason="she wins too often")
        assert not await listed(eve, about=eve.name)
        seen = await eve.get(m.Inspected, m.Inspect, player=eve.name)
        assert seen.reports == 0
        (id_,) = await listed(other, about=eve.name)
        assert refused(await eve.ask(m.Resolve, report=id_, reason="nonsense")) == ErrorCode.NOT_ALLOWED
        for what in ("mute", "ban"):
            assert refused(await eve.ask(m.Pardon, player=eve.name, what=what, reason="r")) == ErrorCode.NOT_ALLOWED
        assert [*await listed(other, about=eve.name)] == [id_]
        assert isinstance(await other.ask(m.Resolve, report=id_, reason="looked at"), m.Ok)


async def test_of_a_flood_from_one_network_a_share_waits_and_the_honest_report_is_seen(redis: Client) -> None:
    reports, bob = Reports(redis), unique("bob")
    await file(reports, complaint(bob, by="honest"), "192.0.2.1")
    turned = 0
    for number in range(120):
        try:
            await file(reports, complaint(bob, by=f"flood-{number}"), f"2001:db8:0:{number:x}::/64")
        except Refused as error:
            turned += error.code == ErrorCode.TOO_MANY
    assert turned == 120 - SHARE
    waiting = await names(reports, bob)
    assert len(waiting) == SHARE + 1
    assert waiting[-1] == "honest"
    await file(reports, complaint(bob, by="flood-0", reason="more"), "2001:db8:0:77::/64")
    assert (await names(reports, bob))[0] == "flood-0", "one that takes another's place needs no share"
    await file(reports, complaint(bob, by="next-door"), "2001:db8:0:100::/64")


async def test_when_too_many_wait_the_network_with_the_most_gives_way_and_nothing_is_lost(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        await gives_way(Reports(redis, Limits(open_reports=4)))


async def gives_way(own_reports: Reports) -> None:
    await file(own_reports, complaint("bob", by="honest"), "192.0.2.1")
    for number in range(5):
        await file(own_reports, complaint("bob", by=f"flood-{number}"), "192.0.2.2")
    assert await names(own_reports) == ["flood-4", "flood-3", "flood-2", "honest"]
    closed = (await own_reports.page(lambda _: True, closed=True)).rows.values()
    assert [(one.by, one.complaint.closed_by) for one in closed] == [("flood-1", HOUSE), ("flood-0", HOUSE)]


@pytest.mark.parametrize("looked_at", [5, 1000], ids=["few of the wanted", "all are wanted"])
async def test_pages_show_each_report_once(own_redis: Client, monkeypatch: pytest.MonkeyPatch, looked_at: int) -> None:
    own_reports = Reports(own_redis, Limits(report_page=4))
    for name, value in (("CHUNK", 3), ("LOOKED_AT", looked_at)):
        monkeypatch.setattr(reports_module, name, value)
    for number in range(14):
        await file(own_reports, complaint(f"p-{number % 2}", by=f"by-{number}"), "")
    seen, after = list[str](), None
    while True:
        page = await own_reports.page(lambda one: one.about == "p-0", after)
        assert len(page.rows) <= 4
        seen += [one.by for one in page.rows.values()]
        if (after := page.next) is None:
            break
    assert seen == [f"by-{number}" for number in range(12, -1, -2)]


async def test_one_player_reports_so_often_and_no_more(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob:
        for _ in range(DEFAULT_LIMITS.new_reports.times):
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason="r"), m.Ok)
        answer = await ada.ask(m.Report, player=bob.name, reason="r")
        assert refused(answer) == ErrorCode.TOO_MANY
        assert isinstance(answer, m.Error)
        assert 0 < answer.retry_after <= DEFAULT_LIMITS.new_reports.per_s


CHANGES = ["renamed", "registered", "merged", "gone", "the name is another's"]


@pytest.mark.parametrize("whom", ["by", "about"])
@pytest.mark.parametrize("what", CHANGES)
async def test_a_report_stays_with_its_players_whatever_they_are_called(
    own_valkey: Valkey, own_redis: Client, what: str, whom: str
) -> None:
    async with inside(own_valkey.url) as url, guests(url, 3) as (mod, eve, bob):
        for moderator in (mod, eve):
            await appointed(moderator, own_valkey.url)
        by, about = (bob, eve) if whom == "by" else (eve, bob)
        assert isinstance(await by.ask(m.Report, player=about.name, reason="r"), m.Ok)
        then, now = str(bob.name), await changed(bob, what, url, own_redis)
        (row,) = (await listed(mod)).values()
        assert getattr(row, whom) == now
        assert len(await listed(mod, **{whom: now})) == 1
        is_anothers = what == CHANGES[-1]
        assert len(await listed(mod, **{whom: then})) == (not is_anothers), (
            "by the name of then, unless it is another's"
        )
        if what == "gone":
            return
        for name, is_meant in ((now, True), (then, what in ("registered", "merged"))):
            if whom == "about" and (is_meant or is_anothers):
                assert (await mod.get(m.Inspected, m.Inspect, player=name)).reports == is_meant
            elif is_meant or is_anothers:
                answer = await eve.ask(m.Sanction, player=name, what="mute", reason="r")
                assert isinstance(answer, m.Error) == is_meant, "who has reported the moderator, and nobody else"


async def changed(player: Player, what: str, url: str, redis: Client) -> str:
    """Something happens to a guest's name; what it is called from then on."""
    name, accounts = str(player.name), Accounts(redis, Clock(), Passwords())
    if what in ("renamed", CHANGES[-1]):
        assert isinstance(await player.ask(m.Rename, name=unique("p")), m.Ok)
        if what == CHANGES[-1]:
            await Player(url, name).__aenter__()
    elif what == "registered":
        await registered(player)
    elif what == "gone":
        assert isinstance(await player.ask(m.Logout), m.Ok)
    elif what == "merged":
        async with Player(url) as into:
            await registered(into)
            now = await accounts.find(str(into.name))
        old = await accounts.find(name)
        assert old is not None
        assert now is not None
        await AccountMerges(redis, accounts, None).merge(old, now)
        return now.name
    now = await accounts.player(player.id)
    return name if now is None else now.name
