"""Who directs or moderates decides nothing by which he gains himself, and what was tried is written down."""

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.features.sanctions.audit import Audit, Use
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.accounts import registered
from tests.support.players.matches import new_match
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.tournaments import arena_of, direct, entered, record_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

SOON = Timings(pairing_round_s=0.05)
WHY = "slow play"


async def last_use(valkey: Valkey) -> Use:
    async with connection_to(valkey.url) as redis:
        (use,) = await Audit(redis, Clock()).last(1)
    return use


async def begun(tournament: str, *players: Player) -> str:
    """Two are at a match of a tournament that has begun; its id."""
    for player, commitment in zip(players, COMMITMENTS, strict=False):
        await entered(player, tournament, commitment)
    for player, seed in zip(players, SEEDS, strict=False):
        match = (await player.next(m.Matched)).match
        await player.next(m.Snapshot)
        await player.act(m.Reveal, match, seed=seed)
    await players[0].until(match, lambda view: view.game > 0)
    return match


async def adjudicated(judge: Player, match: str, verdict: str = "void") -> m.Ok | m.Error:
    answer = await judge.ask(m.Adjudicate, match=match, verdict=verdict, reason=WHY)
    assert isinstance(answer, m.Ok | m.Error)
    return answer


@pytest.mark.parametrize("rated", [False, True], ids=["not rated", "rated"])
async def test_a_rated_match_is_a_moderators_and_a_directors_ruling_is_called_that(valkey: Valkey, rated: bool) -> None:
    async with inside(valkey.url, SOON) as url, guests(url, 4) as (director, ada, bob, eve):
        await registered(director, ada, bob)
        await appointed(eve, valkey.url)
        rules = {"length": 1, "variant": "hypergammon", "rated": rated}
        made = await director.get(m.Organised, m.CreateTournament, name=unique("cup"), rules=rules)
        match = await begun(made.tournament, ada, bob)
        answer = await adjudicated(director, match, "white")
        if rated:
            assert refused(answer) == ErrorCode.NOT_ALLOWED
            answer = await adjudicated(eve, match, "white")
        assert isinstance(answer, m.Ok)
        judge = "moderator" if rated else "director"
        who = "a moderator" if rated else "the director of the tournament"
        assert (await ada.next(m.Notice)).text.startswith(f"{who} has decided: the match of ")
        record = await ada.get(m.Recorded, m.Record, match=match)
        assert ["ruled", judge, WHY] in [event[2:] for event in record.events]
        told = await ask_until(lambda: record_of(ada, made.tournament), lambda told: told.rulings)
        (ruling,) = told.rulings
        assert (ruling.judge, ruling.what, ruling.match, ruling.reason) == (judge, "white", match, WHY)
        if rated:
            use = await last_use(valkey)
            assert (use.who, use.what) == (eve.name, "adjudicate")
            assert {str(ada.name), str(bob.name)} <= {*use.whom.replace(",", "").split()}, "with whom it touched"


@pytest.mark.parametrize("what", ["halt", "extend", "remove"])
@pytest.mark.parametrize("role", ["director", "moderator"])
async def test_who_plays_in_a_tournament_only_begins_it_and_adds_players(valkey: Valkey, role: str, what: str) -> None:
    async with inside(valkey.url, SOON) as url, guests(url, 3) as (maker, eve, bob):
        tournament = await arena_of(maker, starts=3600)
        await appointed(eve, valkey.url)
        judge, other = (maker, eve) if role == "director" else (eve, maker)
        await entered(judge, tournament, COMMITMENTS[0])
        await entered(bob, tournament, COMMITMENTS[1])
        fields = {"player": bob.name} if what == "remove" else {}
        asked = {"tournament": tournament, "what": what, "reason": WHY, **fields}
        assert refused(await judge.ask(m.DirectTournament, **asked)) == ErrorCode.NOT_ALLOWED
        if role == "moderator":
            assert (await last_use(valkey)).whom.endswith("in which this player plays refused")
        assert isinstance(await judge.ask(m.DirectTournament, **{**asked, "what": "begin"}), m.Ok)
        assert isinstance(await other.ask(m.DirectTournament, **asked), m.Ok), "who does not play in it may"


