"""Parts of the page that are fetched when they are wanted, from a server that fails each of them once."""

from pathlib import Path, PurePosixPath

from playwright.sync_api import Page, Route, expect

from tests.support.browser.node import WEB
from tests.support.browser.person import NewPerson
from tests.support.servers.processes import ServerProcess

WANTED = [  # address, and what its parts draw there
    ("/learn", ".lesson, .stage"),
    ("/puzzles#classic", ".board .source"),
    ("/position", ".plays tbody th"),
    ("/review", "input[type=file]"),
    ("/dice", ".fair #who, .fair ol"),
    ("/tournaments", "main h1"),
    ("/p/nobody", "main.plain a"),
    ("/review#aaaaaaaaaaaaaaaa", "main.plain a"),
]
FIRST = {"app.js", "sw.js"}
MATCH = Path(__file__).parents[1] / "data" / "foreign" / "fox-money.bgf"
AT_A_MATCH = {"calls.js", "hint.js", "judged.js", "mat.js", "reasons.js"}  # fetched in the same way


def fail_each_once(page: Page) -> set[str]:
    """From now on the first answer of each part of the page is a 503; the names of those that were asked for."""
    failed: set[str] = set()

    def answer(route: Route) -> None:
        name = PurePosixPath(route.request.url.partition("?")[0]).name
        if name in failed or name in FIRST:
            return route.continue_()
        failed.add(name)
        return route.fulfill(status=503)

    for parts in ("**/*.js", "**/*.bin", "**/help.json"):
        page.route(parts, answer)
    return failed


def test_a_part_that_did_not_come_is_asked_for_again(person: NewPerson, server: ServerProcess) -> None:
    eve = person(server.url, service_workers="block", locale="tr-TR")  # a worker fetches past the test
    failed = fail_each_once(eve.page)
    for address, drawn in WANTED:
        eve.open(address)
        expect(eve.page.locator(drawn).first).to_be_visible()
        expect(eve.page.locator("html")).to_have_attribute("lang", "tr")
    eve.open("/review")
    eve.page.locator("input[type=file]").first.set_input_files(MATCH)
    expect(eve.page.locator(".review .status")).to_be_visible()
    eve.page.keyboard.press("?")
    expect(eve.page.get_by_role("dialog").get_by_text("geri al", exact=True)).to_be_visible()
    scripts = {path.name for path in (WEB / "tavla_web").glob("*.js")}
    assert scripts | {"network.bin", "help.json"} == failed | FIRST | AT_A_MATCH
    eve.forgive("503", "404")
