"""Collections in the archive's database, on SQLite and on PostgreSQL: pages, limits, who has what."""

from typing import Any

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_server.features.archive.analyses import Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.collections import Collections
from tavla_server.features.archive.judgement import Judgement

ADDED_MS = 1_789_000_000_000
MOST = 5


def match(number: int, **more: Any) -> m.CollectedMatch:
    """A match; two of them are added in the same millisecond."""
    return m.CollectedMatch(match=f"m{number}", players=("cem", "dea"), added=ADDED_MS + number // 2, **more)


async def test_they_are_told_page_by_page_newest_first(archive: Archive) -> None:
    collections = Collections(archive._database, page=2)
    for number in range(MOST):
        assert await collections.add("ada", match(number), b"%d" % number, MOST)
    found, after = list[str](), ""
    for _ in range(3):
        page, next_ = await collections.page("ada", after)
        found += [one.match for one in page]
        after = next_ or ""
    assert (found, after) == (["m4", "m3", "m2", "m1", "m0"], "")
    assert await collections.page("bob", "") == ([], None)


async def test_one_that_is_there_is_changed_and_no_more_than_the_most_are_added(archive: Archive) -> None:
    collections = archive.collections
    for number in range(MOST):
        await collections.add("ada", match(number), b"one", MOST)
    assert not await collections.add("ada", match(9), b"one", MOST)
    assert await collections.add("ada", match(0, seat=1), b"other", MOST)
    assert await collections.find("ada", "m0") == (match(0, seat=1), b"other")
    assert await collections.add("bob", match(9), b"one", MOST), "each has as many"


async def test_one_goes_with_its_judgement_and_nobody_else_can_take_it(archive: Archive) -> None:
    collections, judged = archive.collections, Judgement(by="somebody", ratings=(5.0, None))
    await collections.add("ada", match(0), b"one", MOST)
    judging = Analyses(archive._database, "one")
    assert await judging.backlog() == 1
    claim = await judging.claim()
    assert claim is not None
    assert await judging.finish(claim.match, judged)
    (shown,), _ = await collections.page("ada", "")
    assert shown.analysis is not None
    assert shown == replace(match(0), analysis=shown.analysis)
    assert shown.analysis.by == "somebody"
    assert await collections.find("bob", "m0") is None
    assert not await collections.remove("bob", "m0")
    assert await collections.remove("ada", "m0")
    assert await archive.judgement("m0") is None
    assert (await judging.backlog(), await judging.claim()) == (0, None)


async def test_they_follow_their_players(archive: Archive) -> None:
    for who, number in (("ada", 0), ("bob", 1)):
        await archive.collections.add(who, match(number), b"one", MOST)
    await archive.players.merge("ada", "eve")
    assert [one.match for one in (await archive.collections.page("eve", ""))[0]] == ["m0"]
    await archive.players.forget("eve")
    assert await archive.collections.document("m0") is None
    assert await archive.collections.document("m1") == b"one"
