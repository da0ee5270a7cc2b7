"""Queue of the commands that wait for one match, while an entry of it is on its way to the journal."""

from msgspec.structs import replace
from tavla_protocol.codes import ErrorCode

from tavla_server.match.command import OTHER_EPOCH, MatchCommand
from tavla_server.telemetry import metrics

QUEUE_LIMIT = 32  # actions that wait for one match; two players and a server ask for far fewer
AWAY_TEXT = "the server cannot store anything now: nothing has changed, try again in a moment"


class CommandQueue(list[MatchCommand]):
    """A queue of commands. A list, since it is mostly empty: a deque takes 0.6 KB."""

    __slots__ = ()

    def line_up(self, command: MatchCommand, seq: int, now_ms: int, is_reachable: bool) -> None:
        """Let a command wait for those before it. is_reachable: the journal, as far as is known. seq: by now."""
        if len(self) >= QUEUE_LIMIT:
            metrics.LIMITS.add("actions")
            text = "too many actions wait for this match: send them one by one"
            command.answer(command.error(ErrorCode.TOO_MANY, text, seq))
        elif not is_reachable:
            command.answer(command.error(ErrorCode.UNAVAILABLE, AWAY_TEXT, seq))
        else:
            self.append(replace(command, queued_ms=now_ms))

    def outdate(self) -> None:
        """A new epoch has begun: what was seen before it is current no longer, though its number may come again."""
        self[:] = [command if command.seq is None else replace(command, seq=OTHER_EPOCH) for command in self]

    def refuse(self, seq: int) -> None:
        """Refuse those for whose answers clients wait: nothing can be stored now. seq: by now."""
        waiting = [command for command in self if command.to is not None]
        self[:] = [command for command in self if command.to is None]
        for command in waiting:
            command.answer(command.error(ErrorCode.UNAVAILABLE, AWAY_TEXT, seq))
