"""Talk at a match, as it is heard on this node."""

from functools import partial

from tavla_protocol.codec import encode
from tavla_protocol.messages import Said

from tavla_server.delivery.fanout import SLICE, FanOut
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.audience import Audience
from tavla_server.telemetry.metrics import count_sent

LINES_KEPT = 10  # of chat, for reports to moderators


class Talk:
    """The talk in one match. lines: the last ones, each with its speaker's name, the oldest first."""

    __slots__ = ("_audience", "_fanout", "lines")

    def __init__(self, audience: Audience) -> None:
        self.lines: tuple[tuple[str, str], ...] = ()
        self._audience = audience
        self._fanout: FanOut | None = None  # None without a crowd

    def hear(self, speaker: str, said: Said) -> None:
        """Hand what was said, here or on another node, to those here who want to hear it. speaker: the player's id."""
        self.lines = (*self.lines, (said.name, said.text))[-LINES_KEPT:]
        frame, hushed = frame_of(encode(said)), said.to == "watchers"
        hear = [
            outbox
            for outbox in self._audience.outboxes
            if speaker not in outbox.ignored and not (hushed and self._audience.wants(outbox).hush)
        ]
        if len(hear) > SLICE:
            self._fanout = self._fanout or FanOut(partial(_write, self._audience))
            self._fanout.write_by_and_by(frame, dict.fromkeys(hear))
        else:
            for outbox in hear:
                _write(self._audience, outbox, frame)


def _write(audience: Audience, outbox: Outbox, frame: bytes) -> None:
    """Write a line, unless the outbox has left: a line that is dropped is not missed."""
    if outbox in audience.outboxes and not outbox.write(frame):
        count_sent(frame)
