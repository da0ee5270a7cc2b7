"""Where a tournament meets the rest: every end of a match in every format, and players who are elsewhere."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace
from tavla_cli.text.story import result
from tavla_client import Match
from tavla_engine.actions import Forfeit
from tavla_engine.dice import commitment
from tavla_engine.events import Ending, GameEnded, MatchEnded
from tavla_engine.gameclock import GameClock
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.view import View, fields
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.caretaker import result_in, ruling_in
from tavla_server.features.tournaments.events import ARENA, Opened, Paired, TournamentEntry
from tavla_server.features.tournaments.formats import FORMATS
from tavla_server.features.tournaments.round_time import ruled_by_time
from tavla_server.features.tournaments.state import Tournament, apply
from tavla_server.features.tournaments.views import pairing_of, standing_of
from tavla_server.match.lifecycle import opening, ruling
from tavla_server.player import Player as Person
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Event, Revealed, Seated, Terms
from tavla_server.record.projection import view_of
from tavla_server.record.state import Record, apply_all
from tavla_server.timings import Timings

from tests.support.browser.node import ask_modules, need_node
from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import SECRET, registered
from tests.support.players.clients import clients
from tests.support.players.plain import Player, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import direct, entered, record_of, standings_of
from tests.support.servers.processes import Valkey, inside

RULES: dict[str, bool | int | str] = {"length": 1, "variant": "hypergammon", "clock": "fast"}
TIMINGS = Timings(pairing_round_s=0.05)


# --- every end of a match, in every format ---

ADA, BOB = Person("a" * 16, "ada", "account", 1600.0), Person("b" * 16, "bob")
DICE = MatchDice()
ID = "aaaaaaaaaaaa"
NOBODY = "nobody"


PLAYS = 4  # two of each: then a match was played


def begun(commitment_: str = "") -> Record:
    """A match of a tournament that has been played for a while; or, with commitments, one that waits for the seeds."""
    seated = [Seated(seat, player, commitment=commitment_) for seat, player in enumerate((ADA, BOB))]
    terms = Terms(tournament=(ID, 0))
    record = opening("friday-1", Rules(length=1, reserve_s=60), terms, *seated)(Record("m1"), DICE)[1]
    return record if commitment_ else replace(record, match=replace(record.match, rolls=record.match.rolls + PLAYS))


def ended(*events: Event) -> Record:
    """A match that these events have ended."""
    return apply_all(begun(), events)


def decided(decide: Decide) -> Record:
    """A match that a decision has ended."""
    return decide(begun(), DICE)[1]


def by_time() -> Record:
    """A match in which ada has used more time than bob when that of the round is over."""
    record = replace(begun(), clock=GameClock((60_000, 60_000), used=(9_000, 5_000)))
    return ruled_by_time(60_000, lambda *_: 0)(record, DICE)[1]


def without_seeds(*revealed_: int) -> Record:
    """A match for which only these seats have revealed a seed."""
    record = apply_all(begun("0f" * 32), [Revealed(seat, "0a" * 16) for seat in revealed_])
    return apply_all(record, [Cancelled()])


def put_back() -> Record:
    """A match that was brought back without its dice."""
    return apply_all(begun("0f" * 32), [Cancelled(put_back=True)])


def of_game(ending: Ending, kind: int = 1) -> tuple[Event, ...]:
    """Bob wins the only game."""
    return GameEnded(1, 1, kind, ending), MatchEnded(1, Ending.SCORE)


ENDS: dict[str, tuple[Record, str, list[int], str]] = {  # the match, who wins, which seats were absent, what ada reads
    "borne off": (ended(*of_game(Ending.BORNE_OFF)), "bob", [], "bob wins the match 1 to 0"),
    "double dropped": (ended(*of_game(Ending.DROP)), "bob", [], "bob wins the match 1 to 0"),
    "resigned": (ended(*of_game(Ending.RESIGNATION)), "bob", [], "bob wins the match 1 to 0"),
    "forfeit": (decided(engine_decide(Forfeit(0))), "bob", [], "you forfeit the match at .*: bob wins"),
    "flag": (ended(MatchEnded(1, Ending.TIME)), "bob", [], "you run out of time at .*: bob wins"),
    "claim": (ended(MatchEnded(1, Ending.ABANDONED)), "bob", [], "you stay away at .*: bob wins"),
    "aborted": (ended(MatchEnded(None, Ending.ABORTED)), NOBODY, [], "both wanted to abort the match, .*: nobody wins"),
    "voided": (decided(ruling("void", "eve", "tea")), NOBODY, [], "by a ruling this match does not count"),
    "put back": (put_back(), NOBODY, [], "the server was brought back from a backup .*: this match does not count"),
    "ruled": (decided(ruling("black", "eve", "tea")), "bob", [], "decided by a ruling, .*: bob wins"),
    "round time": (by_time(), "bob", [], "the time of the round is over, .*: bob wins, with 0:05 used against 0:09"),
    "absence of ada": (without_seeds(1), "bob", [0], "the match is void, .*: the server says .* no seed .* from you"),
    "absence of both": (without_seeds(), NOBODY, [0, 1], "the match is void, .*: .* from you and bob"),
}


def test_each_ending_that_the_engine_knows_is_in_the_table() -> None:
    found = {record.match.outcome.ending for record, *_ in ENDS.values() if record.match.outcome is not None}
    assert found == {*Ending} - {Ending.SCORE, Ending.LEFT}, (
        "a match has the end of its last game; LEFT is of money play"
    )


def scored(format_: str, record: Record) -> Tournament:
    """A tournament of two whose first match has ended so."""
    state, now_ms = Tournament(), 1000
    made = Opened("cup", ADA, Rules(length=1, reserve_s=60), 0, 90_000, bytes(16), format=format_, round_ms=60_000)
    pair = Paired((ADA.id, BOB.id))
    pairs = (
        decider.pairing([pair]) if format_ == ARENA else decider.round_begins(1, frozenset((ADA.id, BOB.id)), [pair])
    )
    decisions = decider.opening(made), decider.entry(ADA, "0a", 9), decider.entry(BOB, "0b", 9), pairs
    for decide in decisions:
        state = apply(state, TournamentEntry(now_ms, tuple(decide(state, now_ms))))
    if state.pairs[0].players[0] != ADA.id:  # seats are drawn by lot
        state = replace(state, pairs=(state.pairs[0]._replace(players=(ADA.id, BOB.id)),))
    for _ in range(2):  # by a second node, too
        decide = decider.score(result_in(record, 0), ruling_in(record, 0))
        state = apply(state, TournamentEntry(now_ms, tuple(decide(state, now_ms))))
    return state


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("format_", FORMATS)
def test_each_end_of_a_match_counts_in_each_format_and_is_told_and_listed(format_: str, end: str) -> None:
    record, winner, absent, sentence = ENDS[end]
    if absent == [0, 1] and format_ == "knock-out":
        winner = "ada"  # somebody has to go on: the one on seat 0
    state = scored(format_, record)
    is_due = winner == NOBODY and (format_ == "knock-out" or (end == "put back" and format_ != ARENA))
    assert bool(state.again) is is_due, "it is played again"
    rows = {entrant.player.name: standing_of(ID, state, entrant) for entrant in state.entrants.values()}
    won, lost = (1, 1, 2 if format_ == ARENA else 1), (1, 0, 0)
    if absent and format_ == ARENA:
        won = 0, 0, 0  # it was not played
    for name, row in rows.items():
        wanted = (0, 0, 0) if winner == NOBODY else won if name == winner else lost
        assert (row.matches, row.wins, row.points) == wanted, name
        assert not row.match
    assert {name for name, entrant in zip(rows, state.entrants.values(), strict=True) if entrant.gone} == {
        ("ada", "bob")[seat] for seat in absent
    }
    listed = pairing_of(ID, state, 0)
    names = {listed.players[listed.winner]} if listed.winner is not None else {NOBODY}
    assert (listed.over, names, listed.absent, listed.players) == (True, {winner}, absent, ("ada", "bob"))
    assert listed.match, "it can be looked at"
    assert re.match(sentence, result(view_of(record), 0)), result(view_of(record), 0)


@pytest.mark.parametrize("end", [end for end, (_, winner, absent, _) in ENDS.items() if winner == "bob" and not absent])
@pytest.mark.parametrize("format_", FORMATS)
def test_what_was_not_played_counts_in_an_arena_for_who_ended_it_alone(format_: str, end: str) -> None:
    """An arena pairs the same two as often as they come: for a win they are to have played."""
    record = ENDS[end][0]
    state = scored(format_, replace(record, match=replace(record.match, rolls=PLAYS)))
    rows = {entrant.player.name: standing_of(ID, state, entrant) for entrant in state.entrants.values()}
    assert (rows["ada"].matches, rows["ada"].wins) == (1, 0)
    assert (rows["bob"].matches, rows["bob"].wins) == ((0, 0) if format_ == ARENA else (1, 1))


JUDGED = {"voided": "void", "ruled": "black"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("format_", FORMATS)
def test_a_ruling_on_a_match_stands_once_among_those_of_its_tournament(format_: str, end: str) -> None:
    state = scored(format_, ENDS[end][0])
    told = [(one.directed.judge, one.directed.what, one.directed.reason) for one in state.rulings]
    assert told == ([("eve", JUDGED[end], "tea")] if end in JUDGED else [])


def test_the_page_says_how_each_match_has_ended() -> None:
    need_node()
    views = [fields(view_of(record)) for record, *_ in ENDS.values()]
    told = dict(zip(ENDS, ask_modules("outcomes", [pack(view).hex() for view in views]), strict=True))
    assert told["round time"] == "bob wins the match: the time of the round was over, with 0:05 used against 0:09."
    assert told["voided"] == "By a ruling this match does not count."
    assert told["ruled"] == "bob wins the match: decided by a ruling."
    assert len({*told.values()}) == len(told) - 2, "each of its own, but for those that the score says"


# --- players who are elsewhere when a round begins ---


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
    while not wanted(await standings_of(player, tournament)):  # noqa: ASYNC110
        await asyncio.sleep(PAUSE_S)


async def call(player: Player, what: str) -> m.Called:
    """The next call that says so."""
    while (called := await player.next(m.Called)).what != what:
        pass
    return called


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


# --- players who are called otherwise ---

NAMED = ["rename", "register", "log in", "log in, where both are in it"]


@pytest.mark.slow
@pytest.mark.parametrize("how", NAMED)
async def test_a_guest_who_takes_a_name_keeps_the_place(valkey: Valkey, how: str) -> None:
    async with evening(valkey, "swiss", 2) as club, Player(club.url) as account:
        guest, other = club.players
        await club.enter(guest, other)
        before = str(guest.name)
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
            assert rows.keys() - {before} == {name, other.name}
            if how == "log in, where both are in it":
                assert not rows[before].waiting, "nobody waits for the guest"
                assert rows[name].waiting
            else:
                assert before not in rows
                assert rows[name].waiting, "the place is that of before"
            assert rows[name].kind == ("guest" if how == "rename" else "account")
            if named is guest:
                await direct(club.director, club.id, "begin")
                match = (await named.next(m.Matched)).match
                await named.next(m.Snapshot)
                assert name in named.matches[match].view.players


@pytest.mark.slow
async def test_who_has_a_bye_is_told_so(valkey: Valkey) -> None:
    async with evening(valkey, "swiss", 3) as club:
        await club.begin()
        told = [await player.find(lambda said: isinstance(said, m.Called | m.Matched)) for player in club.players]
        (bye,) = [said for said in told if isinstance(said, m.Called)]
        assert (bye.tournament, bye.what, bye.round, bye.opponent) == (club.id, "bye", 1, "")
        lucky = club.players[told.index(bye)]
        assert lucky.name is not None
        assert (await standings_of(lucky, club.id))[lucky.name].points == 1
