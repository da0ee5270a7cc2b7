"""Shared reviews with files, private matches, the archive, sanctions, ignored players, closed accounts, new names."""

import json
import zlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.bombs import bomb
from tests.support.browser.files import in_page
from tests.support.browser.node import ask_modules, need_node
from tests.support.patience import ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, refused
from tests.support.players.reviews import SCENE, here, join, start, until
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import empty, played

QUICK = Timings(sweep_s=0.05)


@pytest.fixture
async def nodes(own_valkey: Valkey) -> AsyncIterator[tuple[str, str]]:
    async with inside(own_valkey.url, QUICK) as one, inside(own_valkey.url, QUICK) as other:
        yield one, other


@pytest.mark.parametrize("is_archived", [False, True])
async def test_the_code_of_a_private_match_is_in_the_scene_and_nowhere_else(
    own_valkey: Valkey, tmp_path: Path, is_archived: bool
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(own_valkey.url, archive=archive) as url, connection_to(own_valkey.url) as redis:
        match, white, black = await played(url, {"length": 1}, private=True)
        code = str(white.matches[match].view.code)
        await ask_until(partial(empty, redis))
        if is_archived:
            await redis.delete(keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match))
        begun = await white.get(m.Review, m.StartReview, scene=m.ReviewScene(match=match, code=code, decision=1))
        async with inside(own_valkey.url, archive=archive) as other, Player(other) as eve:
            assert refused(await eve.ask(m.Record, match=match)) == ErrorCode.PRIVATE
            scene = (await eve.get(m.Review, m.JoinReview, review=begun.review)).scene
            assert (await eve.get(m.Recorded, m.Record, match=scene.match, code=scene.code)).match == match
            await white.ask(m.ShowReview, scene=m.ReviewScene(match=match))
            left = await eve.find(lambda message: isinstance(message, m.Review) and not message.scene.code)
            assert isinstance(left, m.Review)
            assert left.scene == m.ReviewScene(match=match)
        await white.close()
        await black.close()


async def test_a_muted_player_follows_and_leads_but_says_nothing(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, QUICK) as node, Player(node) as ada, Player(node) as bob, Player(node) as mod:
        await appointed(mod, own_valkey.url)
        await mod.ask(m.Sanction, player=bob.name, what="mute", reason="says things")
        begun = await start(bob)
        await join(ada, begun)
        assert refused(await bob.ask(m.Say, match=begun.review, to="watchers", text="hello")) == ErrorCode.MUTED
        assert isinstance(await bob.ask(m.ShowReview, scene=SCENE), m.Ok)
        await mod.ask(m.Sanction, player=bob.name, what="ban", reason="says things")
        assert (await until(ada, here(ada))).leader == ""


