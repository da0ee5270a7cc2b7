"""Matches that a moderator ends, or that do not count: for their players, ratings, history, archive and dice."""

import asyncio
from pathlib import Path

import pytest
from tavla_engine.chain import link_number
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.record.rating import START_RATING

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import career, registered, until_played
from tests.support.players.matches import new_match, played_on
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}


async def ruled(moderator: Player, match: str, verdict: str) -> m.Ok | m.Error:
    answer = await moderator.ask(m.Adjudicate, match=match, verdict=verdict, reason="a program played")
    assert isinstance(answer, m.Ok | m.Error)
    return answer


async def rating_of(asker: Player, player: Player, wanted: float) -> m.Career:
    """A player's career, when the rating is this."""
    return await ask_until(lambda: career(asker, player), lambda found: found.rating == wanted)


async def finished(player: Player, ending: str) -> m.Finished:
    """The one match in a player's history, when it has ended so."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = await player.look_back(m.History)
            assert isinstance(answer, m.Played), answer
            if [row.ending for row in answer.matches] == [ending]:
                return answer.matches[0]


@pytest.mark.parametrize("over", [False, True], ids=["that goes on", "that is over"])
async def test_a_void_match_counts_for_nobody(own_valkey: Valkey, tmp_path: Path, over: bool) -> None:
    archive = f"sqlite:///{tmp_path / 'archive.sqlite3'}"
    async with (
        inside(own_valkey.url, archive=archive) as here,
        inside(own_valkey.url, archive=archive) as there,
        guests(here, 2) as (eve, ada),
        Player(there) as bob,
    ):
        await appointed(eve, own_valkey.url)
        await registered(ada, bob)
        match = await new_match(ada, bob, RATED)
        if over:
            await played_on(match, ada, bob)
            await bob.act(m.Forfeit, match)
            assert (await until_played(eve, ada, 1)).rating != START_RATING
            await finished(ada, "forfeit")
        assert isinstance(await ruled(eve, match, "void"), m.Ok)
        for player in (ada, bob):
            view = await player.until(match, lambda view: view.outcome == (None, 0, 0, "voided"))
            shown = link_number(bytes.fromhex(view.seed), view.commitment) if view.seed else None
            assert (view.phase, shown) == ("over", 1 if over else None), "of a game that was not played out: none"
            assert (await player.next(m.Notice)).text.endswith("does not count: a program played")
            assert (await rating_of(eve, player, START_RATING)).experience == 0
            row = await finished(player, "voided")
            assert (row.match, row.winner, row.changes) == (match, None, (0.0, 0.0))
        told = await eve.get(m.Recorded, m.Record, match=match)
        events = [event[2:] for event in told.events]
        assert ["ruled", "moderator", "a program played"] in events
        assert ["match_ended", None, "voided"] in events
        assert sum(event[:2] == ["revealed", None] for event in events) == over
        assert isinstance(await ruled(eve, match, "void"), m.Ok), "sent again, it is done already"
        assert refused(await ruled(eve, match, "white")) == "wrong_phase"


async def test_a_match_that_is_adjudicated_counts_as_if_it_had_been_played(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as ada, Player(node) as bob:
        await appointed(eve, valkey.url)
        await registered(ada, bob)
        match = await new_match(ada, bob, RATED)
        await played_on(match, ada, bob)
        assert isinstance(await ruled(eve, match, "black"), m.Ok)
        view = await ada.until(match, lambda view: view.phase == "over")
        assert view.outcome == (1, 0, 0, "adjudicated")
        assert ((await until_played(eve, bob, 1)).rating or 0) > START_RATING
        assert isinstance(await ruled(eve, match, "black"), m.Ok), "sent again, it is done already"
        assert refused(await ruled(eve, match, "white")) == "wrong_phase"


async def test_an_open_table_can_only_be_voided_and_is_closed(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as ada:
        await appointed(eve, valkey.url)
        opened = await ada.get(m.Snapshot, m.Create, name=unique("t"))
        assert refused(await ruled(eve, opened.match, "white")) == "wrong_phase"
        assert isinstance(await ruled(eve, opened.view["name"], "void"), m.Ok)
        view = await ada.until(opened.match, lambda view: view.phase == "over")
        assert view.outcome is None
        assert refused(await ruled(eve, "nosuch", "void")) == ErrorCode.NO_SUCH_MATCH


async def test_a_match_that_waits_for_seeds_can_be_voided(node: str, valkey: Valkey) -> None:
    async with Player(node) as eve, Player(node) as ada, Player(node) as bob:
        await appointed(eve, valkey.url)
        opened = await ada.get(m.Snapshot, m.Create, name=unique("t"), commitment="0f" * 32)
        await bob.ask(m.Join, table=opened.match)
        assert ada.matches[opened.match].view.phase in ("open", "reveal")
        assert isinstance(await ruled(eve, opened.match, "void"), m.Ok)
        view = await ada.until(opened.match, lambda view: view.phase == "over")
        assert view.outcome == (None, 0, 0, "voided")


@pytest.mark.parametrize("verdict", ["void", "white", "black"])
async def test_a_moderator_does_not_decide_his_own_match(node: str, valkey: Valkey, verdict: str) -> None:
    async with Player(node) as eve, Player(node) as bob, Player(node) as other:
        await appointed(eve, valkey.url)
        match = await new_match(eve, bob)
        before = eve.matches[match].view
        assert refused(await ruled(eve, match, verdict)) == ErrorCode.NOT_ALLOWED
        await eve.sync()
        assert eve.matches[match].view == before
        await appointed(other, valkey.url)
        assert isinstance(await ruled(other, match, verdict), m.Ok)
