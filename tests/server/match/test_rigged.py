"""The rigged server of the tests: each mode does what it says. Players are scripted: no client of ours looks on."""

import asyncio
import random
from itertools import pairwise
from statistics import mean

import pytest
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.dice import Dice
from tavla_engine.plays import legal_plays
from tavla_engine.terms import binding
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.plain import Player, guests
from tests.support.players.seeds import COMMITMENTS, reveal, seated
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.dice import pips
from tests.support.servers.rigged.dice_modes import BEYOND
from tests.support.servers.rigged.modes import MODES
from tests.support.servers.rigged.partner import ONE_POINT, Friend, friend_at_table
from tests.support.servers.rigged.played import FRIEND, VICTIM, is_sound, play, play_out, sit_down
from tests.support.servers.rigged.server import friend
from tests.support.servers.rigged.server import rigged as rigged_server
from tests.support.servers.valkey import Valkey


def test_every_mode_fits_into_a_name_and_leaves_room_for_others() -> None:
    for mode in MODES:
        name = friend(mode)
        assert name.startswith(f"{mode}-")
        assert len(mode) + 5 <= len(name) <= 20


async def test_a_match_of_others_is_honest(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "nobody", rng)
    assert is_sound(played.events, played.roll)
    assert played.end.rolls == len(played.drawn)
    assert played.end.commitments == COMMITMENTS


