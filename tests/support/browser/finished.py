"""Matches that are over, and what a judge has found in them, for pages that show them."""

import asyncio
import random
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace
from playwright.sync_api import expect
from tavla_client import Client
from tavla_server.features.analysis import analyst
from tavla_server.features.analysis.judge import Judge
from tavla_server.features.archive.analyses import Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.options import ARCHIVE

from tests.support.browser.person import Person
from tests.support.patience import PATIENCE_S
from tests.support.players.clients import play
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess

Result = TypeVar("Result")


class Finished(NamedTuple):
    """A match that is over. name: of one of its players. code: of a private one."""

    id: str
    name: str
    code: str


async def played(url: str, plays: int = 8, **create: Any) -> Finished:
    """A match of so many plays, each by chance and each a decision; a page that shows it judges all of them."""
    name = unique("ada")
    async with Client(url, name=name) as ada, Client(url, name=unique("bob")) as bob:
        first = await ada.create(rules={"length": 1}, **create)
        second = await bob.join(first.id, code=first.view.code)
        of_both = iter(range(plays))
        await asyncio.gather(*(play(match, random.Random(7), plays=of_both) for match in (first, second)))
        return Finished(first.id, name, first.view.code)


def done(task: Coroutine[Any, Any, Result]) -> Result:
    """The result of a task; Playwright has the loop of this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, task).result()


async def judge(server: ServerProcess, match: str, judgement: Judgement | None = None) -> None:
    """Store what a judge has found in a match, once that is in the archive; else what the house finds at a glance."""
    database = Database(f"sqlite:///{server.data / ARCHIVE}")
    archive, analyses = Archive(database), Analyses(database, "here")
    async with asyncio.timeout(PATIENCE_S):
        while (journal := await archive.journal(match)) is None:
            pass
        judgement = judgement or replace(await Judge(choice="glance").analysis(analyst._task(journal, "")), rough=False)
        while not await analyses._take(match):
            pass  # it was finished in this millisecond
        assert await analyses.finish(match, judgement)
        if judgement.rough:  # the better judge is at it
            assert await analyses._take(match)
            assert await analyses.renew(match, judgement.seen)
    await database.close()


def until_judged(person: Person) -> None:
    """Wait for the last figure of the match that is shown."""
    expect(person.page.locator(".decision table").first).to_be_visible()
    expect(person.page.locator(".review progress")).to_have_count(0)
