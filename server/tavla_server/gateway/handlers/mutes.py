"""Mutes: a muted player chooses no words that others see, be it talk, a table's name, or the name of a new guest."""

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.moderation.penalties import Penalty, sanctioned, told


def mute_of(connection: Connection) -> Penalty | None:
    """The mute that holds for a player, or for the address."""
    return connection.services.ledger.penalty("mute", connection.player.name, connection.address)


def check_may_speak(connection: Connection, instead: str = "") -> None:
    """Raises: Refused for a muted player. instead: what is possible in place of that."""
    services = connection.services
    if (penalty := mute_of(connection)) is not None:
        text = told(penalty, services.contact) + (instead and f"; {instead}")
        left_s = penalty.left_s(services.clock.now_ms())
        raise Refused(ErrorCode.MUTED, text, left_s, sanctioned(penalty, services.contact))