async def test_whom_the_maker_ignores_finds_no_review(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        begun = await start(ada)
        await ada.ask(m.Ignore, player=bob.name)
        hidden = await bob.get(m.Error, m.JoinReview, review=begun.review)
        nowhere = await bob.get(m.Error, m.JoinReview, review="a" * 16)
        assert (hidden.code, hidden.text) == (nowhere.code, nowhere.text) == (ErrorCode.NO_SUCH_REVIEW, hidden.text)


async def test_a_closed_account_leaves_its_review_to_the_others(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        begun = await start(await registered(ada))
        await join(bob, begun)
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        assert (await until(bob, here(bob))).maker == ""
        assert isinstance(await bob.ask(m.LeadReview), m.Ok)


@pytest.mark.parametrize("leads", [True, False])
async def test_a_guest_who_becomes_an_account_stays_the_maker_and_leads_if_it_led(
    nodes: tuple[str, str], own_valkey: Valkey, leads: bool
) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[1]) as home:
        begun = await start(ada)
        await join(bob, begun)
        if not leads:
            await until(ada, here(ada, bob))  # the other node has told this one
            assert isinstance(await ada.ask(m.LeadReview, player=bob.name), m.Ok)
        await registered(home)
        async with connection_to(own_valkey.url) as redis:
            accounts = Accounts(redis, Clock(), Passwords(DEFAULT_LIMITS))
            merged = [found for one in (ada, home) if (found := await accounts.find(str(one.name)))]
            await AccountMerges(redis, accounts, None).merge(*merged)
        back = await join(home, begun)
        assert (back.maker, back.leader) == (home.name, home.name if leads else bob.name)


async def test_a_report_quotes_what_was_said_in_a_shared_review(nodes: tuple[str, str], own_valkey: Valkey) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob, Player(nodes[0]) as mod:
        await appointed(mod, own_valkey.url)
        begun = await start(ada)
        await join(bob, begun)
        await bob.ask(m.Say, match=begun.review, to="watchers", text="a bad word")
        await ada.find(lambda message: isinstance(message, m.Said))
        for match in (begun.review, "a" * 16):  # where one is not
            assert isinstance(await ada.ask(m.Report, player=bob.name, reason="his words", match=match), m.Ok)
            (row,) = (await mod.get(m.Reported, m.Reports, about=bob.name)).rows.values()
            assert row.lines == [(bob.name, "a bad word")]


async def test_a_new_name_is_told(nodes: tuple[str, str]) -> None:
    async with Player(nodes[0]) as ada, Player(nodes[1]) as bob:
        await join(bob, await start(ada))
        new = f"{ada.name}-2"
        assert isinstance(await ada.ask(m.Rename, name=new), m.Ok)
        assert (await until(bob, lambda review: review.leader == new)).maker == new


DATA = Path(__file__).parents[1] / "data"
FILES = sorted([*DATA.glob("field/*"), *DATA.glob("matches/match_01.[ms]*"), *DATA.glob("foreign/*.[ox]*g*")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_match_of_any_file_is_the_same_to_those_it_is_shared_with(file: Path) -> None:
    need_node()
    found, shared = in_page(file.read_bytes()), ask_modules("shared", [file.read_bytes().hex()])[0]
    assert sum(shared.pop("pieces")) < 3072
    assert shared == found, "with the marks of its own judge"


def test_how_far_a_damaged_file_was_read_is_told_to_those_it_is_shared_with() -> None:
    need_node()
    text = (DATA / "field" / "galaxy-losses-alone.mat").read_text().replace("61: 13/7 8/7", "61: 13/7 8/2")
    assert ask_modules("shared", [text.encode().hex()])[0]["cut"] == {"game": 1, "turn": 3}


GAME: dict[str, Any] = {
    "players": ["ada", "bob"],
    "rules": {"length": 1},
    "score": [0, 0],
    "game": 0,
    "crawford_done": False,
}
GAME["events"] = [[0, 0, "game_started", False], [0, 0, "opening_rolled", 3, 1], [0, 0, "moved", 0, [[8, 5], [6, 5]]]]
JUDGED = {"analysis": {"by": "Sage"}, "findings": []}


def packed(whole: object) -> bytes:
    return zlib.compress(json.dumps(whole).encode())


HOSTILE: dict[str, tuple[bytes, list[str | None] | None]] = {  # what is sent, and the names and judge that are shown
    "as it should be": (packed(GAME | JUDGED), ["ada", "bob", "Sage"]),
    "no judge": (packed(GAME), ["ada", "bob", None]),
    "names that are none": (
        packed(GAME | {"players": ["a\u202e\x1b\n\u200bb", "<b>" + 900 * "x"]}),
        ["ab", "<b>" + 197 * "x", None],
    ),
    "no names": (packed(GAME | {"players": None}), None),
    "a judge of no shape": (packed(GAME | {"analysis": {"by": {"html": "<b>"}}}), None),
    "a judge with signs": (packed(GAME | {"analysis": {"by": "S\u202eage"}}), ["ada", "bob", "Sage"]),
    "findings of no shape": (packed(GAME | JUDGED | {"findings": [[1, 1, 0, {}, "", 0.1, None]]}), None),
    "an illegal move": (packed(GAME | {"events": [*GAME["events"][:2], [0, 0, "moved", 0, [[24, 1]]]]}), None),
    "dice of a million": (packed(GAME | {"events": [GAME["events"][0], [0, 0, "opening_rolled", 10**6, 1]]}), None),
    "no events": (packed(GAME | {"events": []}), ["ada", "bob", None]),
    "rules of nobody": (packed(GAME | {"rules": {"variant": "chess"}}), None),
    "a position": (packed("XGID=-b----E-C---eE---c-e----B-:0:0:1:62:0:0:0:5:10"), None),
    "another file": (zlib.compress(b"RGMH"), None),
    "nothing": (b"", None),
    "not compressed": (json.dumps(GAME).encode(), None),
    "cut": (packed(GAME)[:-9], None),
    "a bomb": (bomb(30), None),
    "deep": (zlib.compress(b"[" * 300_000), None),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_shared_file_that_is_none_harms_nobody(what: str) -> None:
    need_node()
    sent, shown = HOSTILE[what]
    assert len(sent) < 11 * 3072
    assert ask_modules("received", [sent.hex()]) == [shown]
