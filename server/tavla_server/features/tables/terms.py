"""Terms of a table or a challenge: rules, side, opponent, privacy; and the checks that a request meets them."""

import contextlib
import secrets
from collections.abc import Mapping, Sequence

from tavla_engine.actions import Seat
from tavla_engine.rules import PRESETS, BadRules, Rules, preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.match import ids as match_ids
from tavla_server.player import Player
from tavla_server.record.events import Terms
from tavla_server.record.state import Record

NAMES = ("preset", "clock")  # of several options together
CODE_BYTES = 5  # 8 characters, and more than anyone can try


def read_rules(rules: Mapping[str, bool | int | str], quick: bool = False) -> Rules:
    """The rules that a request asks for. quick: for a quick match. Raises: Refused."""
    changes = dict(rules)
    try:
        return preset(str(changes.pop("preset", "tournament")), changes, quick)
    except BadRules as error:
        raise Refused(ErrorCode.BAD_RULES, str(error)) from None


def check_conditions(conditions: Mapping[str, Sequence[bool | int | str]]) -> None:
    """Raises: Refused for an option, or a value of one, that no table has."""
    for option, values in conditions.items():
        if option not in (*Rules._fields, *NAMES):
            raise Refused(ErrorCode.BAD_RULES, f"there is no option {option!r:.40}: name those that a table can have")
        for value in values:
            if not _is_possible(option, value):
                raise Refused(ErrorCode.BAD_RULES, f"no table has {option} {value!r:.40}: name only what one can have")


def _is_possible(option: str, value: bool | int | str) -> bool:
    """True if one of the presets goes with this value, in a match with a clock."""
    if option == "preset":
        return value in PRESETS
    for name in PRESETS:
        with contextlib.suppress(BadRules):
            preset(name, {"reserve_s": 60, option: value} if option != "clock" else {option: value})
            return True
    return False


def seat_for(side: m.Side) -> Seat:
    """The seat that was asked for, or one that is drawn."""
    return secrets.randbelow(2) if side == "either" else ("white", "black").index(side)


def check_public(rules: Rules, is_public: bool) -> None:
    """Raises: Refused for a rated match that others than its players may not see: all see what has moved a rating."""
    if rules.rated and not is_public:
        text = "what moves ratings is for all to see: play it where everybody may watch, or play unrated"
        raise Refused(ErrorCode.BAD_RULES, text)


def terms_of(request: m.Create) -> Terms:
    """The terms of a new table beside its rules; a private one gets a code."""
    return Terms(new_code() if request.private else "", request.spectators, request.opponent)


def new_code() -> str:
    """A code of a private table."""
    return match_ids.letters(secrets.token_bytes(CODE_BYTES))


def check_code(record: Record, code: str) -> None:
    """Raises: Refused without the code of a private table."""
    if not record.terms.code or secrets.compare_digest(code, record.terms.code):
        return
    if code:
        raise Refused(ErrorCode.PRIVATE, f"{code} is not this table's code: ask whoever opened it for the right one")
    raise Refused(ErrorCode.PRIVATE, "this table is private: give the code that its maker has")


def check_opponent(record: Record, player: Player) -> None:
    """Raises: Refused for people, or for programs, where the player who waits wants the others."""
    wants_computer, is_bot = record.terms.opponent == "computer", player.kind == "bot"
    if wants_computer and not is_bot:
        raise Refused(ErrorCode.BOTS_ONLY, "this table waits for the computer: join another, or open one yourself")
    person_waits = any(seated is not None and seated.kind != "bot" for seated in record.players)
    if record.match.rules.rated and is_bot and person_waits and not wants_computer:
        raise Refused(ErrorCode.PEOPLE_ONLY, "this rated table waits for a person: join one that is not rated")
