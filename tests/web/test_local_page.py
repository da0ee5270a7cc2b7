"""`tavla page` in Chromium: two people play at the server, and one has the page of this computer."""

from pathlib import Path

from tavla_cli.page.local_page import LocalPage

from tests.support.browser.person import NewPerson
from tests.support.browser.playing import in_turn, invite
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import ServerProcess


def test_an_invitation_leads_from_the_page_here_to_the_one_of_the_server(
    person: NewPerson, server: ServerProcess, tmp_path: Path
) -> None:
    serving = Terminal(tmp_path, "page", server.url)
    try:
        serving.wait_for("Ctrl-C ends it")
        ada, bob = person(LocalPage(server.url).url.replace("http", "ws")), person(server.url)
        invite(ada, bob)
        assert ada.page.url.startswith(LocalPage(server.url).url)
        assert bob.page.url.startswith(server.url.replace("ws", "http")), "the link is the server's"
        first, second = in_turn(ada, bob)
        first.choose("Abort")
        first.press("Yes, ask")
        second.press("Agree")
    finally:
        serving.clean_up()
