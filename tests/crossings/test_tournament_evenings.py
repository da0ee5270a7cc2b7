"""Tournaments with rounds as their players see them: called, absent, renamed, with a bye."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
from tavla_client import Match
from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_protocol.view import View
from tavla_server.features.tournaments import decider
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.clients import clients
from tests.support.players.plain import Player, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import direct, entered, record_of, standings_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

RULES: dict[str, bool | int | str] = {"length": 1, "variant": "hypergammon", "clock": "fast"}


TIMINGS = Timings(pairing_round_s=0.05)


class Evening:
    """A tournament of four with rounds, and those who play it. url: of its server."""

    def __init__(self, url: str, id_: str, director: Player, players: list[Player]) -> None:
        self.url, self.id, self.director, self.players = url, id_, director, players

    async def enter(self, *players: Player) -> None:
        """Wait for a match, each with a seed of its own."""
        for player in players:
            await entered(player, self.id, commitment(bytes.fromhex(self.seed(player))))

    def seed(self, player: Player) -> str:
        """A player's seed in all matches."""
        return f"{self.players.index(player):064x}"

    async def begin(self) -> None:
        """All have come."""
        await self.enter(*self.players)
        await direct(self.director, self.id, "begin")

    async def play_round(self, *players: Player) -> list[Player]:
        """Play the matches of a round, in each of which seat 1 resigns the match; the winners."""
        matches = [(await player.next(m.Matched)).match for player in players]
        for player, match in zip(players, matches, strict=True):
            await player.next(m.Snapshot)
            await player.act(m.Reveal, match, seed=self.seed(player))
        for player, match in zip(players, matches, strict=True):
            await player.until(match, lambda view: view.game > 0)
        losers = [player for player, match in zip(players, matches, strict=True) if player.matches[match].seat == 1]
        for player, match in zip(players, matches, strict=True):
            if player in losers:
                await player.act(m.Forfeit, match)
        return [player for player in players if player not in losers]


@contextlib.asynccontextmanager
async def evening(valkey: Valkey, format_: str, count: int = 4) -> AsyncIterator[Evening]:
    """A tournament on a server of its own, with players who are connected, and have not entered."""
    async with asyncio.timeout(PATIENCE_S), inside(valkey.url, TIMINGS) as url, contextlib.AsyncExitStack() as stack:
        director, *players = [await stack.enter_async_context(Player(url)) for _ in range(count + 1)]
        await registered(director)
        made = await director.get(
            m.Organised, m.CreateTournament, name=unique("t"), rules=RULES, starts=3600, format=format_, minutes=30
        )
        yield Evening(url, made.tournament, director, players)


async def until_standings(player: Player, tournament: str, wanted: Callable[[dict[str, m.Standing]], bool]) -> None:
    """Wait until the standings are as wanted."""
    await ask_until(lambda: standings_of(player, tournament), wanted)


async def call(player: Player, what: str) -> m.Called:
    """The next call that says so."""
    while (called := await player.next(m.Called)).what != what:
        pass
    return called


async def test_a_finalist_who_is_elsewhere_is_called_in_each_window_and_plays_by_any(valkey: Valkey) -> None:
    async with evening(valkey, "knock-out") as club:
        await club.begin()
        here, elsewhere = await club.play_round(*club.players)
        for player in {*club.players} - {here, elsewhere}:
            await player.ask(m.LeaveTournament, tournament=club.id)  # no consolation
        await club.enter(here)
        called = await call(elsewhere, "come")
        assert (called.tournament, called.round, called.rounds) == (club.id, 2, 2)
        assert decider.BREAK_MS < 1000 * called.left <= decider.FINAL_BREAK_MS, "a final is waited for longer"
        async with Player(club.url, token=elsewhere.token) as window:
            assert 0 < (await call(window, "come")).left <= called.left, "a new one is told, too"
            await entered(window, club.id, COMMITMENTS[0])
            assert (await window.next(m.Matched)).match == (await here.next(m.Matched)).match
            assert (await call(elsewhere, "came")).tournament == club.id


