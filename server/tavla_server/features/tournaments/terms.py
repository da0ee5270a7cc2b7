"""Terms of a tournament: checked for players and for operators. Pure."""

from tavla_engine.rules import Rules
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.features.tournaments.events import ARENA


def check_terms(rules: Rules, format_: str, minutes: int) -> None:
    """Raises: Refused for rules of matches, and minutes of it or of its rounds, that no tournament can have."""
    if not rules.length:
        raise Refused(ErrorCode.BAD_RULES, "the matches of a tournament are to points: name a length of 1 or more")
    if not rules.reserve_s:
        raise Refused(ErrorCode.BAD_RULES, "the matches of a tournament have a clock: name one with a reserve")
    least = -(-2 * rules.reserve_s * rules.length // 60)
    if format_ != ARENA and minutes < least:
        raise Refused(
            ErrorCode.BAD_RULES, f"a round lasts as long as both clocks at least: give it {least} minutes or more"
        )
