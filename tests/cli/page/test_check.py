"""`tavla check`: the page that a server sends is the installed one, or it is said where it differs."""

import asyncio
import gzip
import sys
import zlib
from collections.abc import Callable

import pytest
from tavla_protocol import __version__

from tests.support.players.programs import Ended, Machine
from tests.support.servers.meddler import Change, Reply, meddler
from tests.support.servers.processes import NewServer, ServerProcess

SAME = f"To this computer, now, it sent the page of tavla {__version__}.\n"


def with_header(name: str, value: str) -> Change:
    return lambda _, reply: reply._replace(headers=reply.headers | {name: value})


def packed(coding: str, pack: Callable[[bytes], bytes]) -> Change:
    def change(_: str, reply: Reply) -> Reply:
        return reply._replace(headers=reply.headers | {"Content-Encoding": coding}, body=pack(reply.body))

    return change


def added(path: str, text: bytes) -> Change:
    """Something more at the end of what stands at one address, or of each document."""

    def change(asked: str, reply: Reply) -> Reply:
        hit = asked == path or (path == "*" and reply.headers["Content-Type"].startswith("text/html"))
        return reply._replace(body=reply.body + text) if hit else reply

    return change


def titled(title: bytes) -> Change:
    """A link's own title, as the server gives it to a match that somebody shares."""

    def change(path: str, reply: Reply) -> Reply:
        was = b'<meta property="og:title" content="Tavla'
        now = was.replace(b"Tavla", title)
        return reply._replace(body=reply.body.replace(was, now)) if path.startswith("/m/") else reply

    return change


HONEST: dict[str, Change] = {
    "nothing changed": lambda _, reply: reply,
    "packed with gzip": packed("gzip", gzip.compress),
    "packed with deflate": packed("deflate", zlib.compress),
    "packed twice": packed("gzip, deflate", lambda body: zlib.compress(gzip.compress(body))),
    "a title of a link": titled(b"ada 3 - 2 bob &amp; co."),
    "its picture": titled(b'ada 3 - 2 bob"><meta property="og:image" content="http://localhost/m/k3v7q2xa.png'),
    "headers of its own": with_header("Strict-Transport-Security", "max-age=63072000"),
}
CHANGED: dict[str, tuple[Change, str]] = {
    "a script in each document": (added("*", b"<script src=//cdn.example/x.js></script>"), "/ differs from byte"),
    "the worker alone": (added("/sw.js", b"fetch('/stolen')"), "/sw.js differs from byte"),
    "a file that is loaded late alone": (added("/evaluator.js", b"//"), "/evaluator.js differs from byte"),
    "the network's numbers": (added("/network.bin", b"\0"), "/network.bin differs from byte"),
    "the policy": (
        with_header("Content-Security-Policy", "script-src *"),
        "comes with another Content-Security-Policy",
    ),
    "the kind": (with_header("Content-Type", "text/html; charset=iso-2022-jp"), "is said to be 'text/html; charset"),
    "sent on": (with_header("Refresh", "0; url=//elsewhere.example"), "sends browsers on"),
    "an unknown coding": (packed("br", lambda body: body), "is packed in a way that no browser asked for"),
    "a review that is missing": (
        lambda path, reply: reply._replace(status=404) if path.endswith("?review") else reply,
        "?review is answered with 404",
    ),
}


async def checked(here: Machine, url: str) -> Ended:
    return await asyncio.to_thread(here.run, "check", url)


async def test_the_page_of_a_server_is_the_installed_one(here: Machine, server: ServerProcess) -> None:
    assert await checked(here, server.url) == (0, SAME, "")
    assert here.tokens() == [], "it went there without a name"


@pytest.mark.parametrize("name", HONEST)
async def test_what_honest_services_do_on_the_way_is_no_difference(
    name: str, here: Machine, server: ServerProcess
) -> None:
    async with meddler(server.url, HONEST[name]) as url:
        assert await checked(here, url) == (0, SAME, "")


@pytest.mark.parametrize("name", CHANGED)
async def test_a_page_that_was_changed_is_told_with_the_first_difference(
    name: str, here: Machine, server: ServerProcess
) -> None:
    change, words = CHANGED[name]
    async with meddler(server.url, change) as url:
        code, text, _ = await checked(here, url)
    assert code == 1
    assert text.startswith(f"WARNING: another page than that of tavla {__version__}: /")
    assert words in text
    assert "can play in your name" in text


async def test_another_version_cannot_be_compared(here: Machine, new_server: NewServer) -> None:
    other = "import tavla_protocol as p; p.__version__ = '9.9.9'; from tavla_server.process.cli import main; main()"
    server = new_server(command=[sys.executable, "-c", other])
    await asyncio.to_thread(server.start)
    done = await checked(here, server.url)
    assert (done.code, done.errors) == (1, f"Error: it runs tavla 9.9.9, you have {__version__}: cannot compare\n")


async def test_a_server_without_a_page_has_none_to_compare(here: Machine, new_server: NewServer) -> None:
    server = new_server("--web", "off")
    await asyncio.to_thread(server.start)
    done = await checked(here, server.url)
    assert (done.code, "sends no page: nothing to compare" in done.errors) == (1, True)
    gone = await checked(here, "ws://127.0.0.1:9")
    assert (gone.code, "Traceback" in gone.errors) == (1, False)
