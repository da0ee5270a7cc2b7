"""The lobby's chat: its last lines, as rows of the feed, so that every node has them and shows them alike."""

import msgspec
from tavla_protocol.codec import pack
from tavla_protocol.messages import Line

from tavla_server.cluster.feed import CHAT, RowUpdate
from tavla_server.gateway.core import Core
from tavla_server.player import Player
from tavla_server.store import keys

unpack = msgspec.msgpack.Decoder(tuple[str, Line]).decode  # a row: the speaker's id and the message


class ChatLines:
    """The lines of the lobby's chat: added, and taken out when they are old."""

    def __init__(self, core: Core) -> None:
        self._redis, self._feed, self._clock = core.redis, core.feed, core.clock
        self._kept_s, self._most = core.timings.chat_s, core.limits.chat_lines

    async def say(self, player: Player, text: str, phrase: str | None) -> None:
        """Add a line. Raises: StoreUnavailable."""
        number = int(await self._redis.incr(keys.LOBBY_SAID()))
        line = Line(name=player.name, kind=player.kind, text=text, phrase=phrase, since=self._clock.now_ms() // 1000)
        old = [key for key in self._feed.rows(CHAT) if int(key) <= number - self._most]
        new = RowUpdate(CHAT, str(number), pack((player.id, line)))
        await self._feed.writer.put(new, *(RowUpdate(CHAT, key, None) for key in old))

    def said_by(self, player: str) -> list[tuple[str, str]]:
        """The lines of one player, by id, each with the name, the oldest first."""
        rows = [unpack(row) for _, row in sorted(self._feed.rows(CHAT).items(), key=lambda row: int(row[0]))]
        return [(line.name, line.text) for speaker, line in rows if speaker == player]

    async def sweep(self) -> None:
        """Take out what was said long ago. Raises: StoreUnavailable."""
        oldest_s = self._clock.now_ms() / 1000 - self._kept_s
        for key, row in list(self._feed.rows(CHAT).items()):
            if unpack(row)[1].since < oldest_s:
                await self._feed.writer.put(RowUpdate(CHAT, key, None))
