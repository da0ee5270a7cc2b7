"""Boards as pictures: of positions, of matches that anyone may watch, and of none else."""

import asyncio
import gzip
import html
import io
import re
import string
import struct
from typing import Any
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

import pytest
import segno
from tavla_engine.position import BAR, OFF
from tavla_engine.xgid import parse_xgid
from tavla_protocol import messages as m
from tavla_server.features.pictures.board import BOARD, HEIGHT, RADIUS, WIDTH, draw, parse_moves
from tavla_server.features.pictures.pictures import PNG_WIDTH
from tavla_server.features.pictures.podium import draw_podium
from tavla_server.features.pictures.signs import STROKES
from tavla_server.gateway import costs
from tavla_server.limits import Limits
from tavla_server.token_bucket import Rate

from tests.support.patience import PAUSE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import players, unique
from tests.support.players.tournaments import RULES, arena_of, direct, one_match
from tests.support.servers.processes import ServerProcess, inside, page
from tests.support.servers.valkey import Valkey
from tests.support.wire.plain_http import ask

START = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
DOUBLED = "-BBBBCB---A-------bbbbcb--:0:0:1:D:3:5:0:7:10"
ON_BAR = "b----BE-C---e----c-e-----B:3:-1:-1:66:12:0:0:15:10"
OF_ONE = "-----------------------a-A:32:1:1:00:0:0:0:0:0"
SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"svg": (WIDTH, HEIGHT), "png": (PNG_WIDTH, round(PNG_WIDTH * HEIGHT / WIDTH))}


@pytest.mark.parametrize("xgid", [START, DOUBLED, ON_BAR, OF_ONE])
def test_a_board_has_all_checkers_and_each_lies_on_it(xgid: str) -> None:
    match = parse_xgid(xgid)
    drawn = ElementTree.fromstring(draw(match))
    bodies = [(float(part.get("cx", 0)), float(part.get("cy", 0)))
              for part in drawn.iter(f"{SVG}circle") if part.get("r") == str(RADIUS - 0.5)]  # fmt: skip
    assert len(bodies) == sum(sum(row) - row[OFF] for row in match.board)
    assert all(RADIUS < x < WIDTH - RADIUS and RADIUS < y < BOARD - RADIUS for x, y in bodies)
    dots = [part for part in drawn.iter(f"{SVG}circle") if part.get("r") == "4.4"]
    assert len(dots) == sum(match.dice or ())


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("8/5,6/5", [(8, 5), (6, 5)]), ("bar/20 6/off", [(BAR, 20), (6, OFF)]), ("BAR/OFF", [(BAR, OFF)]),
        ("", []), ("99/98,<b>", []), ("0/3", []), ("6/5," * 40, [(6, 5)] * 8),
    ],
)  # fmt: skip
def test_steps_are_read_and_what_is_none_is_passed_over(text: str, steps: list[tuple[int, int]]) -> None:
    assert parse_moves(text) == steps


