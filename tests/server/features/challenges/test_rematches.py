"""Rematches: who may ask for one, what it keeps, and what both get."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tests.support.players.challenges import RULES, Two, verdict
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import ServerProcess


async def over(two: Two) -> str:
    """A private match that white has won."""
    white, black = two
    snapshot = await white.get(m.Snapshot, m.Create, name=unique("t"), rules=RULES, side="white", private=True)
    match = snapshot.match
    assert isinstance(await black.ask(m.Join, table=match, code=white.matches[match].view.code), m.Snapshot)
    assert isinstance(await black.act(m.Forfeit, match), m.Ok)
    for player in two:
        await player.until(match, lambda view: view.phase == "over")
    return match


async def test_a_rematch_keeps_sides_and_rules_and_counts_the_series(two: Two) -> None:
    ada, bob = two
    match = await over(two)
    for number, first, second in ((1, ada, bob), (2, bob, ada)):
        await first.get(m.Challenged, m.Rematch, match=match)
        assert (await second.next(m.Challenged)).rematch == match
        snapshot = await second.get(m.Snapshot, m.Rematch, match=match)
        assert (await first.next(m.Matched)).match == snapshot.match
        match = snapshot.match
        while match not in first.matches:
            await first.receive()
        view = first.matches[match].view
        assert (view.players, view.rules["length"], view.series) == ((ada.name, bob.name), 1, (number, 0))
        assert isinstance(await bob.act(m.Forfeit, match), m.Ok)
        for player in two:
            await player.until(match, lambda view: view.phase == "over")


async def test_a_match_that_nobody_won_counts_for_neither_in_the_series(two: Two) -> None:
    ada, bob = two
    match = await new_match(ada, bob)
    for player in two:
        assert isinstance(await player.act(m.Abort, match, on=True), m.Ok)
        await ada.reach(match, bob.matches[match].seq)
    for player in two:
        await player.until(match, lambda view: view.phase == "over")
    await ada.ask(m.Rematch, match=match)
    snapshot = await bob.get(m.Snapshot, m.Rematch, match=match)
    assert bob.matches[snapshot.match].view.series == (0, 0)


async def test_watchers_are_told_of_a_rematch_and_may_watch_it(two: Two) -> None:
    ada, bob = two
    match = await over(two)
    code = ada.matches[match].view.code
    async with Player(ada.url) as eve:
        await eve.ask(m.Attach, table=match, code=code)
        await ada.ask(m.Rematch, match=match)
        await bob.ask(m.Rematch, match=match)
        told = await eve.next(m.Rematched)
        assert told.match == match
        assert refused(await eve.ask(m.Attach, table=told.next, code=code)) == "private", "a file may hold the old one"
        assert isinstance(await eve.ask(m.Attach, table=told.next, code=told.code), m.Snapshot)


async def test_a_rematch_can_be_declined(two: Two) -> None:
    ada, bob = two
    match = await over(two)
    asked = await ada.get(m.Challenged, m.Rematch, match=match)
    assert isinstance(await bob.ask(m.Answer, challenge=asked.challenge, accept=False), m.Ok)
    assert await verdict(ada) == "declined"


async def test_a_rematch_is_for_those_who_have_played_to_the_end(server: ServerProcess) -> None:
    async with at_match(server.url) as (ada, _, match), Player(server.url) as eve:
        assert refused(await ada.ask(m.Rematch, match=match)) == "wrong_phase"
        assert refused(await eve.ask(m.Rematch, match=match)) == ErrorCode.NOT_SEATED
        assert refused(await eve.ask(m.Rematch, match="aaaaaaaa")) == ErrorCode.NO_SUCH_MATCH
