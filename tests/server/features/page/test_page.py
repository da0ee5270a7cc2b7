"""The page that browsers are served, on the port of the WebSocket; and which pages may open one."""

import asyncio
import gzip
import html
import re
from importlib import resources
from typing import Any

import brotli
import pytest
from tavla_protocol import messages as m
from tavla_server.features.page.page import LIMIT_BYTES, Page, titled_page
from tavla_server.features.page.preview import title_of
from tavla_server.gateway.origins import Origins
from tavla_web.addresses import policy_of
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request

from tests.support.patience import PAUSE_S, ask_until
from tests.support.players.plain import Player
from tests.support.servers.processes import NewServer, ServerProcess
from tests.support.wire.plain_http import ask


def read_document() -> bytes:
    """The page as it is installed."""
    return resources.files("tavla_web").joinpath("page.html").read_bytes()


@pytest.mark.parametrize("path", ["/", "/learn", "/network.bin"])
async def test_others_go_on_while_a_page_is_packed(path: str) -> None:
    went_on = asyncio.Event()
    asyncio.get_running_loop().call_soon(went_on.set)
    answer = await Page(True).answer(Request(path, Headers()))
    assert went_on.is_set()
    assert answer is not None
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/", "/m/k3v7q2xa", "/t/sofa", "/p/ada", "/?from=link", "/m/k3v7q2xa?x=1"])
def test_every_address_of_the_page_answers_the_one_document(server: ServerProcess, path: str) -> None:
    answer, body = ask(server.url, path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert gzip.decompress(body) == read_document()


@pytest.mark.parametrize(
    "path",
    [
        "/m/k3v7q2xa?review", "/m/k3v7q2xa?dice", "/dice", "/position", "/puzzles", "/review", "/watch", "/learn",
        "/learn?from=link", "/tournaments", "/tournaments/hq3k7m2vx5ta", "/top",
    ],
)  # fmt: skip
def test_so_does_every_part_of_it(server: ServerProcess, path: str) -> None:
    answer, body = ask(server.url, path)
    document = gzip.decompress(body)
    assert document == read_document()
    assert answer.headers["Content-Security-Policy"] == policy_of(document)
    assert ask(server.url, path, If_None_Match=answer.headers["ETag"])[0].status == 304


@pytest.mark.parametrize(
    "path",
    [
        "/m/", "/m", "/x/ada", "/page.html", "/../page.html", "/m/../../etc/passwd", "/m/%2e%2e",
        "/m/a/b", "//", "/favicon.ico", "/t/" + "x" * 481,
    ],
)  # fmt: skip
def test_no_other_path_leads_anywhere(server: ServerProcess, path: str) -> None:
    assert ask(server.url, path)[0].status == 404


def test_a_browser_is_shown_the_page_where_nothing_is(server: ServerProcess) -> None:
    answer, body = ask(server.url, "/nosuch", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (answer.status, gzip.decompress(body)) == (404, read_document())


def test_who_has_the_page_is_told_that_it_is_the_same(server: ServerProcess) -> None:
    first, _ = ask(server.url, "/")
    again, body = ask(server.url, "/", If_None_Match=f'"old", {first.headers["ETag"]}')
    assert (again.status, body) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert ask(server.url, "/", If_None_Match='"old"')[0].status == 200


def test_only_the_head_is_sent_when_only_that_is_asked_for(server: ServerProcess) -> None:
    whole, body = ask(server.url, "/")
    head, nothing = ask(server.url, "/", "HEAD")
    assert (head.status, nothing, head.headers["Content-Length"]) == (200, b"", str(len(body)))
    assert head.headers["ETag"] == whole.headers["ETag"]
    assert ask(server.url, "/", "DELETE")[0].status == 405


def test_the_page_may_run_its_own_script_and_ask_this_host_alone(server: ServerProcess) -> None:
    answer, body = ask(server.url, "/")
    assert len(body) <= 8 * 1024 < LIMIT_BYTES
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", policy["style-src"])
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/manifest.webmanifest", "application/manifest+json"), ("/icon.svg", "image/svg+xml"),
        ("/icon.png", "image/png"), ("/sw.js", "text/javascript; charset=utf-8"), ("/help.json", "application/json"),
        ("/evaluator.js", "text/javascript; charset=utf-8"), ("/network.bin", "application/octet-stream"),
        ("/people.js", "text/javascript; charset=utf-8"), ("/reasons.js", "text/javascript; charset=utf-8"),
        ("/hypergammon.bin", "application/octet-stream"),
        ("/calls.js", "text/javascript; charset=utf-8"), ("/mat.js", "text/javascript; charset=utf-8"),
        ("/judged.js", "text/javascript; charset=utf-8"), ("/hint.js", "text/javascript; charset=utf-8"),
    ],
)  # fmt: skip
def test_what_is_needed_to_install_the_page_and_to_judge_positions_is_served(
    server: ServerProcess, path: str, kind: str
) -> None:
    answer, body = ask(server.url, path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    package = "tavla_bots" if path.endswith(".bin") else "tavla_web"
    assert gzip.decompress(body) == resources.files(package).joinpath(path[1:]).read_bytes()
    assert len(body) <= 400_000
    assert ask(server.url, path, If_None_Match=answer.headers["ETag"])[0].status == 304
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/learn",
        "/sw.js",
        "/dice",
        "/dice.json",
        "/t/hq3k7m2vx5ta.json",
        "/t/hq3k7m2vx5ta.mat",
        "/healthz",
        "/none",
    ],
)
def test_no_answer_is_guessed_at_framed_or_run(server: ServerProcess, path: str) -> None:
    answer, _ = ask(server.url, path)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert path == "/sw.js" or "frame-ancestors 'none'" in policy
    told = [answer.headers.get_all(name) for name in ("X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy")]
    assert told == [["nosniff"], ["DENY"], ["no-referrer"]]
    assert "Strict-Transport-Security" not in answer.headers, "it came without TLS"