@pytest.mark.parametrize("verdict", ["void", "white"])
async def test_nobody_rules_on_the_matches_of_a_tournament_in_which_one_plays(valkey: Valkey, verdict: str) -> None:
    async with inside(valkey.url, SOON) as url, guests(url, 4) as (maker, eve, ada, bob):
        tournament = await arena_of(maker)
        await appointed(eve, valkey.url)
        match = await begun(tournament, ada, bob)
        for judge, commitment in zip((maker, eve), COMMITMENTS, strict=True):
            await entered(judge, tournament, commitment)
            assert refused(await adjudicated(judge, match, verdict)) == ErrorCode.NOT_ALLOWED
        assert (await last_use(valkey)).whom.endswith("refused as an own affair")


@pytest.mark.parametrize("what", ["kick", "mute", "ban"])
async def test_a_moderator_does_not_penalize_whom_he_plays_or_who_has_reported_him(valkey: Valkey, what: str) -> None:
    async with inside(valkey.url) as url, guests(url, 4) as (eve, mod, bob, cid):
        for player in (eve, mod):
            await appointed(player, valkey.url)
        await new_match(eve, bob)
        assert isinstance(await cid.ask(m.Report, player=eve.name, reason="rules for friends"), m.Ok)
        for target, why in ((bob, "plays against you now"), (cid, "has reported you")):
            answer = await eve.ask(m.Sanction, player=target.name, what=what, reason=WHY)
            assert isinstance(answer, m.Error)
            assert (answer.code, why in answer.text) == (ErrorCode.NOT_ALLOWED, True)
            use = await last_use(valkey)
            assert (use.who, use.what, use.whom) == (eve.name, what, f"{target.name}, refused as an own affair")
        (report,) = (await mod.get(m.Reported, m.Reports, about=eve.name)).rows
        assert isinstance(await mod.ask(m.Resolve, report=report, reason="no"), m.Ok)
        answer = await eve.ask(m.Sanction, player=cid.name, what=what, reason=WHY)
        assert refused(answer) == ErrorCode.NOT_ALLOWED, "also when the report is closed"
        assert isinstance(await mod.ask(m.Sanction, player=cid.name, what=what, reason=WHY), m.Ok)


async def test_a_moderator_does_not_close_a_report_of_his_own(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, guests(url, 2) as (eve, bob):
        await appointed(eve, valkey.url)
        assert isinstance(await eve.ask(m.Report, player=bob.name, reason=WHY), m.Ok)
        (report,) = (await eve.get(m.Reported, m.Reports, about=bob.name)).rows
        assert refused(await eve.ask(m.Resolve, report=report, reason="mine")) == ErrorCode.NOT_ALLOWED


async def test_the_reasons_of_who_may_not_talk_are_not_shown(valkey: Valkey) -> None:
    async with inside(valkey.url, SOON) as url, guests(url, 4) as (maker, eve, ada, bob):
        tournament = await arena_of(maker)
        await appointed(eve, valkey.url)
        assert isinstance(await eve.ask(m.Sanction, player=maker.name, what="mute", reason="insults"), m.Ok)
        await maker.find(lambda one: isinstance(one, m.Notice) and one.sanction is not None)
        match = await begun(tournament, ada, bob)
        await direct(maker, tournament, "halt")
        assert isinstance(await adjudicated(maker, match), m.Ok)
        assert (await ada.next(m.Notice)).text.endswith("does not count")
        told = await ask_until(lambda: record_of(ada, tournament), lambda told: len(told.rulings) >= 2)
        assert [(one.what, one.reason) for one in told.rulings] == [("halt", ""), ("void", "")]


@pytest.mark.parametrize("halted_by", ["director", "moderator"])
async def test_a_tournament_goes_on_whose_director_is_banned(valkey: Valkey, halted_by: str) -> None:
    async with inside(valkey.url, SOON) as url, guests(url, 4) as (maker, eve, ada, bob):
        tournament = await arena_of(maker)
        await appointed(eve, valkey.url)
        await direct(maker if halted_by == "director" else eve, tournament, "halt")
        for player, commitment in zip((ada, bob), COMMITMENTS, strict=False):
            await entered(player, tournament, commitment)
        assert isinstance(await eve.ask(m.Sanction, player=maker.name, what="ban", reason=WHY), m.Ok)
        if halted_by == "moderator":
            await direct(eve, tournament, "resume")
        await ada.next(m.Matched)
        rulings = (await record_of(ada, tournament)).rulings
        last = "moderator" if halted_by == "moderator" else "server"
        assert [(one.what, one.judge) for one in rulings] == [("halt", halted_by), ("resume", last)]
