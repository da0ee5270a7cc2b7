"""Challenges, and players whom another one does not want to hear of."""

import asyncio
import contextlib

import msgpack
import msgspec
import pytest
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.feed import CHALLENGES, Feed, RowUpdate
from tavla_server.features.challenges.challenge_pair import Challenge, Verdict, key_of
from tavla_server.features.challenges.challenges import CHALLENGES as ASKED
from tavla_server.features.challenges.open_challenges import ChallengeRow
from tavla_server.limits import Limits
from tavla_server.player import Player as Seated
from tavla_server.store.client import connection_to
from tavla_server.store.topology import find_topology
from tavla_server.timings import DEFAULTS, Timings
from tavla_server.token_bucket import Rate

from tests.support.patience import LATE_S, NEVER_AGAIN, ask_until
from tests.support.players.accounts import registered
from tests.support.players.challenges import Two, accepted, challenged, know_each_other, verdict
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey


async def put(feed: Feed, challenge: Challenge) -> None:
    """Put the row of a challenge, the only one between its two."""
    row = msgpack.packb(msgspec.to_builtins(ChallengeRow(1, (challenge,))))
    await feed.writer.put(RowUpdate(CHALLENGES, key_of(challenge.by.id, challenge.to.id), row, version=1))


async def is_away(player: Player, other: Player) -> None:
    """The node of the other one knows that a player has gone."""
    await ask_until(lambda: other.get(m.Listing, m.List, what="people"), lambda found: player.name not in found.rows)


# --- challenges ---


async def test_an_accepted_challenge_is_a_match_for_both_on_any_node(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob, side="black", commitment=COMMITMENTS[0])
    assert (heard.rules, heard.seat, heard.rematch) == ({"length": 1}, 1, None)
    assert DEFAULTS.challenge_s - LATE_S <= heard.expires <= DEFAULTS.challenge_s
    match = await accepted(ada, bob, heard.challenge)
    assert ada.matches[match].view.phase == "reveal"
    assert isinstance(await ada.act(m.Reveal, match, seed=SEEDS[0]), m.Ok)
    view = await ada.until(match, lambda view: view.game == 1)
    assert (view.players, view.commitments[1], view.seeds[1]) == ((bob.name, ada.name), COMMITMENTS[0], SEEDS[0])
    assert (ada.matches[match].seat, bob.matches[match].seat) == (1, 0)
    assert view.phase == "move"
    assert await verdict(bob) == "accepted"


async def test_a_challenge_is_not_accepted_with_the_commitment_that_it_came_with(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob, commitment=COMMITMENTS[0])
    copied = {"challenge": heard.challenge, "accept": True, "commitment": COMMITMENTS[0]}
    assert refused(await bob.ask(m.Answer, **copied)) == ErrorCode.BAD_COMMITMENT
    same = await bob.ask(m.Challenge, player=ada.name, rules={"length": 1}, commitment=COMMITMENTS[0])
    assert refused(same) == ErrorCode.BAD_COMMITMENT, "to ask for the same is to accept"
    assert isinstance(await bob.ask(m.Answer, **{**copied, "commitment": COMMITMENTS[1]}), m.Snapshot)


