"""The link to a friend: on the server's own machine, the address at which others reach it."""

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.support.browser.person import Person
from tests.support.servers.processes import ServerProcess


@pytest.mark.parametrize(("said", "host"), [("192.0.2.7:8765", "192.0.2.7:8765"), ("", None)])
def test_a_friend_is_invited_to_an_address_that_others_reach(
    server: ServerProcess, browser: Browser, said: str, host: str | None
) -> None:
    ada = Person(browser, server.url)
    try:
        ada.page.route("**/address", lambda route: answer(route, said))
        ada.page.route("**/qr.svg?*", lambda route: answer(route, ""))  # of an address that is not this server's
        with ada.page.expect_response("**/address"):
            ada.open()
        ada.press("Play a friend")
        link = ada.page.locator("input.link")
        expect(link).to_be_visible()
        origin = f"http://{host}" if host else server.url.replace("ws://", "http://")
        assert link.input_value().startswith(f"{origin}/m/")
        ada.check()
    finally:
        ada.close()


def answer(route: Route, said: str) -> None:
    route.fulfill(status=200, content_type="text/plain", body=f"{said}\n")
