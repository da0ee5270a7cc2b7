"""Kicks, mutes and bans: on all nodes at once, after a restart, and what everybody concerned is told."""

import asyncio
import contextlib
import operator
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import MODERATION, Feed
from tavla_server.errors import Refused
from tavla_server.features.sanctions.audit import KEPT_MS, Audit
from tavla_server.features.sanctions.ledger import ORDER, Ledger
from tavla_server.features.sanctions.orders import Kick
from tavla_server.features.sanctions.penalties import ADDRESS, FOR_GOOD, Penalty, sentence_of, until_text
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.topology import find_topology
from websockets.exceptions import ConnectionClosed

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import SECRET, registered, said_hello
from tests.support.players.matches import new_match
from tests.support.players.moderators import appointed, ledger_on
from tests.support.players.plain import Player, close_code, guests, refused, unique
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

CONTACT = "write to play@club.example"


@contextlib.asynccontextmanager
async def two_nodes(valkey: Valkey, behind_proxy: bool = False) -> AsyncIterator[tuple[str, str]]:
    async with (
        inside(valkey.url, behind_proxy=behind_proxy, contact=CONTACT) as here,
        inside(valkey.url, behind_proxy=behind_proxy, contact=CONTACT) as there,
    ):
        yield here, there


async def until_hello(
    url: str, wanted: type[m.Welcome | m.Error], headers: dict[str, str] | None = None, **hello: Any
) -> m.Welcome | m.Error:
    """The answer to a hello, once it is of this kind: other nodes hear of a sanction a moment later.

    A connection that comes while they do so is closed, as those that were there.
    """
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(ConnectionClosed):
                if isinstance(answer := await said_hello(url, headers, **hello), wanted):
                    return answer


