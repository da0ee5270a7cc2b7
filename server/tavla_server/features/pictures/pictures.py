"""The feature of pictures: boards as SVG and PNG, and links of this server as QR codes."""

import asyncio
import functools
import http
import re
from contextlib import suppress
from urllib.parse import parse_qs, unquote

from tavla_engine.errors import BadText
from tavla_engine.match import Match
from tavla_engine.xgid import parse_xgid
from tavla_web.qr import qr_svg
from websockets.http11 import Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, Refused, StoreUnavailable
from tavla_server.feature import Feature
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import replay
from tavla_server.features.pictures.board import draw, parse_moves
from tavla_server.features.pictures.podium import draw_podium
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.features.tournaments.views import leaders
from tavla_server.gateway import costs
from tavla_server.gateway.core import Core
from tavla_server.gateway.downloads import file
from tavla_server.gateway.http import Path
from tavla_server.own_addresses import addresses, at_port
from tavla_server.record.state import Record

with suppress(ImportError):  # there is no wheel of it for some machines
    from resvg_py import svg_to_bytes

POSITION = re.compile(r"/position/(?P<name>[-=:%A-Za-z0-9]{30,200})\.(?P<kind>svg|png)")
MATCH = re.compile(r"/m/(?P<name>[A-Za-z0-9_-]{1,30})\.(?P<kind>svg|png)")
TOURNAMENT = re.compile(r"/tournaments/(?P<name>[a-z2-7]{1,16})\.(?P<kind>svg|png)")
LINK = re.compile(  # of a table, with the code of a private one; of a tournament or a shared review
    r"https?://(?P<host>[^/@\s]{1,100})/"
    r"(?:m/[A-Za-z0-9_-]{1,30}(?:#[A-Za-z0-9_-]{1,30})?|tournaments/[A-Za-z0-9]{1,16}|review#[a-z2-7]{16})"
)
HAS_PNG = "svg_to_bytes" in globals()
PNG_WIDTH = 720  # 54 ms of CPU; 1080 take 115
KEPT = 64  # PNGs
A_DAY, A_MOMENT = "public, max-age=86400", "public, max-age=10"
AN_HOUR = "public, max-age=3600"  # of what is over: with a backup that is brought back it may go on


class Pictures(Feature):
    """Pictures of positions, matches and results. archive: None = there is none."""

    def __init__(self, core: Core, archive: Archive | None, tournaments: Tournaments) -> None:
        self._core, self._archive, self._in_turn = core, archive, asyncio.Lock()
        self._tournaments = tournaments
        self.paths = (
            Path(POSITION, self.position, costs.A_PICTURE),
            Path(MATCH, self.match, costs.A_PICTURE),
            Path(TOURNAMENT, self.tournament, costs.A_PICTURE),
            Path(re.compile(r"/qr\.svg"), self.code, costs.A_PICTURE),
        )

    async def position(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with the picture of an XGID."""
        try:
            match = parse_xgid(unquote(asked["name"]))
        except BadText as error:
            return handshake.reply(http.HTTPStatus.BAD_REQUEST, str(error))
        return await self._picture(handshake, match, asked["kind"], A_DAY)

    async def tournament(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with the result of a public tournament, as far as it has come."""
        try:
            state = await self._tournaments.past(asked["name"])
        except (Refused, StoreUnavailable, ArchiveUnavailable, JournalUnreadable) as error:
            status = http.HTTPStatus.NOT_FOUND if isinstance(error, Refused) else http.HTTPStatus.SERVICE_UNAVAILABLE
            return handshake.reply(status, "there is no picture of such a tournament now")
        if state.plan.private:
            return handshake.reply(http.HTTPStatus.NOT_FOUND, "there is no picture of such a tournament")
        body = draw_podium(leaders(state))
        return await self._drawn(handshake, body, asked["kind"], A_DAY if state.closed_ms else A_MOMENT)

    async def match(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with the picture of a match that anyone may watch, as it stands."""
        try:
            record = await self._record(asked["name"])
        except (StoreUnavailable, ArchiveUnavailable, JournalUnreadable):
            return handshake.reply(http.HTTPStatus.SERVICE_UNAVAILABLE, "this cannot be read now: ask again later")
        if record is None or record.private or not record.match.game:
            return handshake.reply(http.HTTPStatus.NOT_FOUND, "there is no picture of such a match")
        return await self._picture(handshake, record.match, asked["kind"], AN_HOUR if record.over else A_MOMENT)

    async def code(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        """Answer with the QR code of a link to a match or tournament of this server."""
        request = handshake.whole_request
        link = LINK.fullmatch(unquote(request.path.partition("?")[2][:400]))
        hosts = [at_port(one, handshake.local_address[1]) for one in addresses(self._core.options.host)]
        if link is None or link["host"] not in (request.headers.get("Host"), *hosts):
            return handshake.reply(http.HTTPStatus.BAD_REQUEST, "a QR code is of a link to a match or tournament here")
        return file("image/svg+xml", await asyncio.to_thread(qr_svg, link[0]))

    async def _record(self, match: str) -> Record | None:
        if (session := await self._core.registry.current(match)) is not None:
            return session.record
        journal = None if self._archive is None else await self._archive.journal(match)
        return None if journal is None else await replay(match, journal)

    async def _picture(self, handshake: Handshake, match: Match, kind: str, age: str) -> Response:
        request = handshake.whole_request
        moves = parse_qs(request.path.partition("?")[2][:200]).get("moves", [""])[0]
        return await self._drawn(handshake, draw(match, parse_moves(moves)), kind, age)

    async def _drawn(self, handshake: Handshake, body: str, kind: str, age: str) -> Response:
        if kind == "png" and not HAS_PNG:
            return handshake.reply(http.HTTPStatus.NOT_FOUND, "this server makes no PNG: ask for .svg")
        if kind == "svg":
            answer = file("image/svg+xml", body.encode())
        else:
            async with self._in_turn:  # one core at most
                answer = file("image/png", await asyncio.to_thread(_png, body))
        del answer.headers["Cache-Control"]
        answer.headers["Cache-Control"] = age
        return answer


@functools.lru_cache(maxsize=KEPT)
def _png(svg: str) -> bytes:
    return svg_to_bytes(svg_string=svg, width=PNG_WIDTH, skip_system_fonts=True)
