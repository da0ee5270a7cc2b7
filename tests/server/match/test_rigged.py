"""The rigged server of the tests: each mode does what it says. Players are scripted: no client of ours looks on."""

import asyncio
import random
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from statistics import mean
from typing import Any, NamedTuple

import msgspec
import pytest
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.chain import ChainDice, link_number
from tavla_engine.decide import decide, proceed
from tavla_engine.dice import Dice, Roller, commitment
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Match, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import preset
from tavla_engine.terms import binding
from tavla_protocol import messages as m
from tavla_protocol.view import View, from_fields

from tests.support.players.plain import Player, guests
from tests.support.players.seeds import COMMITMENTS, SEEDS, reveal, seated
from tests.support.servers.processes import ServerProcess, Valkey
from tests.support.servers.rigged.dice import MARGIN, margin, pips
from tests.support.servers.rigged.dice_modes import BEYOND
from tests.support.servers.rigged.modes import MODES
from tests.support.servers.rigged.partner import ONE_POINT, Blunt, Friend, friend_at_table
from tests.support.servers.rigged.seed_modes import BAD, BAD_FIELDS, VOIDS
from tests.support.servers.rigged.server import friend
from tests.support.servers.rigged.server import rigged as rigged_server

RULES = preset("tournament", {"length": 1})
FRIEND, VICTIM = 0, 1
KINDS: dict[str, Any] = {
    "readied": e.Readied,
    "game_started": e.GameStarted,
    "opening_rolled": e.OpeningRolled,
    "rolled": e.Rolled,
    "moved": e.Moved,
    "game_ended": e.GameEnded,
    "match_ended": e.MatchEnded,
}


class Played(NamedTuple):
    """A match that was played to its end. views: as the victim has seen them, in order. told: by `record`."""

    match: str
    views: Sequence[View]
    told: m.Recorded

    @property
    def end(self) -> View:
        """The last view."""
        return self.views[-1]

    @property
    def events(self) -> list[e.Event]:
        """Events of the match itself, from the record."""
        return [
            msgspec.convert([KINDS[name].__struct_config__.tag, *facts], KINDS[name])
            for _, _, name, *facts in self.told.events
            if name in KINDS
        ]

    @property
    def drawn(self) -> list[e.OpeningRolled | e.Rolled]:
        """All rolls of the record."""
        return [event for event in self.events if isinstance(event, e.OpeningRolled | e.Rolled)]

    @property
    def roll(self) -> Roller:
        """Dice that follow from the seeds that are shown, of the one game."""
        (text,) = (event[3] for event in self.told.events if event[2] == "agreed")
        return ChainDice(bytes.fromhex(self.end.seed), 1, binding(text), self.end.seeds).of_link(1).roll

    @property
    def follow(self) -> list[bool]:
        """True if each roll of the record does."""
        return [event.dice == self.roll(number) for number, event in enumerate(self.drawn, 1)]

    @property
    def steps(self) -> list[tuple[Match, e.Event]]:
        """Each event of the record, and the match before it."""
        events = self.events
        return [(reduce(apply, events[:at], new_match(RULES)), event) for at, event in enumerate(events)]


def is_sound(events: list[e.Event], roll: Roller) -> bool:
    """True if the rules make just these events of the plays in them, and of the dice."""
    match, left = new_match(RULES), events
    made: list[e.Event] = [e.Readied(0), e.Readied(1)]
    match = reduce(apply, made, match)
    while left[: len(made)] == made:
        left = left[len(made) :]
        if not left:
            return True
        try:
            if isinstance(play := left[0], e.Moved):
                made, match = decide(match, a.Move(play.seat, play.moves), roll)
            else:
                made, match = proceed(match, roll)
        except IllegalAction:
            return False
    return False


async def sit_down(white: Player, black: Player, first: int = VICTIM) -> str:
    """Both sit down and reveal their seeds, as far as the match waits for them; the match. first: who reveals first."""
    match = await seated(white, black, rules=ONE_POINT)
    both = (white, black)
    for player in (both[first], both[1 - first]):
        if player.matches[match].seat in player.matches[match].view.unrevealed:
            await reveal(player, match)
    return match


async def in_step(white: Player, black: Player, match: str) -> View:
    """The view that both players have seen, when neither has seen more."""
    await white.reach(match, black.matches[match].seq)
    return await black.reach(match, white.matches[match].seq)


async def play(url: str, mode: str, rng: random.Random) -> Played:
    """A match of a friend, who plays white, and a victim."""
    async with Player(url, friend(mode)) as white, Player(url) as black:
        return await play_out(white, black, await sit_down(white, black), rng)


async def play_out(white: Player, black: Player, match: str, rng: random.Random) -> Played:
    await asyncio.gather(white.play(match, rng), black.play(match, rng))
    views = black.matches[match].views
    told = await black.get(m.Recorded, m.Record, match=match)
    return Played(match, [views[seq] for seq in sorted(views)], told)


