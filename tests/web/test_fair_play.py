"""One's own figures of fair play: on one's own profile alone, in the page and in the terminal."""

import asyncio
import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import expect
from tavla_server.features.archive.judgement import BestPlay, ErrorSum, Judgement, ThinkingTime
from tavla_server.options import ARCHIVE
from tavla_server.player import Player as Account

from tests.support.browser.lobby import PASSWORD, come_in, fits
from tests.support.browser.person import NewPerson
from tests.support.browser.steady import assert_steady, far_away
from tests.support.players.plain import Player, unique
from tests.support.players.programs import Machine
from tests.support.servers.processes import ServerProcess
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import player
from tests.support.stores.judged import judged_for_ratings

JUDGED = Judgement(
    by="Sage 2.0",
    ratings=(5.0, 10.0),
    lost=(0.4, 0.8),
    decisions=(40, 40),
    thinking=(ThinkingTime(10, 6, 70_000, 30, 90_000), ThinkingTime()),
    errors=(
        (
            ErrorSum("play", 36, 0.3, 0.12, 17),
            ErrorSum("bear-off", 4, 0.1, 0.05, 40),
            ErrorSum("mistake", 1, 0.12, 0.12, 17),
        ),
        (),
    ),
    best=((BestPlay("bar/20 13/8", 0.143, 47),), ()),
)


async def put(server: ServerProcess, token: str) -> None:
    """Judged rated matches of an account with bob."""
    async with Player(server.url, token=token) as ada:
        players = Account(ada.id, ada.name or "", "account", 1500.0), player(random.Random(5), "bob", 1500)
    async with archive_at(f"sqlite:///{server.data / ARCHIVE}") as archive:
        for _ in range(2):
            await judged_for_ratings(archive, random.Random(), players, JUDGED)


def test_ones_own_profile_has_them_and_no_other(person: NewPerson, server: ServerProcess, tmp_path: Path) -> None:
    ada, eve, name = person(server.url), person(server.url), unique("a")
    for one, called in ((ada, name), (eve, unique("e"))):
        one.open()
        come_in(one, called, PASSWORD)
    with ThreadPoolExecutor(1) as pool:  # the loop of this thread is the browser's
        pool.submit(asyncio.run, put(server, ada.page.evaluate("localStorage.getItem('tavla.token')"))).result()
    for one in (ada, eve):
        far_away(one)
        one.open(f"/p/{name}")
        expect(one.page.locator(".profile .played tbody tr")).to_have_count(2)
    block = ada.page.locator(".profile .list", has=ada.page.get_by_role("heading", name="How you play"))
    expect(block).to_contain_text("PR 5.0 · 2 rated matches, 80 decisions, by Sage 2.0")
    assert_steady(ada)
    expect(block).to_contain_text("Hard plays: 12 of 20 as the judge; 7.0 s for one, 3.0 s for another")
    expect(block).to_contain_text("Most with: bob (2)")
    rows = block.get_by_role("region", name="What has cost, and where").locator("tbody tr")
    shapes = ("Plays *72 *4.2 *0.6 *0.12", "Bear-off *8 *12.5 *0.2 *0.05", "Mistakes *2 *0.2 *0.12")
    expect(rows).to_have_text([re.compile(shape) for shape in shapes])
    address = rows.first.get_by_role("link").get_attribute("href") or ""
    assert re.fullmatch(r"/m/\w+\?review#17", address)
    best = block.get_by_role("region", name="Best plays").locator("tbody tr")
    expect(best).to_have_text([re.compile("bar/20 13/8 *0.14")] * 2)
    assert re.fullmatch(r"/m/\w+\?review#47", best.first.get_by_role("link").get_attribute("href") or "")
    played = ada.page.locator(".profile .played tbody tr")
    won = played.filter(has_text="Won").count()
    for choice, count in (("Won", won), ("Lost", 2 - won), ("bob", 2), ("All matches", 2)):
        ada.page.get_by_label(re.compile("^Shown")).select_option(label=choice)
        expect(played).to_have_count(count)
    for width in (390, 1280):
        ada.page.set_viewport_size({"width": width, "height": 844})
        fits(ada)
    expect(eve.page.get_by_text("How you play")).to_have_count(0)
    here, there = Machine(tmp_path / "here", server.url), Machine(tmp_path / "there", server.url)
    assert here.run("login", name, typed=f"{PASSWORD}\n").code == 0
    shown = here.run("profile", name, "--as", name).text
    assert "PR 5.0 ± 0.0 in 2 rated matches, 80 decisions, by Sage 2.0" in shown
    assert "hard plays: 12 of 20 as the judge; 7.0 s for one, 3.0 s for another" in shown
    assert "play: 72 decisions, PR 4.2, 0.6 lost, at most 0.12 in match " in shown
    assert "hard plays" not in there.run("profile", name, "--as", unique("p")).text
