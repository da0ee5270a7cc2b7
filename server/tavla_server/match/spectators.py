"""Spectators of a match, on this node and on others; subscribers are told of them at most once a second."""

import heapq

from tavla_protocol.codec import encode
from tavla_protocol.messages import Watchers

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.ports import ReplicatedSession
from tavla_server.match.replication import Replication
from tavla_server.match.wire import Watching
from tavla_server.telemetry.metrics import count_sent

NAMES_SHOWN = 20
NOBODY = Watching()


class Spectators:
    """The spectators of one match: those who do not play it, and have its board before them."""

    __slots__ = ("_after_s", "_clock", "_elsewhere", "_here", "_replication", "_session", "_shown", "_timer")

    def __init__(self, session: ReplicatedSession, clock: Clock, replication: Replication, after_s: float) -> None:
        """after_s: from a change to its message, which tells all others meanwhile, too."""
        self._after_s = after_s
        self._session, self._clock, self._replication = session, clock, replication
        self._elsewhere: dict[str, Watching] = {}  # by node
        self._timer: Timer | None = None
        self._here = self._shown = NOBODY  # as sent last, to other nodes and to subscribers

    @property
    def here(self) -> Watching:
        """The spectators on this node, each counted once, however many connections they have. Players do not count.

        Those who have said no name count, and are not named.
        """
        seated = {player.id for player in self._session.record.players if player is not None}
        audience = self._session.audience
        looking = (outbox for outbox in audience.outboxes if audience.wants(outbox).sits)
        watching = [outbox.player for outbox in looking if outbox.player.id not in seated]
        names = {player.name for player in watching if player.id}
        return _watching(len(names) + sum(not player.id for player in watching), names)

    def new_watching(self) -> Watching:
        """The spectators on this node, of whom the others are told now."""
        self._here = self.here
        return self._here

    def note_change(self) -> None:
        """Note that a spectator may have come or gone."""
        if self._timer is None:
            self._timer = self._clock.call_later(self._after_s, self._tell)

    def greet(self, outbox: Outbox) -> None:
        """Tell one who has just come, if there is anyone. A change is told soon enough."""
        if self._shown.total:
            outbox.send(self._message())

    def hear(self, node: str, watching: Watching) -> None:
        """Take over the spectators of another node, which repeats them every few seconds."""
        if self._elsewhere.get(node) != watching:
            self._elsewhere[node] = watching
            self.note_change()

    def forget(self, node: str) -> None:
        """A node is dead, or follows the match no longer."""
        if self._elsewhere.pop(node, None):
            self.note_change()

    def clear(self) -> None:
        """Forget all: without subscribers here this node hears nothing of the others."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._elsewhere.clear()
        self._here = self._shown = NOBODY

    def _tell(self) -> None:
        self._timer = None
        here = self.here
        everyone = self._everyone(here)
        if here != self._here:
            self._here = here
            self._replication.tell(self._session)
        if everyone != self._shown:
            self._shown = everyone
            frame = frame_of(self._message())
            count_sent(frame, self._session.audience.show(frame))

    def _everyone(self, here: Watching) -> Watching:
        """The spectators of all nodes; a player on two of them counts once, as far as names are told."""
        nodes = [here, *self._elsewhere.values()]
        names = {name for watching in nodes for name in watching.names}
        return _watching(len(names) + sum(watching.total - len(watching.names) for watching in nodes), names)

    def _message(self) -> bytes:
        total, names = self._shown
        return encode(Watchers(match=self._session.record.id, names=list(names), count=total))


def _watching(total: int, names: set[str]) -> Watching:
    return Watching(total, tuple(heapq.nsmallest(NAMES_SHOWN, names, key=str.lower)))
