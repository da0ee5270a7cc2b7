"""The public matches of a month as a stream: valid, without what is private, and gone on with when it was cut."""

import asyncio
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import gvformat
import pytest
import sqlalchemy as sa
from tavla_engine.rules import Rules
from tavla_server.commands import dump as dump_module
from tavla_server.commands.dump import dump
from tavla_server.errors import StartError
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import Judgement
from tavla_server.options import Options
from tavla_server.player import Player
from tavla_server.record.events import Terms

from tests.support.needs import need
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import ONE_POINT, journal_of, match_id, player, put_into
from tests.support.stores.judged import judged_for_ratings


@pytest.fixture(autouse=True)
def zstd() -> None:
    need(shutil.which("zstd"), "zstd")


MONTH, BEGAN_MS = "2026-09", 1_789_000_000_000  # the 10th
DAY_MS = 86_400_000


async def ended(
    archive: Archive,
    rng: random.Random,
    names: tuple[str, str] = ("ada", "bob"),
    *,
    began_ms: int = BEGAN_MS,
    rules: Rules = ONE_POINT,
    table: str = "sofa",
    **terms: Any,
) -> tuple[str, tuple[Player, ...]]:
    """A match in the archive."""
    match, players = match_id(rng), tuple(player(rng, name) for name in names)
    journal = journal_of(rng, match, players, rules, began_ms=began_ms, terms=Terms(**terms), table=table)
    await put_into(archive, match, journal)
    return match, players


@pytest.fixture
async def archive(tmp_path: Path) -> Any:
    async with archive_at(f"sqlite:///{tmp_path}/archive.sqlite3") as archive:
        yield archive


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(archive=f"sqlite:///{tmp_path}/archive.sqlite3")


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("month*")]


def unpacked(file: Path) -> bytes:
    return subprocess.run(["zstd", "-dcq", file], check=True, capture_output=True).stdout


def members(file: Path) -> list[dict[str, Any]]:
    """The matches of a stream, each as another program reads it, once all of it is valid."""
    import io

    ogxm = pytest.importorskip("ogxm")
    found = list(ogxm.iter_stream(io.BytesIO(unpacked(file)), strict=True))
    assert [ogxm.v2_problem(ogxm.binary_to_json(one)) for one in found] == [None] * len(found)
    return [gvformat.read_gvab(one) for one in found]


def tags(member: dict[str, Any]) -> dict[str, str]:
    return {one["key"].removeprefix("x-tavla-"): one["value"] for one in member["annotations"]}


async def test_all_public_matches_of_the_month_are_there_in_order(
    archive: Archive, options: Options, rng: random.Random, tmp_path: Path
) -> None:
    made = [(await ended(archive, rng, began_ms=BEGAN_MS + day * DAY_MS))[0] for day in (3, 0, 1)]
    for other in (-20, 25):
        await ended(archive, rng, began_ms=BEGAN_MS + other * DAY_MS)
    judgement = Judgement(by="Sage 2.0", ratings=(5.0, None))
    players = player(rng, "ada", 1723.4), player(rng, "bob", 1500)
    rated = await judged_for_ratings(archive, rng, players, judgement, began_ms=BEGAN_MS + 4 * DAY_MS)
    lines = await dump(options, MONTH, file := tmp_path / "month.ogxms.zst")
    assert lines == [f"{file}: 4 matches, 0.0 MB"]
    found = members(file)
    assert [tags(one)["Match"] for one in found] == [made[1], made[2], made[0], rated]
    assert "Ratings" not in tags(found[0])
    assert {(one["player_white"], one["player_black"]) for one in found} == {("ada", "bob")}
    told = tags(found[-1])
    assert (told["Ratings"], told["Kinds"]) == ("1723.40, 1500.00", "account, account")
    assert (told["Judge"], told["Performance"]) == ("Sage 2.0", "5.00, -")
    assert left_in(tmp_path) == ["month.ogxms.zst"]


async def test_nothing_private_is_in_it_and_closed_accounts_have_no_name(
    archive: Archive, options: Options, rng: random.Random, tmp_path: Path
) -> None:
    secret = [
        await ended(archive, rng, ("priva", "privb"), table="hidden", code="abcd"),
        await ended(archive, rng, ("lonea", "loneb"), table="hidden", spectators=False),
    ]
    kept, players = await ended(archive, rng, ("closing", "open"), table="closing-2")
    await archive.players.forget(players[0].id)
    await dump(options, MONTH, file := tmp_path / "month.ogxms.zst")
    (one,) = members(file)
    assert (tags(one)["Match"], one["player_white"], one["player_black"]) == (kept, "someone", "open")
    bytes_ = unpacked(file).lower()
    for match, ids in secret:
        for private in (match, *(who.id for who in ids), *(who.name for who in ids)):
            assert private.encode() not in bytes_
    for word in ("hidden", "abcd", "closing", "sofa", *(who.id for who in players)):
        assert word.encode() not in bytes_


async def test_a_dump_that_was_cut_goes_on_and_is_the_same_in_the_end(
    archive: Archive, options: Options, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dump_module, "BATCH", 2)
    for day in range(7):
        await ended(archive, rng, began_ms=BEGAN_MS + day * DAY_MS)
    await dump(options, MONTH, whole := tmp_path / "whole.ogxms.zst")
    file, part = tmp_path / "cut.ogxms.zst", tmp_path / "cut.ogxms.zst.part"
    note = tmp_path / "cut.ogxms.zst.progress"
    task = asyncio.create_task(dump(options, MONTH, file))
    while not note.exists():  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert part.exists()
    with part.open("ab") as opened:
        opened.write(b"half of a frame")
    with pytest.raises(StartError, match="is of 2026-09: remove it, or give another name"):
        await dump(options, "2026-08", file)
    assert (await dump(options, MONTH, file))[0].startswith(f"{file}: 7 matches")
    assert file.read_bytes() == whole.read_bytes()
    assert not part.exists()
    assert not note.exists()


async def test_a_damaged_match_is_left_out_and_counted(
    archive: Archive, options: Options, rng: random.Random, tmp_path: Path
) -> None:
    await ended(archive, rng)
    broken, _ = await ended(archive, rng)
    async with archive._database.writing() as connection:
        await connection.execute(sa.text(f"UPDATE matches SET journal = x'01' WHERE id = '{broken}'"))
    (line,) = await dump(options, MONTH, file := tmp_path / "month.ogxms.zst")
    assert line.endswith("1 matches, 0.0 MB; left out, since the format cannot tell them: 1")
    assert len(members(file)) == 1


@pytest.mark.parametrize(
    ("month", "sentence"),
    [
        ("september", "'september' is no month: say it as 2026-11"),
        ("9000-01", "9000-01 is not over: what ends later would be missing"),
        ("2020-12", "no public match ended in 2020-12"),
    ],
)
async def test_what_cannot_be_is_said(
    archive: Archive, options: Options, tmp_path: Path, month: str, sentence: str
) -> None:
    await archive.ping()
    with pytest.raises(StartError, match=sentence):
        await dump(options, month, tmp_path / "month.ogxms.zst")
    assert left_in(tmp_path) == []
