"""Seeds are committed to when players sit down, and revealed when all commitments are there."""

import asyncio
import sys
from itertools import product
from typing import Any

import pytest
from tavla_engine.chain import ChainDice
from tavla_engine.errors import Reason
from tavla_protocol import messages as m
from tavla_protocol.claims import binding_of
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered
from tests.support.players.lobby import until_listed
from tests.support.players.no_shows import NoReveal
from tests.support.players.plain import Player, refused, unique
from tests.support.players.returning import Returning
from tests.support.players.seeds import COMMITMENTS, SEEDS, reveal, seated
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import NewServer, ServerProcess, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal

pytestmark = pytest.mark.slow  # most of them wait by the clock

REVEAL_MS = 500  # by hand; a clock that goes on by more than two seconds at once has seen an outage
IMPATIENT = Timings(reveal_s=1.5, reveal_away_s=2.0, return_ms=100)


def over(view: View) -> bool:
    return view.phase == "over"


# --- in time ---


async def test_the_first_roll_follows_when_both_have_revealed(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as eve:
        match = await seated(white, black)
        assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot)
        view = white.matches[match].view
        assert (view.phase, view.commitments, view.seeds) == ("reveal", COMMITMENTS, ("", ""))
        assert (view.unrevealed, view.game, view.rolls, view.dice) == ((0, 1), 0, 0, ())
        assert len(view.commitment) == 64
        assert view.to_act == (), "players have nothing to decide: it is their programs' part"

        view = await reveal(black, match)
        assert (view.phase, view.seeds, view.unrevealed, view.rolls) == ("reveal", ("", SEEDS[1]), (0,), 0)
        view = await reveal(white, match)
        assert (view.phase, view.seeds, view.unrevealed, view.game) == ("move", SEEDS, (), 1)
        await eve.until(match, lambda view: view.game == 1)
        assert isinstance(await black.act(m.Forfeit, match), m.Ok)
        for player in (white, black, eve):
            end = await player.until(match, over)
            roll = ChainDice(bytes.fromhex(end.seed), 1, binding_of(match, end), SEEDS).of_link(1).roll
            assert view.dice == tuple(sorted(roll(view.rolls), reverse=True))
        check_journal(server.store_url, match, *(player.matches[match].views for player in (white, black, eve)))


SEATS: list[dict[str, Any]] = [  # every request that leads to one
    {"type": "create"},
    {"type": "join", "table": "sofa"},
    {"type": "seek", "rules": {"length": 1}},
    {"type": "challenge", "player": "bob"},
    {"type": "rematch", "match": "k3v7q2xa"},
    {"type": "enter_tournament", "tournament": "hq3k7m2vx5ta"},
]


@pytest.mark.parametrize("fields", SEATS, ids=lambda fields: fields["type"])
async def test_nobody_sits_down_without_a_commitment(server: ServerProcess, fields: dict[str, Any]) -> None:
    async with Player(server.url) as ada:
        for silent in ({}, {"commitment": ""}):
            await ada.socket.send(pack({**fields, **silent, "id": ada.new_id()}))
            refusal = await ada.next(m.Error)
            assert refusal.code == ErrorCode.BAD_MESSAGE
            assert "commitment" in refusal.text


