"""Sanctions: a player whom a moderator keeps out, or who chooses no words that others see: no talk, no table's name, no
name of a new guest."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.sanctions.penalties import Penalty, as_message, sentence_of
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.player import Player


class Sanctions(Feature):
    """The sanctions that hold, as this node knows them. contact: whom those may ask whom one concerns."""

    def __init__(self, core: Core) -> None:
        self.ledger = Ledger(core.feed, core.clock, core.limits.penalties)
        self.audit = Audit(core.redis, core.clock)
        self.contact = core.options.contact
        self._clock = core.clock

    def mute_of(self, connection: Connection) -> Penalty | None:
        """The mute that holds for a player, or for the address."""
        return self.ledger.penalty("mute", connection.player.name, connection.address)

    def check_may_speak(self, connection: Connection, instead: str = "") -> None:
        """Raises: Refused for a muted player. instead: what is possible in place of that."""
        if (penalty := self.mute_of(connection)) is not None:
            raise self.refusal(ErrorCode.MUTED, penalty, instead)

    def check_may_enter(self, connection: Connection, name: str) -> None:
        """Raises: Refused for a player who is banned, by name or by address."""
        if (penalty := self.ledger.penalty("ban", name, connection.address)) is not None:
            raise self.refusal(ErrorCode.BANNED, penalty)

    def refusal(self, code: ErrorCode, penalty: Penalty, instead: str = "") -> Refused:
        """The refusal that tells a player of a penalty."""
        text = sentence_of(penalty, self.contact) + (instead and f"; {instead}")
        return Refused(code, text, penalty.left_s(self._clock.now_ms()), as_message(penalty, self.contact))

    def notice_of(self, penalty: Penalty) -> m.Notice:
        """The notice that tells a player of a penalty."""
        return m.Notice(text=sentence_of(penalty, self.contact), sanction=as_message(penalty, self.contact))

    def role_of(self, player: Player) -> str:
        """`moderator`, or "" for everybody else."""
        return "moderator" if self.ledger.is_moderator(player.id) else ""
