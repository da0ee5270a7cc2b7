"""Looking back: the record of a match, live or over, and who may have it; and an account that is closed."""

import random

import pytest
from tavla_engine.referee import judge
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.codes import ErrorCode
from tavla_server.features.records.records import PAGES
from tavla_server.limits import Limits
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN
from tests.support.players.accounts import SECRET, registered
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, close_code, refused
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey


async def recorded(player: Player, match: str, **fields: object) -> m.Recorded:
    """The server's record of a match, on one page."""
    return await player.get(m.Recorded, m.Record, match=match, **fields)


async def take_turns(white: Player, black: Player, match: str, rng: random.Random) -> None:
    """Some turns by the players to act, up to within a game; both have seen them all."""
    turns = 0
    while (view := white.matches[match].view).phase == "ready" or turns < 6:
        turns += 1
        player = white if 0 in view.to_act else black
        await player.take_turn(match, rng)
        for other in (white, black):
            await other.reach(match, player.matches[match].seq)


async def test_a_live_match_is_told_from_its_start(server: ServerProcess, rng: random.Random) -> None:
    async with at_match(server.url, {"length": 3}) as (white, black, match), Player(server.url) as eve:
        await take_turns(white, black, match, rng)
        seq = white.matches[match].seq
        page = await recorded(eve, match)
        assert (page.match, page.seq, page.next) == (match, seq, None)
        assert page.view["players"] == [white.name, black.name]
        seeds = [event[4] for event in page.events if event[2:4] == ["revealed", None]]
        assert len(seeds) == page.view["game"] - 1, "one of each game that is over, none of the game in hand"
        assert page.view.get("seed") == (seeds[-1] if seeds else None)
        assert {event[0] for event in page.events} == set(range(1, seq + 1))
        assert {"created", "seated", "game_started", "opening_rolled", "moved"} <= {event[2] for event in page.events}
        later = await recorded(eve, match, after=seq - 1)
        assert (later.events, later.view) == ([event for event in page.events if event[0] == seq], {})
        await black.act(m.Forfeit, match)
        await white.until(match, lambda view: view.phase == "over")
        over = await recorded(eve, match)
        assert len(str(over.view["seed"])) == 64, "the dice can be checked now"
        assert over.events[-2][2:] == ["match_ended", 0, "forfeit"]
        assert over.events[-1][2:] == ["revealed", None, over.view["seed"]]
        assert judge(claim_of(over)).faults == ()


@pytest.mark.parametrize("limits", [Limits(record_page=3)])
async def test_a_long_match_comes_in_pages(node: str, rng: random.Random) -> None:
    async with at_match(node) as (white, black, match):
        await take_turns(white, black, match, rng)
        page, events = await recorded(white, match), []
        while page.next is not None:
            assert len({event[0] for event in page.events}) == 3
            events += page.events
            page = await recorded(white, match, after=page.next)
        seqs = [event[0] for event in events + page.events]
        assert (sorted(seqs), set(seqs)) == (seqs, set(range(1, white.matches[match].seq + 1)))


async def test_who_may_not_watch_gets_no_record(server: ServerProcess) -> None:
    async with at_match(server.url, spectators=False) as (white, black, match), Player(server.url) as eve:
        assert refused(await eve.ask(m.Record, match=match)) == ErrorCode.NO_SPECTATORS
        assert (await recorded(black, match)).seq >= 2
        table = await white.get(m.Snapshot, m.Create, private=True)
        assert refused(await eve.ask(m.Record, match=table.match)) == ErrorCode.PRIVATE
        assert (await recorded(eve, table.match, code=str(table.view["code"]))).seq == 1
        assert refused(await eve.ask(m.Record, match="nowhere2")) == ErrorCode.NO_SUCH_MATCH


async def test_who_looks_back_too_fast_waits(valkey: Valkey) -> None:
    limits = Limits(rates={"pages": Rate(NEVER_AGAIN, PAGES.burst)})
    async with inside(valkey.url, limits=limits) as node, at_match(node) as (white, black, match):
        answers = [await white.ask(m.Record, match=match) for _ in range(int(PAGES.burst) + 20)]
        errors = [answer for answer in answers if isinstance(answer, m.Error)]
        assert len(errors) == 20
        assert all((error.code, error.retry_after > 0) == (ErrorCode.TOO_MANY, True) for error in errors)
        assert isinstance(await black.ask(m.Record, match=match), m.Recorded), "others need not"


async def test_a_closed_account_is_gone(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as eve:
        assert refused(await ada.ask(m.CloseAccount, password=SECRET)) == ErrorCode.ACCOUNT_NEEDED
        await registered(ada)
        async with Player(server.url, token=ada.token) as elsewhere:
            assert refused(await ada.ask(m.CloseAccount, password="wrong")) == ErrorCode.WRONG_PASSWORD
            assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
            assert (await close_code(ada), await close_code(elsewhere)) == (4002, 4002)
        assert refused(await eve.ask(m.Profile, name=ada.name)) == ErrorCode.NO_SUCH_PLAYER
        for hello in ({"name": ada.name, "password": SECRET}, {"token": ada.token}, {"name": ada.name}):
            await eve.close()
            await eve.connect()
            wrong = (ErrorCode.WRONG_PASSWORD, ErrorCode.BAD_TOKEN, ErrorCode.NAME_TAKEN)
            assert refused(await eve.ask(m.Hello, **hello)) in wrong
