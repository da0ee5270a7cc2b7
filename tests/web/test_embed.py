"""Matches and positions in frames of other sites: to be looked at, with a way to here; nothing else is framed."""

import contextlib
import http.client
import re
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.support.browser.axe import axe_faults
from tests.support.browser.finished import done, played
from tests.support.browser.person import NewPerson, Person
from tests.support.servers.processes import ServerProcess

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


@contextlib.contextmanager
def blog(markup: str) -> Iterator[str]:
    """A site of somebody else, one page with some markup; its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><link rel=icon href=data:,><h1>My blog</h1>{markup}".encode())

        def log_message(self, *_: object) -> None:
            """The requests are nobody's business."""

    with socketserver.TCPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def copied(person: Person) -> str:
    """The markup that the page gives for another site."""
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.press("Copy for a website")
    expect(person.button("Copied")).to_be_visible()
    return str(person.page.evaluate("navigator.clipboard.readText()"))


def framed(person: Person) -> FrameLocator:
    return person.page.frame_locator("iframe")


def test_a_match_is_looked_at_in_a_page_of_another_site(person: NewPerson, server: ServerProcess) -> None:
    ada, eve = person(server.url, judges=False), person(server.url, judges=False)
    match = done(played(server.url, 4)).id
    ada.open(f"/m/{match}?review#3")
    markup = copied(ada)
    assert f'src="{ada.http}/embed/m/{match}#3"' in markup
    with blog(markup) as address:
        eve.open(address)
        frame = framed(eve)
        expect(frame.locator(".legend")).to_contain_text(" to play ")
        before = frame.locator(".legend").inner_text()
        frame.get_by_role("button", name="One on").click()
        expect(frame.locator(".legend")).not_to_have_text(before)
        frame.get_by_role("button", name="One back").click()
        expect(frame.locator(".legend")).to_have_text(before)
        expect(frame.get_by_role("link")).to_have_attribute("href", f"/m/{match}?review#3")
        assert frame.locator("header, footer, .offline").count() == 0
        frame.get_by_role("link").evaluate("one => { one.textContent = 'W'.repeat(43) }")  # two names of 20 signs
        inside = frame.locator("html").evaluate("one => [one.scrollWidth, innerWidth, one.scrollHeight, innerHeight]")
        assert inside[0] <= inside[1]
        assert inside[2] <= inside[3], "nothing to scroll"
        assert eve.page.frames[1].evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_position_is_looked_at_in_a_page_of_another_site(person: NewPerson, server: ServerProcess) -> None:
    ada, eve = person(server.url), person(server.url)
    ada.open(f"/position#{XGID}")
    with blog(copied(ada)) as address:
        eve.open(address)
        frame = framed(eve)
        expect(frame.locator(".legend")).to_have_text(re.compile("^White to play"))
        expect(frame.locator("[data-point='6']")).to_have_attribute("aria-label", re.compile("5 yours"))
        expect(frame.get_by_role("link")).to_have_attribute("href", f"/position#{XGID}")
    eve.open(f"/embed/position/{XGID}")
    expect(eve.page.locator(".embed .die")).to_have_count(2)
    assert axe_faults(eve) == []


@pytest.mark.parametrize(
    ("path", "is_framed"),
    [
        ("/embed/m/k3v7q2xa", True),
        (f"/embed/position/{XGID}", True),
        ("/embed/p/somebody", False),
        ("/embed/m/a/b", False),
        ("/m/k3v7q2xa", False),
        ("/position", False),
    ],
)
def test_other_sites_frame_what_is_made_for_it_alone(server: ServerProcess, path: str, is_framed: bool) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("ws://"))
    connection.request("GET", path, headers={"Accept": "text/html"})
    headers = connection.getresponse().headers
    policy = headers["Content-Security-Policy"]
    assert ("frame-ancestors *" in policy) == is_framed
    assert ("frame-ancestors 'none'" in policy) != is_framed
    assert headers.get_all("X-Frame-Options") == (None if is_framed else ["DENY"])
    connection.close()
