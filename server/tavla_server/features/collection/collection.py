"""Collections: an account adds a match in a file, lists, reads and discards what it has."""

import base64
import hashlib
from functools import partial

import msgspec
import structlog
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import ArchiveUnavailable, Refused
from tavla_server.feature import Feature
from tavla_server.features.analysis.judge import Judge, JudgeFailed
from tavla_server.features.analysis.turns import Turns
from tavla_server.features.archive.archive import Archive
from tavla_server.features.collection.reader import ReadMatch
from tavla_server.features.records.records import PAGES
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_player
from tavla_server.gateway.text_filter import clean
from tavla_server.match import ids as match_ids
from tavla_server.token_bucket import Rate

READER = Judge("tavla_server.features.collection.reader", "", limit_s=30.0)  # a long match takes one or two
ID_BYTES = 10
SENDING = 100  # clients whose matches are not whole yet: some 3 MB
WAITING, RETRY_S = 20, 60.0
NO_COLLECTION = "this server keeps no matches that are over, and no collections"
NOT_THERE = "your collection has no such match"

log = structlog.get_logger()


class Collection(Feature):
    """The collections of a node's players. archive: None = there are none."""

    def __init__(self, core: Core, archive: Archive | None) -> None:
        self._core, self._archive, self._turns = core, archive, Turns(WAITING, RETRY_S)
        self._pieces: dict[Connection, list[bytes]] = {}
        self.routes = (
            Route(m.Collect, self.collect, PIECES, cost=costs.A_CHANGE),
            Route(m.Collection, self.list, PAGES, cost=costs.A_PAGE),
            Route(m.ReadCollected, self.read, PAGES, cost=costs.A_PAGE),
            Route(m.Discard, self.discard, PAGES, cost=costs.A_PAGE),
        )

    def closed(self, connection: Connection, on_purpose: bool) -> None:
        """Forget the pieces of a client that has gone."""
        self._pieces.pop(connection, None)
        self._turns.end(connection)

    async def close(self) -> None:
        """Read no match any longer."""
        await self._turns.close()

    async def collect(self, connection: Connection, request: m.Collect) -> None:
        """Take a piece of a match; the last one is answered when it is read."""
        archive, player, limits = self._collector(connection), connection.player, self._core.limits
        pieces = self._pieces.get(connection, [])
        if request.piece == 0:
            if len(self._pieces) >= SENDING and connection not in self._pieces:
                raise Refused(ErrorCode.TOO_MANY, "others send matches: try again in a minute", RETRY_S)
            self._turns.check_room()
            await self._core.quotas.take("collected", player.id, limits.collected_a_day)
            await self._core.quotas.take_from("collected-by-address", connection.address, limits.collected_by_address)
            pieces = self._pieces[connection] = []
        if request.piece != len(pieces) or request.piece >= request.pieces:
            raise Refused(ErrorCode.STALE, f"piece {len(pieces)} comes next: send the match from its piece 0 on")
        pieces.append(request.data)
        if len(pieces) < request.pieces:
            connection.send(m.Ok(id=request.id))
            return
        del self._pieces[connection]
        self._turns.check_room()
        self._turns.begin(connection, partial(self._read, archive, connection, request, b"".join(pieces)))

    async def _read(self, archive: Archive, connection: Connection, request: m.Collect, data: bytes) -> None:
        """Have a match read, and keep it."""
        try:
            line = base64.b64encode(data) + b"\n"
            found = msgspec.json.decode(await READER.last_line(line), type=ReadMatch)
            if found.error:
                raise Refused(ErrorCode.BAD_MESSAGE, f"the rules do not allow this match: {found.error}")
            match = m.CollectedMatch(
                match=_id_of(connection.player.id, found.document),
                name=clean(request.name),
                players=found.players,
                seat=request.seat,
                rules=found.rules,
                score=found.score,
                winner=found.winner,
                added=self._core.clock.now_ms(),
            )
            most = self._core.limits.collected
            if not await archive.collections.add(connection.player.id, match, found.document, most):
                raise Refused(
                    ErrorCode.TOO_MANY, f"your collection has {most} matches, the most there may be: discard some"
                )
            connection.send(m.Collected(id=request.id, matches=[match], judging=self._core.options.analysis))
        except Refused as error:
            connection.send(m.Error(id=request.id, code=error.code, text=str(error)))
        except (JudgeFailed, OSError, msgspec.MsgspecError) as error:  # OSError: no process can be started
            log.warning("match_not_read", error=str(error))
            text = "this match cannot be read: it takes too long, or too much memory"
            connection.send(m.Error(id=request.id, code=ErrorCode.BAD_MESSAGE, text=text))
        except ArchiveUnavailable:
            text = "the archive does not answer: try again in a minute"
            connection.send(m.Error(id=request.id, code=ErrorCode.UNAVAILABLE, text=text, retry_after=RETRY_S))

    async def list(self, connection: Connection, request: m.Collection) -> None:
        """Send a page of the collection."""
        matches, after = await self._collector(connection).collections.page(connection.player.id, request.after)
        judging = self._core.options.analysis
        connection.send(m.Collected(id=request.id, matches=matches, next=after, judging=judging))

    async def read(self, connection: Connection, request: m.ReadCollected) -> None:
        """Send a match, with what the judge has found."""
        archive = self._collector(connection)
        found = await archive.collections.find(connection.player.id, request.match)
        if found is None:
            raise Refused(ErrorCode.NO_SUCH_MATCH, NOT_THERE)
        match, document = found
        judged = await archive.judgement(match.match)
        if judged is not None:
            match = msgspec.structs.replace(match, analysis=judged[0])
        judging = judged is None and self._core.options.analysis
        findings = [] if judged is None else [*judged[1]]
        connection.send(m.CollectedFile(id=request.id, match=match, data=document, findings=findings, judging=judging))

    async def discard(self, connection: Connection, request: m.Discard) -> None:
        """Take a match out, for good."""
        if not await self._collector(connection).collections.remove(connection.player.id, request.match):
            raise Refused(ErrorCode.NO_SUCH_MATCH, NOT_THERE)
        connection.send(m.Ok(id=request.id))

    def _collector(self, connection: Connection) -> Archive:
        """The archive, for a player with an account. Raises: Refused."""
        if self._archive is None:
            raise Refused(ErrorCode.NO_ARCHIVE, NO_COLLECTION)
        if connection.player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "register first: a collection is for players with an account")
        return self._archive


def _id_of(player: str, document: bytes) -> str:
    """The id of a match in a player's collection: the same for the same match."""
    return match_ids.letters(hashlib.sha256(player.encode() + document).digest()[:ID_BYTES])


PIECES = Rate(8.0, 80.0, "collected", by_player, "you send matches too fast")  # a folder of them
