"""A match that the server's judge has looked at, or will: in the review, on the card of its result, in the profile."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect
from tavla_protocol.messages import Finding
from tavla_server.features.archive.judgement import Judgement

from tests.support.browser.finished import done, judge, played, until_judged
from tests.support.browser.person import NewPerson
from tests.support.patience import until
from tests.support.players.programs import Machine
from tests.support.servers.processes import NewServer, ServerProcess

pytestmark = pytest.mark.long

# A server that will judge its matches, and is long in coming to them.
LATE = """
import asyncio
from tavla_server.features.analysis.analyst import Analyst
from tavla_server.process.cli import main
Analyst.run = lambda self: asyncio.Event().wait()
main()"""
ASKED_MS = 15_000  # between two questions of a page whether its server has judged
# Notes of each decision that the evaluator is asked about, whether at sight alone.
ASKED = """
    window.asked = [];
    const send = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
        if (/play|cube/.test(message.what)) window.asked.push(message.question.atSight);
        return send.call(this, message);
    };
"""


def test_what_the_servers_judge_has_found_comes_before_what_the_page_thinks(
    person: NewPerson, server: ServerProcess
) -> None:
    """The judge has an opinion of its own: the worst way to play the first roll is the best, and all else was right."""
    match = done(played(server.url, 3))
    eve = person(server.url)
    eve.open(f"/m/{match.id}#1")
    worst = eve.page.locator(".plays tbody tr:not(.done) th").last
    expect(worst).to_be_visible()
    best, seat = (
        worst.inner_text(),
        eve.page.locator(".decisions td:nth-child(2)").first.locator(":scope:empty").count(),
    )
    finding = Finding(1, 1, seat, eve.page.locator(".row .deed").first.inner_text(), best, 0.5, "?!")
    judgement = Judgement(
        by="GNU Backgammon, 2-ply",
        ratings=(12.34, None),
        lost=(0.5, 0.0),
        decisions=(20, 0),
        luck=(0.25, -0.25),
        findings=(finding,),
    )
    done(judge(server, match.id, judgement))
    eve.page.reload()
    expect(eve.page.get_by_text("Judged on the server by GNU Backgammon, 2-ply.")).to_be_visible()
    card = eve.page.locator(".decision")
    expect(card.locator(".badge")).to_have_text("Doubtful ?!")
    expect(card.locator(".cost")).to_have_text("cost 0.500")
    expect(card.locator(".better")).to_have_text(f"Better, by GNU Backgammon, 2-ply: {best}")
    expect(card.locator(".plays .best th")).to_have_text(f"{best} (best)")
    expect(eve.page.locator(".ways .best")).not_to_have_count(0)
    assert [text for text in eve.page.locator(".row .sign").all_inner_texts() if text] == ["?!\nDoubtful"]
    figures = eve.page.locator(".summary tbody tr").evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')].map(one => one.textContent))"
    )
    assert [(rating, lost, luck) for rating, _, lost, luck in figures] == [
        ("12.3", "0.500", "+0.250"),
        ("–", "0.000", "−0.250"),
    ]
    eve.page.keyboard.press("ArrowRight")
    expect(card.locator(".badge")).to_have_text(re.compile("^(Good|forced)"))
    expect(card.locator(".better")).to_have_count(0)
    eve.open(f"/m/{match.id}")
    expect(eve.page.locator(".result tbody td:nth-child(n+2)")).to_have_text(["–", "−0.250", "12.3", "+0.250"])
    expect(eve.page.locator(".result .aside")).to_contain_text("Judged by GNU Backgammon, 2-ply.")


def test_what_the_server_has_judged_is_looked_at_closely_when_it_is_on_the_screen(
    person: NewPerson, server: ServerProcess
) -> None:
    match, eve = done(played(server.url)), person(server.url)
    done(judge(server, match.id))
    eve.context.add_init_script(ASKED)
    eve.open(f"/m/{match.id}?review#3")
    until_judged(eve)
    eve.page.keyboard.press("ArrowRight")
    eve.page.keyboard.press("ArrowLeft")
    eve.page.keyboard.press("End")
    expect(eve.page.locator(".decision table").first).to_be_visible()
    asked: list[bool] = eve.page.evaluate("asked")
    assert len(asked) > 6, "all of them, for the curve"
    assert asked.count(False) == 3, "none twice"


def test_figures_for_now_are_renewed_and_one_match_has_one_rating_everywhere(
    person: NewPerson, server: ServerProcess, tmp_path: Path
) -> None:
    match = done(played(server.url, 1))
    figures = Judgement(
        by="the house evaluator at a glance", ratings=(7.77, 8.88), decisions=(20, 20), rough=True, seen=(179, 311)
    )
    done(judge(server, match.id, figures))
    eve, review, card = all_ = [person(server.url) for _ in range(3)]
    for one in all_:
        one.page.clock.install()
    review.open(f"/m/{match.id}?review")
    by = review.page.locator(".review .by")
    expect(by).to_have_text("the house evaluator, 1-ply, for now · Judging: 179 of 311")
    expect(by.get_by_role("status")).to_have_text("the house evaluator, 1-ply, for now")  # each step is not read aloud
    card.open(f"/m/{match.id}")
    expect(card.page.locator(".result .aside")).to_contain_text("the house evaluator, 1-ply, for now")
    eve.open(f"/p/{match.name}")
    expect(eve.page.get_by_text("the house evaluator, 1-ply, for now")).to_be_visible()
    done(judge(server, match.id, replace(figures, by="Sage 2.0", ratings=(12.34, 56.78), rough=False, seen=(0, 0))))
    for one in all_:
        one.page.clock.fast_forward(ASKED_MS)
    expect(by).to_have_text("Sage 2.0")
    own = review.page.locator(".strip li", has_text=match.name).locator("b").last.inner_text()
    other = review.page.locator(".strip li").filter(has_not_text=match.name).locator("b").last.inner_text()
    assert {own, other} == {"12.3", "56.8"}
    expect(eve.page.get_by_text(f"{own} / {other}")).to_be_visible()
    expect(card.page.locator(".result .aside")).to_contain_text("Judged by Sage 2.0.")
    assert set(card.page.locator(".result tbody td:nth-child(2)").all_inner_texts()) == {own, other}
    here = Machine(tmp_path / "here", server.url)
    assert f"PR {own}/{other}" in here.run("history", match.name).text
    assert f"{match.name} {own}" in here.run("replay", match.id).text
    assert here.run("export", match.id, "-o", str(tmp_path / "one.json")).code == 0
    assert json.loads((tmp_path / "one.json").read_text())["analysis"]["ratings"] == [12.34, 56.78]


def test_a_judge_that_is_late_is_waited_for(person: NewPerson, new_server: NewServer) -> None:
    server = new_server("--analysis", command=[sys.executable, "-c", LATE])
    server.start()
    match = done(played(server.url, 1))
    eve = person(server.url)
    sent: list[Any] = []
    eve.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    eve.page.clock.install()
    eve.open(f"/m/{match.id}?review")
    by = eve.page.locator(".review .by")
    expect(by).to_have_text("Judged in your browser")

    def is_asked() -> bool:
        eve.page.clock.fast_forward(ASKED_MS)
        return sum(b"record" in bytes(frame) for frame in sent) >= 5

    until(is_asked, "the page has asked five times")
    done(judge(server, match.id, Judgement(by="Sage 2.0", ratings=(12.34, 56.78), decisions=(20, 20))))
    eve.page.clock.fast_forward(120_000)
    expect(by).to_have_text("Sage 2.0")