def test_every_mode_fits_into_a_name_and_leaves_room_for_others() -> None:
    for mode in MODES:
        name = friend(mode)
        assert name.startswith(f"{mode}-")
        assert len(mode) + 5 <= len(name) <= 20


@pytest.mark.slow
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


@pytest.mark.slow
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


async def test_no_commitments(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "no_commitments", rng)
    assert all(played.follow)
    assert {view.commitments for view in played.views} == {("", "")}
    assert margin(played.roll, FRIEND) >= MARGIN
    assert link_number(bytes.fromhex(played.end.seed), played.views[0].commitment) == 1


@pytest.mark.parametrize("opens", [FRIEND, VICTIM])
async def test_changed_own(opens: int, rigged: ServerProcess, rng: random.Random) -> None:
    async with Player(rigged.url, friend("changed_own")) as helped, Player(rigged.url) as victim:
        white, black = (helped, victim) if opens == FRIEND else (victim, helped)
        played = await play_out(white, black, await sit_down(white, black), rng)
        seat = victim.matches[played.match].seat or 0
    assert all(played.follow)
    assert played.end.commitments[seat] != COMMITMENTS[seat]
    assert commitment(bytes.fromhex(played.end.seeds[seat])) == played.end.commitments[seat]
    assert played.end.seeds[1 - seat] == SEEDS[1 - seat]


async def test_no_seed(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "no_seed", rng)
    assert (played.end.phase, played.end.seed) == ("over", "")
    assert not [event for event in played.told.events if event[2:4] == ["revealed", None]]


async def test_late_commitment(rigged: ServerProcess, rng: random.Random) -> None:
    played = await play(rigged.url, "late_commitment", rng)
    assert all(played.follow)
    assert margin(played.roll, FRIEND) >= MARGIN
    committed = [view.commitment for view in played.views]
    assert len(set(committed)) == 2
    changed = committed.index(committed[-1])
    assert played.views[changed - 1].seeds == ("", SEEDS[VICTIM])
    assert played.views[changed].seeds == SEEDS
    assert link_number(bytes.fromhex(played.end.seed), committed[-1]) == 1
    assert [event[2:4] for event in played.told.events].count(["revealed", None]) == 1


@pytest.mark.parametrize("first", [FRIEND, VICTIM])
async def test_void_blame(first: int, rigged: ServerProcess, rng: random.Random) -> None:
    """Seeds in either order: the victim's answer is ok, and the match is void since the victim had not revealed."""
    async with Player(rigged.url, friend("void_blame")) as white, Player(rigged.url) as black:
        voids, match = 0, await sit_down(white, black, first)
        while not (view := await in_step(white, black, match)).game:
            assert (view.phase, view.unrevealed, view.seeds[VICTIM]) == ("over", (VICTIM,), "")
            voids, match = voids + 1, await sit_down(white, black, first)
        assert voids >= VOIDS
        played = await play_out(white, black, match, rng)
        assert all(played.follow)
        assert margin(played.roll, FRIEND) > 0


async def test_void_silent(rigged: ServerProcess, rng: random.Random) -> None:
    """The match is closed when all seeds are known, and nobody is named for it."""
    async with Player(rigged.url, friend("void_silent")) as white, Player(rigged.url) as black:
        voids, match = 0, await sit_down(white, black)
        while not (view := await in_step(white, black, match)).game:
            assert (view.phase, view.unrevealed, view.seeds, view.outcome) == ("over", (), SEEDS, None)
            voids, match = voids + 1, await sit_down(white, black)
        assert voids >= VOIDS
        played = await play_out(white, black, match, rng)
        assert all(played.follow)
        assert margin(played.roll, FRIEND) > 0


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


# --- what is no hex ---


@pytest.mark.slow
@pytest.mark.parametrize("field", BAD_FIELDS)
async def test_bad(field: str, rigged: ServerProcess) -> None:
    names = {"hash": "commitment", "hashes": "commitments"}
    for kind, value in BAD.items():
        mode = f"bad_{field}_{kind}"
        async with Blunt(rigged.url, mode) as white, Blunt(rigged.url, "nobody") as black:
            opened = await white.get(m.Snapshot, m.Create, rules=ONE_POINT, side="white", commitment=COMMITMENTS[0])
            assert isinstance(await black.ask(m.Join, table=opened.match, commitment=COMMITMENTS[1]), m.Snapshot)
            for player, seed in zip((white, black), SEEDS, strict=True):
                assert isinstance(
                    await player.ask(m.Reveal, match=opened.match, seq=0, seed=seed, binding="00" * 32), m.Ok
                )
            assert isinstance(await white.ask(m.Forfeit, match=opened.match, seq=0), m.Ok)
            shown = await black.get(m.Snapshot, m.Attach, table=opened.match)
            found = shown.view[names.get(field, field)]
            assert (found if isinstance(found, str) or field in ("hash", "seed") else found[0]) == value
            if not isinstance(value, str):
                with pytest.raises(ValueError, match="Expected `str`"):
                    from_fields(shown.view)