def from_(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


async def sanctioned(moderator: Player, player: Player, what: str, **fields: object) -> None:
    answer = await moderator.ask(m.Sanction, player=player.name, what=what, reason="insults \x1b[31meveryone", **fields)
    assert isinstance(answer, m.Ok), answer


async def test_who_is_banned_goes_from_every_node_and_does_not_come_back(valkey: Valkey, redis: Client) -> None:
    async with two_nodes(valkey) as (here, there), Player(here) as eve, Player(here) as ada, Player(there) as bob:
        await appointed(eve, valkey.url)
        await registered(bob)
        match = await new_match(ada, bob)
        await sanctioned(eve, bob, "ban", minutes=90)
        closing = await bob.next(m.Closing)
        assert closing.text.startswith("you are banned until 20")
        assert closing.text.endswith(f" UTC: insults everyone ({CONTACT})")
        parts = closing.sanction
        assert isinstance(parts, m.Sanctioned)
        assert (parts.what, parts.reason, parts.contact) == ("ban", "insults everyone", CONTACT)
        assert until_text(parts.until) in closing.text
        assert await close_code(bob) == CloseCode.REMOVED
        notice = await ada.next(m.Notice)
        assert f"keeps {bob.name} out" in notice.text
        assert (await ada.next(m.Presence)).online is False
        hellos: list[dict[str, Any]] = [{"name": bob.name, "password": SECRET}, {"token": bob.token}]
        for url in (here, there):
            for hello in hellos:
                answer = await until_hello(url, m.Error, **hello)
                assert refused(answer) == ErrorCode.BANNED
                assert isinstance(answer, m.Error)
                assert (answer.text, answer.retry_after > 5000, answer.sanction) == (closing.text, True, parts)
        assert refused(await said_hello(here, name=bob.name, password="wrong")) == ErrorCode.WRONG_PASSWORD
        async with inside(valkey.url, contact=CONTACT) as later:
            assert refused(await said_hello(later, token=bob.token)) == ErrorCode.BANNED
        seen = await eve.get(m.Inspected, m.Inspect, player=bob.name)
        assert [*seen.matches] == [match]
        assert [(known.what, known.reason, known.by) for known in seen.penalties] == [
            ("ban", "insults everyone", eve.name)
        ]
        assert isinstance(await eve.ask(m.Pardon, player=bob.name, what="ban", reason="said sorry"), m.Ok)
        await until_hello(there, m.Welcome, token=bob.token)
        async with Player(there, token=bob.token) as back:
            assert back.playing == [match]
        uses = [(use.who, use.what, use.whom, use.why) for use in await Audit(redis, Clock()).last(2)]
        assert uses == [
            (eve.name, "ban", f"{bob.name} 90m", "insults everyone"),
            (eve.name, "unban", bob.name, "said sorry"),
        ]


async def test_a_guest_who_is_banned_does_not_come_as_a_new_guest_of_that_name(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as bob:
        await appointed(eve, valkey.url)
        await sanctioned(eve, bob, "ban")
        assert await close_code(bob) == CloseCode.REMOVED
        assert refused(await said_hello(node, name=(bob.name or "").upper())) == ErrorCode.BANNED


async def test_a_ban_with_addresses_keeps_the_person_out_under_any_name(valkey: Valkey) -> None:
    async with (
        two_nodes(valkey, behind_proxy=True) as (here, there),
        Player(here) as eve,
        Player(there, headers=from_("2001:db8:a:b::1")) as bob,
        Player(here, hello={"watch": True}, headers=from_("2001:db8:a:b::2")) as watcher,
        Player(here, headers=from_("198.51.100.7")) as other,
    ):
        await appointed(eve, valkey.url)
        await sanctioned(eve, bob, "ban", addresses=True)
        assert await close_code(bob) == CloseCode.REMOVED
        assert await close_code(watcher) == CloseCode.REMOVED, "the same network, seen by another node"
        for hello in ({"name": unique("p")}, {"watch": True}):
            answer = await until_hello(there, m.Error, from_("2001:db8:a:b::3"), **hello)
            assert refused(answer) == ErrorCode.BANNED
        assert isinstance(await said_hello(there, from_("2001:db8:a:c::1"), name=unique("p")), m.Welcome)
        await other.sync()
        assert isinstance(await eve.ask(m.Pardon, player=bob.name, what="ban", reason="r"), m.Ok)
        await until_hello(here, m.Welcome, from_("2001:db8:a:b::3"), name=unique("p"))


async def test_who_is_muted_says_nothing_on_any_node_and_plays_on(valkey: Valkey) -> None:
    async with (
        two_nodes(valkey) as (here, there),
        guests(here, 2) as (eve, ada),
        Player(there) as bob,
        Player(here, token=bob.token) as also,
    ):
        await appointed(eve, valkey.url)
        match = await new_match(ada, bob)
        await sanctioned(eve, bob, "mute", minutes=1)
        notice = await bob.next(m.Notice)
        assert await also.next(m.Notice) == notice
        assert notice.text.startswith("you may not talk until 20")
        assert isinstance(notice.sanction, m.Sanctioned)
        assert (notice.sanction.what, notice.sanction.reason) == ("mute", "insults everyone")
        for player in (bob, also):
            assert isinstance(await player.ask(m.Subscribe, what="chat"), m.Listing)
            said = await player.ask(m.Chat, text="hello")
            assert refused(said) == ErrorCode.MUTED
            assert isinstance(said, m.Error)
            assert 0 < said.retry_after <= 60
            assert said.sanction == notice.sanction
        assert refused(await bob.ask(m.Say, match=match, to="players", phrase="gl")) == ErrorCode.MUTED
        assert isinstance(await ada.ask(m.Say, match=match, to="players", phrase="gl"), m.Ok)
        assert isinstance(await bob.act(m.Auto, match, what="play", on=True), m.Ok)
        assert isinstance(await eve.ask(m.Pardon, player=bob.name, what="mute", reason="r"), m.Ok)


async def test_a_muted_player_chooses_no_words_that_others_see(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, behind_proxy=True, contact=CONTACT) as url,
        Player(url) as eve,
        Player(url, headers=from_("198.51.100.7")) as bob,
        Player(url, hello={"name": f"bot-{unique('b')}", "bot": True}, headers=from_("198.51.100.7")) as bot,
    ):
        await appointed(eve, valkey.url)
        for player in (bob, bot):
            await sanctioned(eve, player, "mute", addresses=True)
            await player.next(m.Notice)
        named = await bob.ask(m.Create, name=unique("insult"))
        assert refused(named) == ErrorCode.MUTED
        assert isinstance(named, m.Error)
        assert named.text.endswith("leave out the name of your table")
        assert isinstance(opened := await bob.ask(m.Create), m.Snapshot)
        assert opened.view["name"] == bob.name
        assert refused(await bot.ask(m.Available, places=1, level="insult")) == ErrorCode.MUTED
        assert isinstance(await bot.ask(m.Available, places=1), m.Ok)
        insult = unique("insult")
        async with Player(url, hello={"name": insult}, headers=from_("198.51.100.7")) as again:
            assert re.fullmatch(r"guest-[0-9a-f]{8}", again.name or "")
            assert (await again.next(m.Notice)).text.startswith("you may not talk until 20")
        assert isinstance(await said_hello(url, from_("198.51.100.8"), name=insult), m.Welcome)


async def test_a_penalty_is_not_put_on_an_address_that_stands_for_others(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, behind_proxy=True) as url,
        Player(url) as eve,
        Player(url, headers=from_("unknown")) as bob,
        Player(url, headers=from_("unknown")) as other,
    ):
        await appointed(eve, valkey.url)
        await sanctioned(eve, bob, "ban", addresses=True)
        assert await close_code(bob) == CloseCode.REMOVED
        assert f"{bob.name} has a connection whose address the server does not know" in (await eve.next(m.Notice)).text
        await other.sync()
        assert isinstance(await said_hello(url, from_("unknown"), name=unique("p")), m.Welcome)