async def test_a_final_to_which_one_does_not_come_is_told_to_both_and_listed(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with evening(valkey, "knock-out") as club:
        await club.begin()
        here, elsewhere = await club.play_round(*club.players)
        await club.enter(here)
        await call(elsewhere, "come")
        for name in ("BREAK_MS", "FINAL_BREAK_MS"):
            monkeypatch.setattr(decider, name, 0)
        won, lost = await call(here, "won"), await call(elsewhere, "lost")
        assert (won.round, won.opponent, lost.opponent) == (2, elsewhere.name, here.name)
        assert (await here.next(m.Unpaired)).over
        *_, final = [one for one in (await record_of(here, club.id)).pairings if one.bracket == 0]
        assert (final.match, final.over) == ("", True)
        assert [final.players[seat] for seat in final.absent] == [elsewhere.name]
        assert final.winner is not None
        assert final.players[final.winner] == here.name


async def until_shown(match: Match, wanted: Callable[[View], bool]) -> None:
    """Follow a match until it is as wanted."""
    async for change in match.changes():
        if wanted(change.view):
            return
    assert wanted(match.view)


async def test_a_void_match_of_a_knock_out_is_played_again_by_clients_who_find_no_fault(valkey: Valkey) -> None:
    async with evening(valkey, "knock-out", 0) as club, clients(club.url, "ada", "bob") as players:

        async def enter() -> list[Match]:
            return list(await asyncio.gather(*(player.tournaments.enter(club.id) for player in players)))

        entering = asyncio.create_task(enter())
        await until_standings(club.director, club.id, lambda rows: sum(row.waiting for row in rows.values()) == 2)
        await direct(club.director, club.id, "begin")
        void = await entering
        for match in void:
            await until_shown(match, lambda view: view.game == 1)
        ruled = {"match": void[0].id, "verdict": "void", "reason": "a wrong start"}
        assert isinstance(await club.director.ask(m.Adjudicate, **ruled), m.Ok)
        for match in void:
            await until_shown(match, lambda view: view.phase == "over")
        again = await enter()
        assert {match.id for match in again}.isdisjoint(match.id for match in void)
        for match in again:
            await until_shown(match, lambda view: view.game == 1)
        await again[0].forfeit()
        for match in (*void, *again):
            await until_shown(match, lambda view: view.phase == "over")
            assert not (await match.verdict()).is_fault
        while not (pairing := (await record_of(club.director, club.id)).pairings[0]).over:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
        assert (pairing.match, pairing.winner) == (again[0].id, 1 - (again[0].seat or 0))


NAMED = ["rename", "register", "log in", "log in, where both are in it"]


@pytest.mark.parametrize("how", NAMED)
async def test_a_guest_who_takes_a_name_keeps_the_place(valkey: Valkey, how: str) -> None:
    async with evening(valkey, "swiss", 2) as club, Player(club.url) as account:
        guest, other = club.players
        await club.enter(guest, other)
        await registered(account)
        if how == "log in, where both are in it":
            await entered(account, club.id, COMMITMENTS[0])
        if how in ("rename", "register"):
            name = unique("n")
            assert isinstance(await guest.ask(m.Rename, name=name), m.Ok)
            assert isinstance(await guest.ask(m.Rename, name=name), m.Ok), "sent again"
            if how == "register":
                await registered(guest)
            named: Player = guest
        else:
            name = str(account.name)
            named = Player(club.url, hello={"name": name, "password": SECRET, "guest": guest.token})
            await named.open()
        async with contextlib.AsyncExitStack() as stack:
            if named is not guest:
                stack.push_async_callback(named.close)
            await until_standings(other, club.id, lambda rows: name in rows)
            rows = await standings_of(other, club.id)
            assert rows.keys() == {name, other.name}, "nobody waits for the guest"
            assert rows[name].waiting, "the place is that of before"
            assert rows[name].kind == ("guest" if how == "rename" else "account")
            if named is guest:
                await direct(club.director, club.id, "begin")
                match = (await named.next(m.Matched)).match
                await named.next(m.Snapshot)
                assert name in named.matches[match].view.players


async def test_who_has_a_bye_is_told_so(valkey: Valkey) -> None:
    async with evening(valkey, "swiss", 3) as club:
        await club.begin()
        told = [await player.find(lambda said: isinstance(said, m.Called | m.Matched)) for player in club.players]
        (bye,) = [said for said in told if isinstance(said, m.Called)]
        assert (bye.tournament, bye.what, bye.round, bye.opponent) == (club.id, "bye", 1, "")
        lucky = club.players[told.index(bye)]
        assert lucky.name is not None
        assert (await standings_of(lucky, club.id))[lucky.name].points == 1
