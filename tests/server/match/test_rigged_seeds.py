"""A rigged server cheats with seeds and commitments as its modes say."""

import random

import pytest
from tavla_engine.chain import link_number
from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_protocol.view import from_fields

from tests.support.players.plain import Player
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.servers.processes import ServerProcess
from tests.support.servers.rigged.dice import MARGIN, margin
from tests.support.servers.rigged.partner import ONE_POINT, Blunt
from tests.support.servers.rigged.played import FRIEND, VICTIM, in_step, play, play_out, sit_down
from tests.support.servers.rigged.seed_modes import BAD, BAD_FIELDS, VOIDS
from tests.support.servers.rigged.server import friend


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


# --- what is no hex ---


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