async def test_each_sees_the_other_there_from_the_start(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        await know_each_other(ada, bob)
        for _ in range(5):
            match = await accepted(ada, bob, (await challenged(ada, bob)).challenge)
            assert ada.matches[match].online == bob.matches[match].online == (True, True)


async def test_a_declined_challenge_leads_to_nothing(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    assert isinstance(await bob.ask(m.Answer, challenge=heard.challenge, accept=False), m.Ok)
    assert await verdict(ada) == await verdict(bob) == "declined"
    for player, request in ((bob, m.Answer), (ada, m.Withdraw)):
        fields = {"accept": True} if request is m.Answer else {}
        assert refused(await player.ask(request, challenge=heard.challenge, **fields)) == ErrorCode.NO_SUCH_CHALLENGE
    await accepted(ada, bob, (await challenged(ada, bob)).challenge)


async def test_a_withdrawn_challenge_cannot_be_accepted(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    assert refused(await bob.ask(m.Withdraw, challenge=heard.challenge)) == ErrorCode.NO_SUCH_CHALLENGE
    assert isinstance(await ada.ask(m.Withdraw, challenge=heard.challenge), m.Ok)
    assert await verdict(bob) == "withdrawn"
    answer = await bob.ask(m.Answer, challenge=heard.challenge, accept=True)
    assert refused(answer) == ErrorCode.NO_SUCH_CHALLENGE


async def test_accepting_and_withdrawing_at_once_has_one_outcome_for_both(two: Two) -> None:
    ada, bob = two
    for _ in range(10):
        heard = await challenged(ada, bob)
        answer, taken_back = await asyncio.gather(
            bob.ask(m.Answer, challenge=heard.challenge, accept=True), ada.ask(m.Withdraw, challenge=heard.challenge)
        )
        assert isinstance(answer, m.Snapshot) != isinstance(taken_back, m.Ok)
        assert await verdict(bob) == ("accepted" if isinstance(answer, m.Snapshot) else "withdrawn")
        if isinstance(answer, m.Snapshot):
            assert (await ada.next(m.Matched)).match == heard.challenge
            await bob.ask(m.Forfeit, match=heard.challenge, seq=0)


async def test_who_accepts_twice_has_one_match(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    id_ = bob.new_id()
    first = await bob.ask(m.Answer, id=id_, challenge=heard.challenge, accept=True)
    second = await bob.ask(m.Answer, id=id_, challenge=heard.challenge, accept=True)
    assert isinstance(first, m.Snapshot)
    assert isinstance(second, m.Snapshot)
    assert (first.match, first.seq, first.seat) == (second.match, second.seq, second.seat)


async def test_a_challenge_reaches_all_connections_also_later_ones(two: Two) -> None:
    ada, bob = two
    async with Player(ada.url, token=bob.token) as again:
        heard = await challenged(ada, bob)
        assert (await again.next(m.Challenged)).challenge == heard.challenge
        async with Player(bob.url, token=bob.token) as later:
            assert (await later.next(m.Challenged)).challenge == heard.challenge
        await accepted(ada, again, heard.challenge)
        assert await verdict(bob) == "accepted"


@pytest.mark.parametrize("timings", [Timings(challenge_s=0.5, sweep_s=0.5)], ids=["impatient"])
async def test_a_challenge_expires(two: Two) -> None:
    ada, bob = two
    await challenged(ada, bob)
    assert await verdict(ada) == await verdict(bob) == "expired"


async def test_who_accepted_on_a_node_that_died_has_the_match_all_the_same(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(left_over_s=0.0, sweep_s=0.1)) as node, guests(node, 2) as (ada, bob):
        by, to = (Seated(player.id, str(player.name)) for player in (ada, bob))
        left = Challenge("leftover", by, to, Rules(), 0, ("", ""), 0, verdict="accepted")
        async with connection_to(valkey.url) as redis:
            await put(Feed(redis, await find_topology(valkey.url)), left)
        assert await verdict(ada) == await verdict(bob) == "accepted"
        assert isinstance(await ada.ask(m.Attach, table="leftover"), m.Error | m.Snapshot)
        listing = await ada.get(m.Listing, m.List, what="mine")
        assert list(listing.rows) == ["leftover"]


# --- what is refused ---


async def test_a_challenge_needs_someone_who_is_here(two: Two) -> None:
    ada, bob = two
    assert refused(await ada.ask(m.Challenge, player="nobody-at-all")) == ErrorCode.NO_SUCH_PLAYER
    assert refused(await ada.ask(m.Challenge, player=ada.name)) == ErrorCode.NO_SUCH_PLAYER
    assert refused(await ada.ask(m.Challenge, player=bob.name, rules={"length": -1})) == ErrorCode.BAD_RULES
    assert refused(await ada.ask(m.Challenge, player=bob.name, rules={"rated": True})) == ErrorCode.ACCOUNT_NEEDED
    await bob.sync()
    await bob.close()
    await is_away(bob, ada)
    assert refused(await ada.ask(m.Challenge, player=bob.name)) == ErrorCode.NOT_ONLINE


async def test_a_rated_challenge_is_for_two_accounts(two: Two) -> None:
    ada, bob = two
    await registered(ada)
    answer = await ada.get(m.Error, m.Challenge, player=bob.name, rules={"rated": True})
    assert (answer.code, str(bob.name) in answer.text) == (ErrorCode.ACCOUNT_NEEDED, True)


async def test_a_challenge_is_answered_by_the_other_one_and_withdrawn_by_whose_it_is(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    for accept in (True, False):
        answer = await ada.ask(m.Answer, challenge=heard.challenge, accept=accept)
        assert refused(answer) == ErrorCode.NO_SUCH_CHALLENGE
    assert refused(await bob.ask(m.Withdraw, challenge=heard.challenge)) == ErrorCode.NO_SUCH_CHALLENGE
    await accepted(ada, bob, heard.challenge)


@pytest.mark.parametrize("why", ["withdrawn", "declined", "expired"])
async def test_a_challenge_that_has_its_verdict_gets_no_other(two: Two, valkey: Valkey, why: Verdict) -> None:
    ada, bob = two
    async with connection_to(valkey.url) as redis:
        feed = Feed(redis, await find_topology(valkey.url))
        by, to = (Seated(player.id, str(player.name)) for player in (ada, bob))
        judged = Challenge(id_ := unique("c"), by, to, Rules(), 0, ("", ""), 2**41, verdict=why)
        await put(feed, judged)  # as it stands there for a moment, before it goes
        assert await verdict(ada) == await verdict(bob) == why
        answers = {
            "accepted": await bob.ask(m.Answer, challenge=id_, accept=True),
            "declined": await bob.ask(m.Answer, challenge=id_, accept=False),
            "withdrawn": await ada.ask(m.Withdraw, challenge=id_),
        }
        done = answers.pop(why, None)  # the same once more changes nothing
        assert done is None or isinstance(done, m.Ok)
        assert {refused(answer) for answer in answers.values()} == {ErrorCode.NO_SUCH_CHALLENGE}
        await feed.writer.put(RowUpdate(CHALLENGES, key_of(ada.id, bob.id), None))


async def test_a_challenge_that_goes_without_a_word_is_withdrawn(two: Two, valkey: Valkey) -> None:
    ada, bob = two
    await challenged(ada, bob)
    async with connection_to(valkey.url) as redis:  # as a node sees it that has missed the verdict
        feed = Feed(redis, await find_topology(valkey.url))
        await feed.writer.put(RowUpdate(CHALLENGES, key_of(ada.id, bob.id), None))
    assert await verdict(ada) == await verdict(bob) == "withdrawn"


@pytest.mark.parametrize("limits", [Limits(ignored=1)])
async def test_an_ignore_list_has_an_end_and_who_is_on_it_may_be_put_there_again(two: Two) -> None:
    ada, bob = two
    for _ in range(2):
        assert isinstance(await ada.ask(m.Ignore, player=bob.name), m.Ok)
    async with Player(ada.url) as eve:
        assert refused(await ada.ask(m.Ignore, player=eve.name)) == ErrorCode.TOO_MANY
        assert isinstance(await ada.ask(m.Ignore, player=bob.name, on=False), m.Ok)
        assert isinstance(await ada.ask(m.Ignore, player=eve.name), m.Ok)


async def test_who_has_gone_is_not_brought_to_a_match(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    await ada.close()
    await is_away(ada, bob)
    answer = await bob.ask(m.Answer, challenge=heard.challenge, accept=True)
    assert refused(answer) == ErrorCode.NOT_ONLINE


@pytest.mark.parametrize("limits", [Limits(open_challenges=1, rates={"challenges": Rate(NEVER_AGAIN, ASKED.burst)})])
async def test_challenges_are_limited(two: Two) -> None:
    ada, bob = two
    heard = await challenged(ada, bob)
    assert refused(await ada.ask(m.Challenge, player=bob.name)) == ErrorCode.TOO_MANY
    await ada.ask(m.Withdraw, challenge=heard.challenge)
    for _ in range(int(ASKED.burst) + 1):
        answer = await ada.ask(m.Challenge, player=bob.name)
        if isinstance(answer, m.Error):
            break
        assert isinstance(answer, m.Challenged)
        await ada.ask(m.Withdraw, challenge=answer.challenge)
    assert refused(answer) == ErrorCode.TOO_MANY
    await bob.sync()


async def test_challenges_of_the_same_moment_are_counted_together_and_each_end_makes_room(valkey: Valkey) -> None:
    many = 10
    limits = Limits(rates={"challenges": Rate(100.0, 100.0)})
    async with (
        inside(valkey.url, limits=limits) as here,
        inside(valkey.url, limits=limits) as there,
        Player(here) as ada,
        guests(there, many) as others,
        contextlib.AsyncExitStack() as stack,
    ):
        again = [await stack.enter_async_context(Player(url, token=ada.token)) for url in (here, there) * (many // 2)]
        await know_each_other(ada, *again, *others)
        asked = [one.ask(m.Challenge, player=other.name) for one, other in zip(again, others, strict=True)]
        answers = await asyncio.gather(*asked)
        heard = [answer for answer in answers if isinstance(answer, m.Challenged)]
        assert len(heard) == limits.open_challenges, "the others are too many"
        free = [other for other, answer in zip(others, answers, strict=True) if isinstance(answer, m.Error)]
        told = {other.name: other for other in others}
        ends = [
            ada.ask(m.Withdraw, challenge=heard[0].challenge),
            told[heard[1].to].ask(m.Answer, challenge=heard[1].challenge, accept=False),
            told[heard[2].to].ask(m.Answer, challenge=heard[2].challenge, accept=True),
        ]
        for end, other in zip(ends, free, strict=False):
            assert refused(await ada.ask(m.Challenge, player=other.name)) == ErrorCode.TOO_MANY
            assert not isinstance(await end, m.Error)
            assert isinstance(await ada.ask(m.Challenge, player=other.name), m.Challenged)


@pytest.mark.parametrize("timings", [Timings(decline_delay_s=(0.1, 0.2))], ids=["impatient"])
async def test_one_who_is_ignored_is_declined_and_not_heard(two: Two) -> None:
    ada, bob = two
    assert refused(await bob.ask(m.Ignore, player="nobody-at-all")) == ErrorCode.NO_SUCH_PLAYER
    assert isinstance(await bob.ask(m.Ignore, player=ada.name), m.Ok)
    assert isinstance(await ada.ask(m.Challenge, player=bob.name), m.Challenged), "ada is not to know"
    assert await verdict(ada) == "declined"
    assert await bob.sync() == []
    assert isinstance(await bob.ask(m.Ignore, player=ada.name, on=False), m.Ok)
    await challenged(ada, bob)


# --- rematch ---