async def test_a_friend_plays_by_itself_with_whom_quick_match_brings(
    rigged: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Friend(rigged.url, "wrong_score") as white, Friend(rigged.url, "nobody") as black:
        rules = {**ONE_POINT, "reserve_s": rules["reserve_s"], "delay_s": 10}
        (match, same) = await asyncio.gather(white.seek(rules), black.seek(rules))
        assert match == same
        end, other = await asyncio.gather(white.play_on(match), black.play_on(match))
        assert end == other
        assert all(end.seeds)


def test_a_friend_plays_in_a_thread_beside_a_page(rigged: ServerProcess) -> None:
    async def sit_down_and_play(match: str) -> View:
        async with Friend(rigged.url, "nobody") as victim:
            await victim.join(match)
            return await victim.play_on(match)

    with friend_at_table(rigged.url, "wrong_cube") as match:
        end = asyncio.run(sit_down_and_play(match))
    assert (end.phase, end.cube, end.owner) == ("over", 2, FRIEND)


@pytest.mark.long
async def test_a_server_of_one_mode_cheats_in_all_matches(valkey: Valkey, rng: random.Random) -> None:
    async with rigged_server("wrong_dice", "--redis", valkey.url) as url, guests(url, 2) as (white, black):
        played = await play_out(white, black, await sit_down(white, black), rng)
        assert not any(played.follow)


# --- dice ---


async def test_skip(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "skip", rng)
    assert all(played.follow), "no roll is another one: some are not played"
    used: dict[int, list[int]] = {FRIEND: [], VICTIM: []}
    for event, after in pairwise(played.events):
        if isinstance(event, e.Rolled) and not isinstance(after, e.Rolled):
            used[event.seat].append(pips(event.dice))
    assert mean(used[FRIEND]) > mean(used[VICTIM]) + 3
    assert played.end.rolls > len(used[FRIEND]) + len(used[VICTIM]) + 1
    shown = {view.rolls for view in played.views}
    assert set(range(played.end.rolls)) - shown, "numbers jump in what is shown"


async def test_two_faced(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "two_faced", rng)
    assert all(played.follow)
    shown: dict[int, Dice] = {}
    lies = 0
    for view in played.views:
        if view.dice:
            shown[view.rolls] = (view.dice[0], view.dice[1])
        for back, (_, one, two, *_) in enumerate(reversed(view.last)):
            number = view.rolls - bool(view.dice) - back
            assert sorted((one, two)) == sorted(played.roll(number)), "later the right one"
            lies += number in shown and shown[number] != (one, two)
    assert lies > 2


async def test_beyond(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "beyond", rng)
    assert played.end.rolls == BEYOND < max(view.rolls for view in played.views)
    assert all(played.follow[:BEYOND])
    assert not all(played.follow)


async def test_wrong_dice(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "wrong_dice", rng)
    assert not any(played.follow)


async def test_added_roll(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "added_roll", rng)
    assert all(played.follow)
    turns = [event.seat for event in played.events if isinstance(event, e.Moved)]
    twice = [one for one, other in pairwise(turns) if one == other]
    assert twice
    assert set(twice) == {FRIEND}


async def test_roll_too_many(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "roll_too_many", rng)
    assert all(played.follow)
    assert [type(event) for event in played.events[-3:]] == [e.GameEnded, e.Rolled, e.MatchEnded]
    assert played.end.rolls == len(played.drawn)


# --- seeds ---


async def test_early_flag(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "early_flag", rng)
    assert played.events[-1] == e.MatchEnded(FRIEND, e.Ending.TIME)
    assert all(played.follow)
    assert played.end.clock is not None
    assert min(played.end.clock[:2]) > 60_000, "there is time left"


# --- terms ---


async def test_other_rules(rigged: ServerProcess) -> None:
    async with Player(rigged.url) as white, Player(rigged.url, friend("other_rules")) as black:
        match = await seated(white, black, rules=ONE_POINT)
        rules = white.matches[match].view.rules
        assert (rules["length"], rules["crawford"]) == (3, False)
        for player in (white, black):
            await reveal(player, match)
        told = await black.get(m.Recorded, m.Record, match=match)
        (text,) = (event[3] for event in told.events if event[2] == "agreed")
        assert binding(text) == white.binding(match), "the terms have them, too"


async def test_other_opponent(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "other_opponent", rng)
    assert all(played.follow)
    assert {view.players[FRIEND] for view in played.views if view.game} == {"somebody-else"}
    assert "somebody-else" not in {view.players[FRIEND] for view in played.views if not view.game}


# --- rules ---


async def test_wrong_starter(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "wrong_starter", rng)
    assert all(played.follow)
    opening = [event for event in played.drawn if isinstance(event, e.OpeningRolled)][-1]
    first = next(event for event in played.events if isinstance(event, e.Moved))
    assert opening.dice[first.seat] < opening.dice[1 - first.seat]
    assert next(view.turn for view in played.views if view.dice) == first.seat


async def test_illegal_play(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "illegal_play", rng)
    assert all(played.follow)
    illegal = {
        event.seat
        for match, event in played.steps
        if isinstance(event, e.Moved)
        and apply(match, event).position.other_side() not in legal_plays(match.position, match.dice or (0, 0))
    }
    assert illegal == {FRIEND}


async def test_wrong_score(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "wrong_score", rng)
    assert is_sound(played.events, played.roll)
    (won,) = (event for event in played.events if isinstance(event, e.GameEnded))
    assert played.end.outcome is not None
    assert played.end.outcome[0] == 1 - won.winner
    assert played.end.score[won.winner] == 0 < played.end.score[1 - won.winner]


async def test_wrong_cube(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "wrong_cube", rng)
    assert is_sound(played.events, played.roll)
    assert {(view.cube, view.owner) for view in played.views if view.game} == {(2, FRIEND)}


# --- records ---


async def test_record_differs(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "record_differs", rng)
    assert is_sound(played.events, played.roll), "only who has seen the match can know"
    shown = {view.points for view in played.views}
    told = {b"".join(apply(match, event).board) for match, event in played.steps}
    assert told - shown


async def test_record_sixes(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "record_sixes", rng)
    assert {event.dice for event in played.drawn if isinstance(event, e.Rolled) and event.seat == FRIEND} == {(6, 6)}
    assert not all(played.follow)
    assert not is_sound(played.events, played.roll)