CODINGS = [  # Accept-Encoding, and in which the answer is
    ("gzip, deflate, br, zstd", "br"),
    ("gzip, deflate", "gzip"),
    ("GZIP;q=0.5", "gzip"),
    ("*", "br"),
    ("", None),
    ("identity", None),
    ("br", "br"),
    ("br;q=0, *", "gzip"),
    ("gzip;q=0, br;q=0, *", None),
    ("identity, gzip; q=0.000", None),
]
UNPACKED = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}


@pytest.mark.parametrize("path", ["/", "/manifest.webmanifest"])
@pytest.mark.parametrize(("codings", "coding"), CODINGS)
def test_a_page_comes_in_the_best_coding_that_is_taken(
    server: ServerProcess, path: str, codings: str, coding: str | None
) -> None:
    answer, body = ask(server.url, path, Accept_Encoding=codings)
    assert (answer.headers["Content-Encoding"], answer.headers["Vary"]) == (coding, "Accept-Encoding")
    kept = read_document() if path == "/" else resources.files("tavla_web").joinpath(path[1:]).read_bytes()
    assert UNPACKED[coding](body) == kept
    again = ask(server.url, path, Accept_Encoding=codings, If_None_Match=answer.headers["ETag"])[0]
    other = ask(server.url, path, Accept_Encoding="" if coding else "gzip", If_None_Match=answer.headers["ETag"])[0]
    assert (again.status, other.status) == (304, 200), "each form has a mark of its own"


TITLES = ["", "ada 3 - 2 bob, 7 points", '"><script>alert(1)</script>', "a & b", "Zoë, \U0001f3b2", "x" * 500]


@pytest.mark.parametrize("title", TITLES)
def test_of_the_document_the_title_differs_and_nothing_else(title: str) -> None:
    document = read_document()
    made = titled_page(document, "", title)
    whole = made.body.decode()
    place = f'<meta property="og:title" content="{html.escape(title)}">'
    assert whole.replace(place, '<meta property="og:title" content="Tavla">', 1) == document.decode()
    assert made.policy == policy_of(document) == policy_of(whole.encode())
    assert made.etag != titled_page(document, "", "something else").etag


def title(url: str, path: str) -> str:
    """The title of a link where it is shared."""
    found = re.search(rb'og:title" content="([^"]*)"', gzip.decompress(ask(url, path)[1]))
    assert found is not None
    return found[1].decode()


async def created(player: Player, **wish: Any) -> str:
    """A table that a player opens; the id of its match."""
    snapshot = await player.get(m.Snapshot, m.Create, **wish)
    return snapshot.match