async def test_who_is_kicked_may_come_back_and_the_open_table_closes(valkey: Valkey) -> None:
    async with two_nodes(valkey) as (here, there), Player(here) as eve, Player(there) as bob:
        await appointed(eve, valkey.url)
        opened = await bob.get(m.Snapshot, m.Create, name=unique("t"))
        await sanctioned(eve, bob, "kick")
        assert (await bob.next(m.Closing)).text == "a moderator has closed your connection: insults everyone"
        assert await close_code(bob) == CloseCode.REMOVED
        async with Player(here, token=bob.token) as back:
            assert isinstance(await back.ask(m.Attach, table=opened.match), m.Snapshot)
            await back.until(opened.match, lambda view: view.phase == "over")


async def test_a_kick_reaches_a_player_who_is_between_two_connections_once(valkey: Valkey, redis: Client) -> None:
    async with two_nodes(valkey) as (here, there), Player(here) as eve, Player(there) as bob:
        await appointed(eve, valkey.url)
        await bob.close()
        await sanctioned(eve, bob, "kick")
        again = Player(there, token=bob.token)
        await again.connect()
        await again.send(m.Hello, token=bob.token)
        assert (await again.next(m.Closing)).text == "a moderator has closed your connection: insults everyone"
        assert await close_code(again) == CloseCode.REMOVED
        async with Player(there, token=bob.token) as back:
            await back.sync()
        await ask_until(lambda: redis.hexists(keys.LOBBY_ROWS(MODERATION), f"{ORDER}{bob.id}"), operator.not_)


async def test_a_kick_waits_some_seconds_for_a_player_who_is_away(valkey: Valkey, redis: Client) -> None:
    clock, bob = HandClock(), unique("p")
    ledger = Ledger(Feed(redis, await find_topology(valkey.url)), clock)
    ledger.hold(Kick(bob, "be kind"))
    clock.move(10_000)
    assert ledger.kick_of(bob) == "be kind"
    clock.move(1)
    assert ledger.kick_of(bob) is None


@pytest.mark.parametrize("length_s", [0.0, 60.0])
async def test_a_penalty_ends_by_itself_and_its_row_goes_with_the_next(
    valkey: Valkey, redis: Client, length_s: float
) -> None:
    ledger, now = await ledger_on(redis, valkey.url), Clock().now_ms()
    name = unique("p")
    first = Penalty("mute", name, name, "w", "b", now - 1, now + int(1000 * length_s))
    await ledger.penalize(first)
    await ledger.penalize(Penalty("ban", name, name, "w", "b", now))
    held = [known for known in (await ledger.read())[0] if known.is_of(name)]
    assert sorted(known.what for known in held) == (["ban", "mute"] if length_s else ["ban"])
    assert await ledger.pardon("mute", name) == bool(length_s)
    assert await ledger.pardon("ban", name) == 1


async def test_there_are_so_many_penalties_and_no_more(valkey: Valkey, redis: Client) -> None:
    feed, name = Feed(redis, await find_topology(valkey.url)), unique("p")
    ledger = Ledger(feed, Clock(), most=0)
    await ledger.appoint(name, True)
    with pytest.raises(Refused, match="end some of them first"):
        await ledger.penalize(Penalty("ban", name, name, "w", "b", 0))
    await ledger.appoint(name, False)


SENTENCES = [
    (Penalty("ban", "bob", "bob", "w", "b", 0, 1_789_000_000_000), "you are banned until 2026-09-10 00:26 UTC: w (c)"),
    (Penalty("mute", ADDRESS + "1.2.3.4", "bob", "w", "b", 0, FOR_GOOD), "you may not talk for good: w (c)"),
]


@pytest.mark.parametrize(("penalty", "sentence"), SENTENCES)
def test_what_somebody_is_told(penalty: Penalty, sentence: str) -> None:
    assert sentence_of(penalty, "c") == sentence


async def test_the_audit_keeps_two_years_however_much_is_done_in_them(own_redis: Client) -> None:
    clock, audit_key = Clock(), keys.MODERATION_AUDIT()
    audit, year_ms = Audit(own_redis, clock), KEPT_MS // 2
    fields = ("who", "eve", "what", "ban", "whom", "bob", "why", "w")
    await own_redis.execute_command("XADD", audit_key, f"{clock.now_ms() - 3 * year_ms}-0", *fields)
    a_year_ago = clock.now_ms() - year_ms
    await own_redis.all_of([("XADD", audit_key, f"{a_year_ago}-{number}", *fields) for number in range(10_200)])
    await audit.note("eve", "unban", "bob", "said sorry")
    uses = await audit.last(20_000)
    assert [use.what for use in uses] == ["ban"] * 10_200 + ["unban"]
    assert uses[0].time_ms == a_year_ago
