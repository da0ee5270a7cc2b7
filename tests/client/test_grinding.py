"""Attacks on the dice: an operator tries seeds until they please, alone or with a player. Each is caught."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_client import Callbacks, Client, PlayStopped, Refused
from tavla_client.dice_check import DiceCheck
from tavla_client.pledges import Counts, Pledges
from tavla_client.seed_reveal import CHANGED
from tavla_engine.chain import chain_commitment
from tavla_engine.dice import Dice, commitment
from tavla_protocol import messages as m
from tavla_protocol.claims import binding_of, terms_in
from tavla_protocol.view import View

from tests.support.games.agreed import dice_of, link
from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, Connection, Waits, scripted, snapshot
from tests.support.wire.match_views import V

SEED, SEEDS = bytes(range(32)), ("0a" * 32, "0b" * 32)
WANTED = [(6, 1), (4, 4)]  # the rolls that the operator wants: one try in some 650 has them


def hash_of(seed: str) -> str:
    return commitment(bytes.fromhex(seed))


def rolls(server: bytes, seeds: tuple[str, str]) -> list[Dice]:
    roll = dice_of("m1", BEGUN, server, seeds).of_link(1).roll
    return [roll(number) for number in range(1, len(WANTED) + 1)]


def first_that_pleases(tried: Any) -> bytes:
    """A seed of the operator's or a friend's, tried one after the other."""
    for number in range(20_000):
        seed = number.to_bytes(32, "big")
        if [tuple(sorted(dice, reverse=True)) for dice in tried(seed)] == WANTED:
            return seed
    raise AssertionError("some seed pleases")


class Victim:
    """A player's client, of which the operator shows a match. seat: the player's."""

    def __init__(self, seat: int) -> None:
        self.seat, self.pledges, self.check = seat, Pledges(), DiceCheck("m1")
        self.pledges.make(SEEDS[seat])

    def see(self, view: View) -> None:
        self.check.pledge = self.check.pledge or self.pledges.find(view.commitments[self.seat])
        self.check.see(view, self.seat)

    def reveal(self, view: View) -> bool:
        """True if the seed is given away."""
        self.see(view)
        pledge = self.pledges.find(view.commitments[self.seat])
        bound = pledge and self.pledges.bind(pledge, "m1", terms_in("m1", view), self.seat)
        if bound is not None:
            self.check.pledge = bound
        return bound is not None and not self.check.fault

    def finds(self, over: View) -> bool:
        """True if the dice are known to be wrong at the end, or were before."""
        self.see(over)
        return not self.check.verdict(over).sound


BEGUN = replace(
    V,
    phase="reveal",
    game=0,
    rolls=0,
    commitment=chain_commitment(SEED),
    commitments=(hash_of(SEEDS[0]), hash_of(SEEDS[1])),
)


def play(victim: Victim, shown: View, dice: list[Dice]) -> None:
    """The first rolls, as the operator shows them."""
    for number, roll in enumerate(dice, 1):
        high_first = (max(roll), min(roll))
        victim.see(replace(shown, phase="move", game=1, rolls=number, dice=high_first))


def both_have_revealed() -> list[Victim]:
    victims = [Victim(0), Victim(1)]
    assert all(victim.reveal(BEGUN) for victim in victims)
    return victims


def test_an_honest_match_is_sound_for_both() -> None:
    for victim in both_have_revealed():
        shown = replace(BEGUN, seeds=SEEDS, phase="move")
        play(victim, shown, rolls(SEED, SEEDS))
        assert not victim.finds(replace(shown, phase="over", game=1, seed=link(SEED, 1)))


@pytest.mark.parametrize("admits", [False, True], ids=["with the old commitment", "with its own commitment"])
def test_an_operator_who_tries_seeds_when_both_are_known_is_caught_by_both(admits: bool) -> None:
    ground = first_that_pleases(lambda seed: rolls(seed, SEEDS))
    for victim in both_have_revealed():
        shown = replace(BEGUN, seeds=SEEDS, commitment=chain_commitment(ground) if admits else BEGUN.commitment)
        play(victim, shown, rolls(ground, SEEDS))
        assert victim.finds(replace(shown, phase="over", game=1, seed=link(ground, 1)))


@pytest.mark.parametrize("admits", [False, True], ids=["with the old commitment", "with its own commitment"])
def test_a_joiner_in_league_with_the_operator_is_caught(admits: bool) -> None:
    """Knowing the other two seeds, it tries its own."""
    ground = first_that_pleases(lambda seed: rolls(SEED, (SEEDS[0], seed.hex()))).hex()
    victim = both_have_revealed()[0]
    seeds = SEEDS[0], ground
    shown = replace(
        BEGUN, seeds=seeds, commitments=(BEGUN.commitments[0], hash_of(ground) if admits else hash_of(SEEDS[1]))
    )
    play(victim, shown, rolls(SEED, seeds))
    assert victim.finds(replace(shown, phase="over", game=1, seed=link(SEED, 1)))


def test_an_operator_who_leaves_a_players_seed_out_is_caught_by_that_player() -> None:
    ground = first_that_pleases(lambda seed: rolls(SEED, (seed.hex(), SEEDS[1]))).hex()
    victim = both_have_revealed()[0]
    shown = replace(BEGUN, seeds=(ground, SEEDS[1]), commitments=(hash_of(ground), BEGUN.commitments[1]))
    play(victim, shown, rolls(SEED, shown.seeds))
    assert victim.finds(replace(shown, phase="over", game=1, seed=link(SEED, 1)))


hexes = st.binary(min_size=16, max_size=32).map(bytes.hex)


@given(st.data())
def test_whatever_is_put_in_the_place_of_a_seed_after_the_first_was_revealed_is_found(data: st.DataObject) -> None:
    """Both clients hold the three to what they saw, however the operator shows what has taken their place."""
    server = data.draw(st.sampled_from([SEED]) | st.binary(min_size=32, max_size=32))
    seeds = data.draw(st.tuples(*(st.sampled_from([one]) | hexes for one in SEEDS)))
    kept = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))  # the commitments, as they were
    changed = (server, *seeds) != (SEED, *SEEDS)
    shown = replace(
        BEGUN,
        seeds=seeds,
        commitment=BEGUN.commitment if kept[0] else chain_commitment(server),
        commitments=tuple(BEGUN.commitments[seat] if kept[1 + seat] else hash_of(seeds[seat]) for seat in (0, 1)),
    )
    for victim in both_have_revealed():
        play(victim, shown, rolls(server, seeds))
        assert victim.finds(replace(shown, phase="over", game=1, seed=link(server, 1))) == changed


def test_a_seed_is_given_away_once() -> None:
    """A match that is void, a second table with the same commitment, a store that forgets: it is the same trick."""
    victim = Victim(0)
    assert victim.reveal(BEGUN)
    assert victim.reveal(BEGUN), "the same once more, after a lost connection"
    for again in (
        replace(BEGUN, commitment=commitment(b"other")),
        replace(BEGUN, commitments=(BEGUN.commitments[0], hash_of("0c" * 32))),
        replace(BEGUN, commitments=(BEGUN.commitments[0], "")),
    ):
        assert not victim.reveal(again)
    elsewhere = victim.pledges.find(BEGUN.commitments[0])
    assert elsewhere is not None
    assert victim.pledges.bind(elsewhere, "m2", terms_in("m1", BEGUN), 0) is None


# --- the client itself ---


async def joined(connection: Connection, client: Client, **changes: Any) -> tuple[Any, m.Join, View]:
    """The client sits down on seat 0, and both have committed; the match is shown with some changes."""
    joining = asyncio.create_task(client.join("cup"))
    join = await connection.expect(m.Join)
    view = replace(
        BEGUN,
        **{"commitments": (join.commitment, hash_of(SEEDS[1])), "unrevealed": (0, 1), "phase": "reveal", **changes},
    )
    await connection.send(snapshot(join.id, view))
    return await within(joining), join, view


async def test_the_client_reveals_by_itself_what_it_has_committed_to() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        match, join, _ = await joined(connection, client)
        reveal = await connection.expect(m.Reveal)
        assert (reveal.match, hash_of(reveal.seed)) == (MATCH, join.commitment)
        connection.cut()
        again = await server.accept()
        await again.expect(m.Attach)
        await again.send(snapshot(None, match.view))
        assert (await again.expect(m.Reveal)).seed == reveal.seed, "the answer may have been lost"


@pytest.mark.parametrize(
    "changes", [{"commitments": ("", hash_of(SEEDS[1]))}, {"commitments": (hash_of("0c" * 32), "")}]
)
async def test_the_client_reveals_nothing_where_its_commitment_is_missing(changes: dict[str, Any]) -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        match, *_ = await joined(connection, client, **changes)
        assert await connection.silent()
        assert not match.dice.verdict(match.view).sound


@pytest.mark.parametrize("is_kept", [False, True])
async def test_a_server_that_asks_for_a_seat_again_after_the_seed_gets_no_other_dice(is_kept: bool) -> None:
    """The store has lost the seat, and with another commitment the dice are others; or it has lost the seed alone."""
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        match, first, view = await joined(connection, client)
        reveal = await connection.expect(m.Reveal)
        await connection.send(m.Ok(id=reveal.id))
        if not is_kept:
            lost = replace(view, players=(None, "bob"), commitments=("", view.commitments[1]), phase="open")
            await connection.send(snapshot(None, lost, seat=None, epoch=2, seq=2))
        joining = asyncio.create_task(client.join("cup"))
        second = await connection.expect(m.Join)
        mine = first.commitment if is_kept else second.commitment
        view = replace(view, commitments=(mine, view.commitments[1]), unrevealed=(0,))
        await connection.send(snapshot(second.id, view, epoch=1 if is_kept else 2, seq=6))
        assert await within(joining) is match
        if is_kept:
            assert match.dice.fault == ""
        else:
            assert match.dice.fault == CHANGED
            assert await connection.silent()
        assert client.counts == Counts(1, by_server=int(not is_kept))


async def test_another_program_of_a_player_who_sits_down_twice_gives_no_other_seed(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path)
    old, new = (pledges.find(pledges.make(seed)) for seed in (SEEDS[0], "0c" * 32))
    assert old
    assert new
    pledges.bind(old, MATCH, "terms", 0)
    view = replace(BEGUN, commitments=(new.commitment, BEGUN.commitments[1]), unrevealed=(0, 1))
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path)) as client:
        connection = await server.accept()
        attaching = asyncio.create_task(client.attach(MATCH))
        await connection.send(snapshot((await connection.expect(m.Attach)).id, view))
        assert (await within(attaching)).dice.fault == CHANGED
        assert await connection.silent()


OTHER_RULES: list[tuple[dict[str, Any], str]] = [  # what the server offers, and what the player reads
    ({"length": 5}, "you asked for length 3, and the server offers length 5"),
    ({"length": 3, "crawford": False}, "you asked for crawford yes, and the server offers crawford no"),
    ({"length": 3, "reserve_s": 9}, "you asked for reserve_s 0, and the server offers reserve_s 9"),
    ({"length": 3, "acey_deucey": True}, "does not know the option acey_deucey of this match: update it"),
]


@pytest.mark.parametrize(("rules", "words"), OTHER_RULES)
async def test_a_seed_is_kept_back_from_a_match_that_was_not_asked_for_until_the_player_goes_on(
    rules: dict[str, Any], words: str
) -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        searching = asyncio.create_task(client.seek({"length": 3, "clock": "none"}))
        asked = await connection.expect(m.Seek)
        view = replace(BEGUN, rules=rules, commitments=(asked.commitment, hash_of(SEEDS[1])), unrevealed=(0, 1))
        await connection.send(m.Ok(id=asked.id), m.Matched(match=MATCH, seek=asked.id), snapshot(None, view))
        match = await within(searching)
        assert words in match.dice.fault
        assert await connection.silent()
        with pytest.raises(PlayStopped):
            await match.forfeit()
        match.go_on()
        await connection.send(m.Heartbeat(matches=[]))  # what follows from a message is sent after one
        reveal = await connection.expect(m.Reveal)
        assert (hash_of(reveal.seed), reveal.binding) == (asked.commitment, binding_of(MATCH, view))


@pytest.mark.parametrize(
    "changes", [{"salts": ("", "09" * 16)}, {"commitment": ""}, {"commitments": (hash_of(SEEDS[1]), hash_of(SEEDS[1]))}]
)
async def test_a_seed_is_kept_back_where_terms_or_commitments_are_missing_or_the_same(changes: dict[str, Any]) -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        joining = asyncio.create_task(client.join("cup", seed=SEEDS[1]))
        join = await connection.expect(m.Join)
        view = replace(BEGUN, **{"commitments": (join.commitment, hash_of(SEEDS[0])), "unrevealed": (0, 1), **changes})
        await connection.send(snapshot(join.id, view))
        assert (await within(joining)).dice.fault
        assert await connection.silent()


async def test_the_device_that_holds_the_seed_reveals_it_also_when_another_one_has_the_seat() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        joining = asyncio.create_task(client.join("cup"))
        join = await connection.expect(m.Join)
        waits = replace(BEGUN, commitments=(join.commitment, hash_of(SEEDS[1])), phase="ready")
        await connection.send(snapshot(join.id, waits))
        match = await within(joining)
        await connection.send(
            m.Replaced(match=MATCH), snapshot(None, replace(waits, phase="reveal", unrevealed=(0, 1)), seat=None, seq=6)
        )
        assert hash_of((await connection.expect(m.Reveal)).seed) == join.commitment
        assert not match.dice.fault


async def test_a_device_without_the_seed_says_so() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        attaching = asyncio.create_task(client.attach(MATCH))
        view = replace(BEGUN, unrevealed=(0, 1))
        await connection.send(snapshot((await connection.expect(m.Attach)).id, view))
        match = await within(attaching)
        assert match.seed_is_elsewhere
        await connection.send(snapshot(None, replace(view, unrevealed=(1,)), seq=6))
        while match.view.unrevealed == (0, 1):
            await within(match.next_change())
        assert not match.seed_is_elsewhere


async def test_a_void_challenge_is_an_error_for_the_one_who_waits() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        waiting = asyncio.create_task(client.challenges.send("bob", {"length": 3}))
        asked = await connection.expect(m.Challenge)
        await connection.send(
            m.Challenged(id=asked.id, challenge=MATCH, by="ada", to="bob", seat=0, expires=60), m.Matched(match=MATCH)
        )
        view = replace(BEGUN, commitments=(asked.commitment, hash_of(SEEDS[1])), phase="over", unrevealed=(1,))
        await connection.send(snapshot(None, view))
        with pytest.raises(Refused, match="no seed for the dice came from bob"):
            await within(waiting)


async def test_who_seeks_on_after_a_void_match_does_so_with_a_fresh_seed() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        searching = asyncio.create_task(client.seek({"length": 3, "clock": "none"}))
        asked = await connection.expect(m.Seek)
        view = replace(BEGUN, commitments=(asked.commitment, hash_of(SEEDS[1])), unrevealed=(0, 1))
        await connection.send(m.Ok(id=asked.id), m.Matched(match=MATCH, seek=asked.id), snapshot(None, view))
        assert hash_of((await connection.expect(m.Reveal)).seed) == asked.commitment
        told = list[str | None]()
        client.callbacks = Callbacks(
            void=lambda match: told.extend(match.view.players[seat] for seat in match.view.unrevealed)
        )
        await connection.send(snapshot(None, replace(view, phase="over", unrevealed=(1,)), seq=6))
        again = await connection.expect(m.Seek)
        assert told == ["bob"], "and why is told"
        assert again.id == asked.id
        assert again.commitment not in ("", asked.commitment), "the first seed is known by now"
        searching.cancel()
