"""Fair play: the figures of an account, and who is told of them."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codec import encode
from tavla_protocol.codes import ErrorCode
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import BestPlay, ErrorSum, Judgement, ThinkingTime
from tavla_server.features.moderation.fair_play import figures_of, rating_with_error
from tavla_server.player import Player as Account

from tests.support.players.accounts import registered
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import player
from tests.support.stores.judged import judged_for_ratings

JUDGED = Judgement(
    by="Sage",
    ratings=(5.0, 10.0),
    lost=(0.4, 0.8),
    decisions=(40, 40),
    thinking=(ThinkingTime(10, 6, 70_000, 30, 90_000), ThinkingTime(10, 3, 50_000, 30, 60_000)),
    errors=((ErrorSum("take", 4, 0.1, 0.1, 9), ErrorSum("play", 36, 0.3, 0.2, 17)), ()),
    best=((BestPlay("8/5 6/5", 0.12, 17), BestPlay("24/18 13/10", 0.05, 3)), (BestPlay("6/off 5/off", 0.3, 9),)),
)
ERRORS = [  # matches, each with its loss and decisions; rating and error
    ([], (None, None)),
    ([(0.0, 0)], (None, None)),
    ([(0.4, 40)], (5.0, None)),
    ([(0.4, 40), (0.4, 40)], (5.0, 0.0)),
    ([(0.3, 40), (0.5, 40)], (5.0, 2.45)),  # 1.96 * 500 / 80 * sqrt(2 / 1 * (0.1^2 + 0.1^2)) = 2.45
    ([(0.3, 40), (0.5, 40)] * 50, (5.0, 0.25)),
]


@pytest.mark.parametrize(("matches", "told"), ERRORS)
def test_the_error_is_that_of_a_ratio_by_matches(
    matches: list[tuple[float, int]], told: tuple[float | None, float | None]
) -> None:
    assert rating_with_error(matches) == told


async def test_matches_of_one_judge_alone_are_summed(archive: Archive, rng: random.Random) -> None:
    ada, bob, eve = (player(rng, name, 1500) for name in ("ada", "bob", "eve"))
    for number, (players, judgement) in enumerate(
        [
            ((ada, bob), JUDGED),
            ((bob, ada), JUDGED),
            ((ada, eve), JUDGED),
            ((ada, eve), replace(JUDGED, by="the house")),
            ((ada, eve), replace(JUDGED, rough=True)),
            ((ada, eve), Judgement(error="cannot be judged")),
            ((bob, eve), JUDGED),
        ]
    ):
        await judged_for_ratings(archive, rng, players, judgement, began_ms=10**12 + 10**7 * number)
    found = figures_of(7, ada, await archive.players.judged_matches(ada.id, 100))
    assert (found.name, found.by, found.matches, found.decisions) == ("ada", "Sage", 3, 120)
    assert found.performance == pytest.approx(500 * 1.6 / 120, abs=0.01)
    assert (found.hard, found.right, found.hard_s, found.others_s) == (30, 15, 6.3, 2.7)
    assert found.opponents == [("bob", 2), ("eve", 1)]
    assert [one[:4] for one in found.errors] == [("play", 72, 0.6, 0.2), ("take", 8, 0.2, 0.1)], "in two matches"
    assert [(one.done, one.margin, one.number) for one in found.best] == [
        ("6/off 5/off", 0.3, 9),
        ("8/5 6/5", 0.12, 17),
        ("8/5 6/5", 0.12, 17),
        ("24/18 13/10", 0.05, 3),
        ("24/18 13/10", 0.05, 3),
    ], "each in a match of its own"
    assert len({(one.match, one.number) for one in found.best}) == 5
    assert len(await archive.players.judged_matches(ada.id, 2)) == 2
    assert figures_of(7, eve, []).matches == 0
    await archive.players.forget(bob.id)
    closed = figures_of(7, ada, await archive.players.judged_matches(ada.id, 100))
    assert closed == replace(found, opponents=[("someone", 2), ("eve", 1)])


async def test_they_are_told_to_the_player_and_to_moderators_alone(
    valkey: Valkey, rng: random.Random, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(valkey.url, archive=url) as node, Player(node) as ada, Player(node) as bob, Player(node) as eve:
        await registered(ada, bob)
        await appointed(eve, valkey.url)
        async with archive_at(url) as archive:
            players = [Account(one.id, one.name or "", "account", 1500.0) for one in (ada, bob)]
            match = await judged_for_ratings(archive, rng, players, JUDGED)
        own = await ada.get(m.Figures, m.FairPlay)
        assert (own.name, own.performance, own.right, own.opponents) == (ada.name, 5.0, 6, [(bob.name, 1)])
        for name in (bob.name, "nobody-here"):
            assert refused(await ada.ask(m.FairPlay, name=name)) == ErrorCode.NOT_ALLOWED
        assert own.best == [m.BestPlay("8/5 6/5", 0.12, match, 17), m.BestPlay("24/18 13/10", 0.05, match, 3)]
        of_bob = await eve.get(m.Figures, m.FairPlay, name=(bob.name or "").upper())
        assert (of_bob.name, of_bob.performance, of_bob.hard_s) == (bob.name, 10.0, 5.0)
        for public in (await eve.ask(m.History, name=ada.name), await eve.ask(m.Record, match=match)):
            assert isinstance(public, m.Played | m.Recorded), public
            assert b"Sage" in encode(public), "the judgement is there"
            assert b"thinking" not in encode(public)
            assert b"errors" not in encode(public)
            assert b"8/5 6/5" not in encode(public)