async def test_a_link_to_a_match_that_all_may_watch_is_called_by_it(server: ServerProcess) -> None:
    """From what the node has in memory, a moment after it happened; of all others nothing is told."""
    async with Player(server.url) as ada, Player(server.url) as bob:
        sofa = await created(ada, name="preview söfa", rules={"length": 5})
        hidden = await created(ada, name="preview-hidden", private=True)
        unseen = await created(ada, name="preview-unseen", spectators=False)
        path = f"/m/{sofa}"
        shown = await ask_until(lambda: asyncio.to_thread(title, server.url, path), lambda shown: shown != "Tavla")
        assert shown == f"{ada.name} waits for an opponent, 5 points"
        first = (await asyncio.to_thread(ask, server.url, path))[0].headers["ETag"]
        await bob.ask(m.Join, table=sofa)
        while (shown := await asyncio.to_thread(title, server.url, path)).endswith("an opponent, 5 points"):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
        players = sorted((str(ada.name), str(bob.name)), key=shown.index)
        assert shown == f"{players[0]} 0 - 0 {players[1]}, 5 points"
        assert (await asyncio.to_thread(ask, server.url, path))[0].headers["ETag"] != first
        assert await asyncio.to_thread(title, server.url, "/t/preview%20s%C3%B6fa") == shown
        for other in (hidden, unseen, "k3v7q2xa"):
            assert await asyncio.to_thread(title, server.url, f"/m/{other}") == "Tavla"
        for name in ("preview-hidden", "preview-unseen", "nothing"):
            assert await asyncio.to_thread(title, server.url, f"/t/{name}") == "Tavla"
        assert await asyncio.to_thread(title, server.url, f"/p/{ada.name}") == "Tavla"


TABLES = [  # a row of the lists, what a link to it is called
    (m.Table(name="sofa", players=("ada", "bob"), score=(3, 2)), "ada 3 - 2 bob, 7 points"),
    (m.Table(name="sofa", players=("ada", "bob"), rules={"length": 1}), "ada 0 - 0 bob, 1 point"),
    (m.Table(name="sofa", players=("ada", "bob"), rules={"length": 0}, score=(12, 8)), "ada 12 - 8 bob, money game"),
    (m.Table(name="sofa", players=(None, "bob")), "bob waits for an opponent, 7 points"),
]


@pytest.mark.parametrize(("table", "words"), TABLES)
def test_a_table_in_one_line(table: m.Table, words: str) -> None:
    assert title_of(table) == words


def test_the_document_asks_for_nothing_from_elsewhere() -> None:
    document = read_document().decode()
    head = document.partition("<script")[0]
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", head)
    scripts = r"""\bimport\s*[("'](?!"/(?:people|reasons|calls|mat)\.js"\))"""
    asked = rf"""{scripts}|fetch\((?!"/(?:address|help\.json)"\))|XMLHttpRequest|sendBeacon"""
    assert not re.search(asked, document)


def test_a_server_may_serve_no_page(new_server: NewServer) -> None:
    server = new_server("--web", "off")
    server.start()
    answer, _ = ask(server.url, "/")
    assert answer.status == 426
    assert ask(server.url, "/m/k3v7q2xa")[0].status == 404
    assert ask(server.url, "/healthz")[0].status == 200


ORIGINS: list[tuple[list[str], list[str], bool]] = [  # Origin, Host, whether a WebSocket may be opened
    ([], ["tavla.example"], True),  # a program
    (["https://tavla.example"], ["tavla.example"], True),
    (["http://tavla.example:8765"], ["tavla.example:8765"], True),
    (["https://TAVLA.example"], ["tavla.example"], True),
    (["https://club.example"], ["tavla.example"], True),  # allowed
    (["https://tavla.example:8443"], ["tavla.example"], False),
    (["https://evil.example"], ["tavla.example"], False),
    (["https://tavla.example.evil.example"], ["tavla.example"], False),
    (["https://club.example.evil.example"], ["tavla.example"], False),
    (["http://club.example"], ["tavla.example"], False),  # allowed over TLS alone
    (["null"], ["tavla.example"], False),  # a file, or a page in a sandbox
    ([""], [""], False),
    (["https://tavla.example", "https://evil.example"], ["tavla.example"], False),
    (["https://tavla.example"], ["tavla.example", "evil.example"], False),
    (["https://tavla.example"], [], False),
]


@pytest.mark.parametrize(("origins", "hosts", "allowed"), ORIGINS)
def test_pages_of_others_may_not_connect(origins: list[str], hosts: list[str], allowed: bool) -> None:
    headers = Headers([("Origin", origin) for origin in origins] + [("Host", host) for host in hosts])
    assert Origins(["https://club.example/"]).may_connect(Request("/", headers)) is allowed


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_an_origin_that_may_not_connect_is_turned_away_before_the_upgrade(
    new_server: NewServer, workers: str
) -> None:
    allowed = ["https://club.example", "https://other.example"]
    server = new_server("--workers", workers, *(part for origin in allowed for part in ("--allow-origin", origin)))
    server.start()
    for origin in allowed:
        async with Player(server.url, headers={"Origin": origin}) as ada:
            assert isinstance(await ada.ask(m.List), m.Listing)
    with pytest.raises(InvalidStatus) as turned_away:
        await Player(server.url, headers={"Origin": "https://evil.example"}).connect()
    assert turned_away.value.response.status_code == 403
