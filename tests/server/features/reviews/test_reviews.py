"""Shared reviews: who joins, leads and is told what, on any node, whatever becomes of connections and nodes."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.limits import Limits, Quota
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rate

from tests.support.patience import NEVER_AGAIN
from tests.support.players.plain import Player, refused
from tests.support.players.reviews import SCENE, here, join, start, until
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import replicated

QUICK = Timings(sweep_s=0.05)


@pytest.fixture
async def nodes(own_valkey: Valkey) -> AsyncIterator[tuple[str, str]]:
    async with inside(own_valkey.url, QUICK) as one, inside(own_valkey.url, QUICK) as other:
        yield one, other


async def test_who_joins_sees_what_the_leader_shows_on_every_node(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[0]) as eve:
        begun = await start(ada)
        assert (begun.people, begun.maker, begun.leader, begun.scene) == ([ada.name], ada.name, ada.name, SCENE)
        assert (await join(bob, begun)).scene == SCENE
        await until(ada, here(ada, bob))
        await join(eve, begun)
        await until(bob, here(ada, bob, eve))
        scene = m.ReviewScene(match="k3v7q2xa", code="abcd", decision=4, tried=True, steps=[(24, 18)], marks=[5])
        assert isinstance(await ada.ask(m.ShowReview, scene=scene), m.Ok)
        for player in (ada, bob, eve):
            assert (await until(player, lambda review: review.scene == scene)).leader == ada.name
        assert isinstance(await eve.ask(m.LeaveReview), m.Ok)
        await until(bob, here(ada, bob))
        await ada.ask(m.ShowReview, scene=SCENE)
        await until(bob, lambda review: review.scene == SCENE)
        assert not [one for one in await eve.sync() if isinstance(one, m.Review) and one.scene == SCENE], "eve has left"


async def test_the_lead_is_handed_over_and_taken_back(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as eve:
        begun = await start(ada)
        for player in (bob, eve):
            await join(player, begun)
        assert refused(await bob.ask(m.ShowReview, scene=SCENE)) == ErrorCode.NOT_LEADING
        for asked in ({}, {"player": bob.name}):
            assert refused(await bob.ask(m.LeadReview, **asked)) == ErrorCode.NOT_LEADING
        assert refused(await ada.ask(m.LeadReview, player="nobody")) == ErrorCode.NOT_ONLINE
        await until(ada, here(ada, bob, eve))
        assert isinstance(await ada.ask(m.LeadReview, player=str(bob.name).upper()), m.Ok)
        await until(bob, lambda review: review.leader == bob.name)
        assert isinstance(await bob.ask(m.ShowReview, scene=m.ReviewScene(decision=9)), m.Ok)
        assert refused(await ada.ask(m.ShowReview, scene=SCENE)) == ErrorCode.NOT_LEADING
        await until(ada, lambda review: review.scene.decision == 9)
        assert isinstance(await ada.ask(m.LeadReview), m.Ok), "its maker may take it at any time"
        await until(eve, lambda review: review.leader == ada.name and review.scene.decision == 9)


async def test_a_file_that_its_leader_shares_is_read_by_all_who_are_there(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        assert refused(await bob.ask(m.ReadFile)) == ErrorCode.NOT_ATTACHED
        assert refused(await bob.ask(m.ShareFile, piece=0, data=b"one")) == ErrorCode.NOT_ATTACHED
        begun = await start(ada)
        await join(bob, begun)
        assert refused(await bob.ask(m.ShareFile, piece=0, data=b"one")) == ErrorCode.NOT_LEADING
        pieces = [bytes([piece]) * 3072 for piece in range(11)]
        for piece in (10, *range(10)):  # in any order
            assert isinstance(await ada.ask(m.ShareFile, piece=piece, data=pieces[piece]), m.Ok)
        assert refused(await ada.ask(m.ShareFile, piece=3, data=b"another")) == ErrorCode.TOO_MANY
        scene = m.ReviewScene(file=11, decision=1)
        assert isinstance(await ada.ask(m.ShowReview, scene=scene), m.Ok)
        await until(bob, lambda review: review.scene == scene)
        assert (await bob.get(m.SharedFile, m.ReadFile)).data == b"".join(pieces)
        await start(bob)
        assert (await bob.get(m.SharedFile, m.ReadFile)).data == b"", "each review has its own"


async def test_while_maker_and_leader_are_away_the_longest_present_may_lead(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as eve:
        begun = await start(ada)
        await join(bob, begun)
        assert here(ada, bob, eve)(await join(eve, begun))
        await ada.close()
        assert (await until(eve, here(bob, eve))).leader == ""
        assert refused(await eve.ask(m.LeadReview)) == ErrorCode.NOT_LEADING
        assert isinstance(await bob.ask(m.LeadReview), m.Ok)
        async with Player(nodes[1], token=ada.token) as again:
            assert (await join(again, begun)).leader == bob.name
            assert isinstance(await again.ask(m.LeadReview), m.Ok)
            assert (await until(bob, lambda review: review.leader == again.name)).maker == again.name


async def test_a_leader_that_was_cut_off_comes_back_and_leads_on(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        begun = await start(ada)
        await join(bob, begun)
        ada.socket.transport.abort()
        await until(bob, here(bob))
        async with Player(nodes[1], token=ada.token) as again:
            assert (await join(again, begun)).scene == SCENE
            assert isinstance(await again.ask(m.ShowReview, scene=m.ReviewScene(decision=4)), m.Ok)
            await until(bob, lambda review: review.scene.decision == 4)


async def test_another_window_of_a_player_is_no_other_person(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1], token=ada.token) as window, Player(nodes[1]) as bob:
        begun = await start(ada)
        assert (await join(window, begun)).people == [ada.name]
        await join(bob, begun)
        await window.close()
        await ada.ask(m.ShowReview, scene=m.ReviewScene(decision=8))
        assert (await until(bob, lambda review: review.scene.decision == 8)).people == [ada.name, bob.name]


async def test_to_join_again_tells_how_all_is_and_to_join_another_leaves_this_one(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        begun, other = await start(ada), await start(bob)
        await join(bob, begun)
        again = await join(bob, begun)
        assert (again.people, again.leader) == ([ada.name, bob.name], ada.name)
        assert (await join(ada, other)).people == [ada.name]
        await until(bob, here(bob))


async def test_what_is_said_is_heard_by_all_but_who_ignores_the_speaker(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as eve:
        begun = await start(ada)
        said = {"match": begun.review, "to": "watchers"}
        assert refused(await bob.ask(m.Say, text="hello", **said)) == ErrorCode.NOT_ATTACHED
        for player in (bob, eve):
            await join(player, begun)
        await eve.ask(m.Ignore, player=ada.name)
        await until(ada, here(ada, bob, eve))
        await ada.ask(m.ShowReview, scene=m.ReviewScene(decision=8))
        await until(bob, lambda review: review.scene.decision == 8)  # its node hears the channel by now
        assert refused(await ada.ask(m.Say, text="\x1b[2J", **said)) == ErrorCode.NOTHING_SAID
        assert isinstance(await ada.ask(m.Say, text=" look\x07 here ", **said), m.Ok)
        for player in (ada, bob):
            line = await player.next(m.Said)
            assert (line.match, line.name, line.seat, line.text) == (begun.review, ada.name, None, "look here")
        assert isinstance(await bob.ask(m.Say, phrase="thanks", **said), m.Ok)
        assert (await eve.next(m.Said)).name == bob.name, "and nothing of ada's before"


async def test_a_review_without_anybody_expires_and_one_with_people_does_not(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, Timings(sweep_s=0.05, review_s=2)) as node, Player(node) as ada:
        begun = await start(ada)
        async with connection_to(own_valkey.url) as redis:
            assert isinstance(await ada.ask(m.ShareFile, piece=0, data=b"one"), m.Ok)
            both = [keys.REVIEW(begun.review), keys.REVIEW_FILE(begun.review)]
            for key in both:
                await redis.expire(key, 60)
            while max([await redis.ttl(key) for key in both]) > 2:  # until a sweep has renewed them
                await ada.sync()
            await ada.ask(m.LeaveReview)
            while await redis.exists(*both):
                await ada.sync()
        assert refused(await ada.ask(m.JoinReview, review=begun.review)) == ErrorCode.NO_SUCH_REVIEW


async def test_who_is_in_a_review_that_the_store_has_lost_is_told(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, QUICK) as node, Player(node) as ada:
        begun = await start(ada)
        async with connection_to(own_valkey.url) as redis:
            await redis.delete(keys.REVIEW(begun.review))
        assert (await until(ada, lambda review: not review.people)).review == begun.review
        assert refused(await ada.ask(m.ShowReview, scene=SCENE)) == ErrorCode.NOT_ATTACHED


async def test_there_are_limits(own_valkey: Valkey) -> None:
    rates = {"shows": Rate(NEVER_AGAIN, 2), "reviews": Rate(NEVER_AGAIN, 4), "pieces": Rate(NEVER_AGAIN, 1)}
    limits = Limits(review_people=2, new_reviews=Quota(2, 60), reviews_by_address=Quota(2, 60), rates=rates)
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(inside(own_valkey.url, QUICK, limits))
        ada, bob, eve = [await stack.enter_async_context(Player(node)) for _ in range(3)]
        await start(ada)
        begun = await start(ada)
        assert refused(await ada.ask(m.StartReview, scene=SCENE)) == ErrorCode.TOO_MANY
        await join(bob, begun)
        assert refused(await eve.ask(m.JoinReview, review=begun.review)) == ErrorCode.TOO_MANY
        assert not [message for message in await eve.sync() if isinstance(message, m.Review)], "it is told nothing"
        await bob.ask(m.LeaveReview)
        await until(ada, here(ada))
        await join(eve, begun)
        answers = [await ada.ask(m.ShowReview, scene=SCENE) for _ in range(3)]
        assert [isinstance(answer, m.Ok) for answer in answers] == [True, True, False]
        assert isinstance(await ada.ask(m.ShareFile, piece=0, data=b"one"), m.Ok)
        assert refused(await ada.ask(m.ShareFile, piece=1, data=b"two")) == ErrorCode.TOO_MANY
        for request in (m.ReadFile, m.JoinReview, m.JoinReview):
            await bob.ask(request, **({} if request is m.ReadFile else {"review": begun.review}))
        assert refused(await bob.ask(m.JoinReview, review=begun.review)) == ErrorCode.TOO_MANY


HOSTILE = [
    {"match": "x" * 17},
    {"position": "x" * 101},
    {"position": "a\x1b[2Jb"},
    {"match": "a\u202eb"},
    {"code": "CODE"},
    {"decision": -1},
    {"file": -1},
    {"file": 12},
    {"steps": [(1, 2)] * 17},
    {"steps": [(1, 26)]},
    {"marks": [1] * 27},
    {"marks": [26]},
    {"arrows": [(1, 2)] * 17},
    {"arrows": [(26, 1)]},
    {"answer": "perhaps"},
    {"steps": [(0, -1)]},
]


@pytest.mark.parametrize("scene", HOSTILE, ids=str)
async def test_a_scene_that_cannot_be_is_refused(server: ServerProcess, scene: dict[str, object]) -> None:
    async with Player(server.url) as ada:
        for request in (m.StartReview, m.ShowReview):
            if request is m.ShowReview:
                await start(ada)
            answer = await ada.ask(request, scene=m.ReviewScene(**scene))  # type: ignore[arg-type]
            assert refused(answer) == ErrorCode.BAD_MESSAGE


HOSTILE_PIECES: list[tuple[object, object]] = [
    (-1, b"x"),
    (11, b"x"),
    ("0", b"x"),
    (0, b""),
    (0, bytes(3073)),
    (0, [1]),
]


@pytest.mark.parametrize(("piece", "data"), HOSTILE_PIECES, ids=str)
async def test_a_piece_that_cannot_be_is_refused(server: ServerProcess, piece: object, data: object) -> None:
    async with Player(server.url) as ada:
        await start(ada)
        assert refused(await ada.ask(m.ShareFile, piece=piece, data=data)) == ErrorCode.BAD_MESSAGE
        assert (await ada.get(m.SharedFile, m.ReadFile)).data == b""


async def test_an_id_that_is_none_is_refused(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        for review in ("", "a" * 15, "A" * 16, "*" * 16, "a" * 15 + "}"):
            assert refused(await ada.ask(m.JoinReview, review=review)) == ErrorCode.BAD_MESSAGE


@pytest.fixture
def two(own_valkey: Valkey, tmp_path: Path) -> Iterator[list[ServerProcess]]:
    servers = [ServerProcess(tmp_path / name, "--redis", own_valkey.url) for name in ("one", "other")]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.kill()


async def test_a_node_that_is_killed_costs_its_people_nothing_but_the_way_back(two: list[ServerProcess]) -> None:
    one, other = two
    async with Player(one.url) as ada, Player(other.url) as bob:
        begun = await start(ada)
        await join(bob, begun)
        await ada.ask(m.ShowReview, scene=m.ReviewScene(decision=4))
        one.kill()
        assert (await until(bob, here(bob))).leader == "", "it is seen to be away, though nobody has said so"
        async with Player(other.url, token=ada.token) as again:
            known = await join(again, begun)
            assert (known.scene.decision, known.leader) == (4, again.name)
            await again.ask(m.ShowReview, scene=m.ReviewScene(decision=5))
            await until(bob, lambda review: review.scene.decision == 5)
        await until(bob, here(bob))
        one.start()
        async with Player(one.url, token=ada.token) as back:
            assert (await join(back, begun)).people == [bob.name, back.name]


@pytest.mark.slow
async def test_the_store_may_be_a_cluster() -> None:
    with replicated(Cluster) as cluster:
        async with inside(cluster.url) as one, inside(cluster.url) as other, Player(one) as ada, Player(other) as bob:
            for _ in range(3):  # each on a master by chance
                begun = await start(ada)
                await join(bob, begun)
                await until(ada, here(ada, bob))
                assert isinstance(await ada.ask(m.ShowReview, scene=m.ReviewScene(decision=7)), m.Ok)
                await until(bob, lambda review: review.scene.decision == 7)