async def test_nobody_accepts_a_challenge_without_a_commitment(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        asked = await ada.get(m.Challenged, m.Challenge, player=bob.name)
        answer = await bob.ask(m.Answer, challenge=asked.challenge, accept=True, commitment=None)
        assert refused(answer) == ErrorCode.BAD_COMMITMENT
        assert isinstance(await bob.ask(m.Answer, challenge=asked.challenge, accept=False), m.Ok)


async def test_another_seed_than_the_one_committed_to_is_refused(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black)
        before = white.matches[match].view
        for player, seed in product((white, black), ("00" * 32, SEEDS[0][::-1])):
            assert refused(await player.act(m.Reveal, match, seed=seed)) == ErrorCode.BAD_SEED
        assert refused(await white.act(m.Reveal, match, seed=SEEDS[1])) == ErrorCode.BAD_SEED, "the other's"
        await white.sync()
        assert white.matches[match].view == before


async def test_a_seed_is_revealed_once_by_whose_it_is(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black, Player(server.url) as eve:
        match = await seated(white, black)
        assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot)
        assert refused(await eve.act(m.Reveal, match, seed=SEEDS[1])) == ErrorCode.NOT_SEATED
        await reveal(white, match)
        view = await reveal(black, match)
        assert view.game == 1
        assert await reveal(black, match) == view, "sent again, it changes nothing"
        assert refused(await black.act(m.Reveal, match, seed=SEEDS[0])) == Reason.WRONG_PHASE


async def test_a_seed_for_other_terms_than_those_of_the_match_is_refused(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black)
        before = white.matches[match].view
        for binding in (white.binding(match)[::-1], "00" * 32):
            answer = await white.act(m.Reveal, match, seed=SEEDS[0], binding=binding)
            assert refused(answer) == ErrorCode.OTHER_TERMS
        await white.sync()
        assert white.matches[match].view == before
        assert (await reveal(white, match)).unrevealed == (1,)


async def test_any_connection_of_a_player_that_follows_the_match_may_reveal(server: ServerProcess) -> None:
    """The match was begun on one device, and another one has the seat by now."""
    async with Player(server.url) as laptop, Player(server.url) as black:
        match = await seated(laptop, black)
        async with Player(server.url, token=laptop.token) as phone:
            assert (await phone.get(m.Snapshot, m.Attach, table=match)).seat == 0
            await laptop.next(m.Replaced)
            assert refused(await laptop.act(m.Ready, match)) == ErrorCode.NOT_SEATED
            view = await reveal(laptop, match)
            assert view.unrevealed == (1,)
            assert (await reveal(black, match)).game == 1
            assert (await phone.until(match, lambda view: view.game == 1)).seeds == SEEDS


async def test_nobody_sits_down_with_the_commitment_of_another(server: ServerProcess) -> None:
    """A copied commitment is kept with the seed that the other one has shown: dice that one side could choose."""
    async with Player(server.url) as white, Player(server.url) as black:
        opened = await white.get(m.Snapshot, m.Create, name=unique("t"), commitment=COMMITMENTS[0])
        view = white.matches[opened.match].view
        for copied in (COMMITMENTS[0], view.commitment):
            answer = await black.ask(m.Join, table=opened.match, commitment=copied)
            assert refused(answer) == ErrorCode.BAD_COMMITMENT
        await white.sync()
        assert white.matches[opened.match].view == view
        await black.get(m.Snapshot, m.Join, table=opened.match, commitment=COMMITMENTS[1])


async def test_nothing_else_is_done_before_the_seeds_are_known(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black)
        for action in (m.Ready, m.Roll, m.Double, m.Forfeit, m.Leave):
            assert refused(await white.act(action, match)) == Reason.WRONG_PHASE
        assert refused(await white.act(m.Claim, match)) == ErrorCode.NO_CLAIM
        assert refused(await white.ask(m.Cancel, match=match)) == ErrorCode.TABLE_FULL
        third = await white.ask(m.Rematch, match=match)
        assert refused(third) == Reason.WRONG_PHASE


async def test_no_clock_runs_before_the_first_roll(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black, rules={"length": 1, "clock": "fast"})
        assert white.matches[match].view.clock == (0, 0, 0)
        await reveal(white, match)
        view = await reveal(black, match)
        assert view.clock == (20_000, 20_000, 40_000), "a first turn has a minute, the reserve included"


# --- too late ---


@pytest.mark.parametrize("timings", [IMPATIENT], ids=["impatient"])
@pytest.mark.parametrize("late", [(0,), (1,), (0, 1)])
async def test_who_does_not_reveal_makes_the_match_void_and_is_named(node: str, late: tuple[int, ...]) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await registered(ada, bob)
        match = await seated(ada, bob, rules={"length": 1, "rated": True})
        ratings = ada.matches[match].view.ratings
        assert None not in ratings
        for seat in {0, 1} - set(late):
            await reveal((ada, bob)[seat], match)
        for player in (ada, bob):
            view = await player.until(match, over)
            assert (view.unrevealed, view.outcome, view.rolls, view.ratings) == (late, None, 0, ratings)
        await until_listed(ada, match, None)
        answer = await ada.act(m.Reveal, match, seed=SEEDS[0])
        assert isinstance(answer, m.Ok) if 0 not in late else refused(answer) == Reason.WRONG_PHASE
        career = await ada.get(m.Career, m.Profile, name=ada.name)
        assert (career.results, career.experience) == ([], 0)


async def test_who_is_away_before_revealing_has_time_from_the_return(valkey: Valkey, clock: HandClock) -> None:
    async with inside(valkey.url, Timings(reveal_s=REVEAL_MS / 1000)) as node, Player(node) as bob:
        async with Player(node) as ada:
            table = await ada.get(m.Snapshot, m.Create, name=unique("t"), side="white", commitment=COMMITMENTS[0])
            await bob.ask(m.Join, table=table.match, commitment=COMMITMENTS[1])
        await bob.find(lambda message: isinstance(message, m.Presence) and not message.online)
        await reveal(bob, table.match)
        clock.move(2 * REVEAL_MS)  # longer than one who is there may take
        async with Player(node, token=ada.token) as ada:
            await ada.get(m.Snapshot, m.Attach, table=table.match)
            clock.move(REVEAL_MS - 1)
            view = await reveal(ada, table.match)
            assert (view.game, view.seeds) == (1, SEEDS)


@pytest.mark.parametrize("timings", [IMPATIENT], ids=["impatient"])
async def test_a_player_who_never_reveals_makes_one_match_after_the_other_void(
    node: str, rules: dict[str, bool | int | str]
) -> None:
    """Both seek, and the opponent who has revealed starts no game."""
    async with NoReveal(node) as ada, Player(node) as bob:
        assert isinstance(await bob.ask(m.Seek, rules=rules, commitment=COMMITMENTS[0]), m.Ok)
        match = await ada.seek(rules)
        await bob.find(lambda message: isinstance(message, m.Snapshot) and message.match == match)
        answer = await bob.act(m.Reveal, match, seed=SEEDS[0])
        assert isinstance(answer, m.Ok), answer
        for player in (ada, bob):
            view = await player.until(match, over)
            assert view.unrevealed == (ada.matches[match].seat,)


async def test_nobody_is_named_before_the_own_time_is_over(valkey: Valkey, clock: HandClock) -> None:
    """Bob, who is there, reveals nothing; ada comes back when his time is nearly over, and has hers."""
    timings = Timings(reveal_s=REVEAL_MS / 1000, lag_ms=100)
    async with inside(valkey.url, timings) as node, Player(node) as bob:
        async with Player(node) as ada:
            table = await ada.get(m.Snapshot, m.Create, name=unique("t"), side="white", commitment=COMMITMENTS[0])
            await bob.ask(m.Join, table=table.match, commitment=COMMITMENTS[1])
        await bob.find(lambda message: isinstance(message, m.Presence) and not message.online)
        clock.move(REVEAL_MS - 1)
        async with Player(node, token=ada.token) as ada:
            assert isinstance(await ada.ask(m.Attach, table=table.match), m.Snapshot)
            clock.move(101)
            await ada.sync()
            view = await reveal(ada, table.match)
            assert (view.phase, view.seeds) == ("reveal", (SEEDS[0], ""))
            clock.move(101)
            assert (await ada.until(table.match, over)).unrevealed == (1,)


@pytest.mark.parametrize("timings", [IMPATIENT], ids=["impatient"])
async def test_who_stays_away_is_not_waited_for_for_ever(node: str) -> None:
    async with Player(node) as bob:
        async with Player(node) as ada:
            match = await seated(ada, bob)
        await reveal(bob, match)
        view = await bob.until(match, over)
        assert view.unrevealed == (0,)


@pytest.mark.long
async def test_a_server_that_is_killed_meanwhile_is_only_a_pause(own_server: ServerProcess) -> None:
    async with Returning(own_server.url) as white, Returning(own_server.url) as black:
        match = await seated(white, black)
        before = white.matches[match].view
        await reveal(black, match)
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.restart)
        for player, seed in ((white, SEEDS[0]), (black, SEEDS[1])):
            answer = await player.insist(m.Reveal, match=match, seq=1, seed=seed)
            assert isinstance(answer, m.Ok), answer
        view = await white.until(match, lambda view: view.game == 1)
        assert (view.seeds, view.commitment) == (SEEDS, before.commitment)
        check_journal(own_server.store_url, match, white.matches[match].views)


@pytest.mark.long
async def test_a_match_that_all_have_left_is_void_in_time_whoever_dies(
    new_server: NewServer,
) -> None:
    """Both players and the server are killed, and only the server comes back."""
    server = new_server(command=[sys.executable, "-m", "tests.support.servers.impatient"])
    server.start()
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black)
        await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.restart)
    async with asyncio.timeout(PATIENCE_S), Player(server.url) as eve:
        await until_listed(eve, match, None)
        assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot)
        view = eve.matches[match].view
        assert (view.phase, view.unrevealed, view.seeds) == ("over", (0, 1), ("", ""))