def size(kind: str, body: bytes) -> tuple[int, int]:
    """The width and height of a picture."""
    if kind == "png":
        assert body.startswith(b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", body[16:24])
    drawn = ElementTree.fromstring(body)
    return int(drawn.get("width", 0)), int(drawn.get("height", 0))


@pytest.mark.parametrize("kind", ["svg", "png"])
@pytest.mark.parametrize("address", [f"/position/{START}", f"/position/XGID={DOUBLED}", f"/position/XGID%3D{OF_ONE}"])
def test_any_position_has_a_picture(server: ServerProcess, kind: str, address: str) -> None:
    answer, body = ask(server.url, f"{address}.{kind}")
    assert (answer.status, size(kind, body)) == (200, SIZES[kind])
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    _, with_arrows = ask(server.url, f"{address}.{kind}?moves=24/18,13/11")
    assert body != with_arrows


def test_an_impossible_position_is_told_why(server: ServerProcess) -> None:
    answer, body = ask(server.url, f"/position/{START.replace('E', 'O')}.svg")
    assert (answer.status, answer.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert b"XGID" in body


async def test_a_match_that_anyone_may_watch_has_one_and_a_link_to_it_names_it(server: ServerProcess) -> None:
    async with players(server.url, None, None) as (ada, bob):
        match = await new_match(ada, bob)
        await asyncio.gather(*(player.until(match, lambda view: view.game == 1) for player in (ada, bob)))
        for kind in SIZES:
            answer, body = await asyncio.to_thread(ask, server.url, f"/m/{match}.{kind}")
            assert (answer.status, size(kind, body)) == (200, SIZES[kind])
            assert answer.headers["Cache-Control"] == "public, max-age=10"
        place = f'<meta property="og:image" content="http://{urlsplit(server.url).netloc}/m/{match}.png">'
        while place not in gzip.decompress((await asyncio.to_thread(ask, server.url, f"/m/{match}"))[1]).decode():  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


@pytest.mark.parametrize("wish", [{"private": True}, {"spectators": False}])
async def test_of_any_other_there_is_none(server: ServerProcess, wish: dict[str, Any]) -> None:
    async with players(server.url, None, None) as (ada, bob):
        made = await ada.get(m.Snapshot, m.Create, **wish)
        await bob.get(m.Snapshot, m.Join, table=made.match, code=made.view.get("code") or "")
        await ada.until(made.match, lambda view: view.game == 1)
        for name in (made.match, "k3v7q2xa"):
            assert (await asyncio.to_thread(ask, server.url, f"/m/{name}.svg"))[0].status == 404


LINKS = [  # what is asked for, by its host; whether it has a code
    ("http://{here}/m/k3v7q2xa", True), ("http://{here}/m/k3v7q2xa#abcdefgh", True),
    ("https://{here}/tournaments/hq3k7m2vx5ta", True), ("http://elsewhere.example/m/k3v7q2xa", False),
    ("http://{here}/review#k3v7q2xak3v7q2xa", True), ("http://{here}/review", False),
    ("http://ada@{here}/m/k3v7q2xa", False), ("http://{here}/", False), ("javascript:alert(1)", False), ("", False),
    ("http://{here}/m/" + "x" * 400, False), ("http://{here}/m/k3v7q2xa#<b>", False),
]  # fmt: skip


@pytest.mark.parametrize(("link", "has_code"), LINKS)
def test_a_link_of_this_server_has_a_qr_code(server: ServerProcess, link: str, has_code: bool) -> None:
    asked = link.replace("{here}", urlsplit(server.url).netloc)
    answer, body = ask(server.url, f"/qr.svg?{quote(asked, safe='')}")
    assert answer.status == (200 if has_code else 400)
    if has_code:
        drawn = io.BytesIO()
        segno.make(asked, micro=False).save(drawn, kind="svg", xmldecl=False, border=2, scale=4, light="#fff")
        assert body == drawn.getvalue()


@pytest.mark.parametrize(
    "path", ["/m/k3v7q2xa.svg", f"/position/{START}.svg", f"/position/{START.replace('E', 'O')}.svg"]
)
async def test_an_address_that_asks_for_many_waits_before_anything_is_read(valkey: Valkey, path: str) -> None:
    few = Limits(address_cost=Rate(1e-6, 2.5 * costs.A_PICTURE, "cost-address"))
    async with inside(valkey.url, limits=few, behind_proxy=True) as url:
        here, elsewhere = ({"X-Forwarded-For": address} for address in ("192.0.2.7", "192.0.2.8"))
        asked = [(await asyncio.to_thread(page, url, path, here))[0] for _ in range(3)]
        assert [status == 429 for status in asked] == [False, False, True]
        assert (await asyncio.to_thread(page, url, path, elsewhere))[0] != 429


TITLE = re.compile('<meta property="og:title" content="([^"]*)">')


async def test_a_link_to_a_tournament_says_who_has_won_and_shows_a_podium(server: ServerProcess) -> None:
    async with players(server.url, None, None, None) as (ada, bob, eve):
        id_ = await arena_of(eve)
        hidden = await eve.get(m.Organised, m.CreateTournament, name=unique("h"), rules=RULES, private=True)
        winner = ada.name
        await one_match(id_, loser=bob, other=ada)
        await direct(eve, id_, "extend")
        while not (told := await title_at(server.url, id_)).endswith(f": 1. {winner}, 2. {bob.name}"):
            assert "players" in told, told
        text = (await asyncio.to_thread(page, server.url, f"/tournaments/{id_}"))[1]
        assert f'og:image" content="http://{urlsplit(server.url).netloc}/tournaments/{id_}.png"' in text
        for kind in SIZES:
            answer, body = await asyncio.to_thread(ask, server.url, f"/tournaments/{id_}.{kind}")
            assert (answer.status, size(kind, body)) == (200, SIZES[kind])
            for other in (hidden.tournament, "k3v7q2xa"):
                assert (await asyncio.to_thread(ask, server.url, f"/tournaments/{other}.{kind}"))[0].status == 404
        assert await title_at(server.url, hidden.tournament) == "Tavla"


async def title_at(url: str, tournament: str) -> str:
    """The title of the link to a tournament."""
    found = TITLE.search((await asyncio.to_thread(page, url, f"/tournaments/{tournament}"))[1])
    assert found is not None
    return html.unescape(found[1])


@pytest.mark.parametrize("points", [[], [0], [12, 4], [104, 96, 7], [9, 8, 7, 6]])
def test_a_podium_has_a_block_with_a_name_for_each_of_the_first_three(points: list[int]) -> None:
    names = ["ada", "Bob_Q-27", 20 * "W", "too-late"][: len(points)]
    drawn = ElementTree.fromstring(draw_podium([*zip(names, points, strict=True)]))
    assert len(list(drawn.iter(f"{SVG}circle"))) == 2 * min(3, len(points))
    strokes = [len(group.findall(f"{SVG}path")) for group in drawn.iter(f"{SVG}g")]
    shown = [len(text) for at in range(len(points))[:3] for text in (str(at + 1), names[at], str(points[at]))]
    assert strokes == shown, "place, name and points, a stroke for each sign"


def test_every_sign_of_a_name_can_be_drawn() -> None:
    assert set(string.ascii_uppercase + string.digits + "_-/") == set(STROKES)
