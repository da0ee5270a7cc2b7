"""Penalties: who may not come in, or not speak; for how long, and what they are told. Pure."""

from datetime import UTC, datetime
from typing import Literal

import msgspec
from tavla_protocol.messages import Sanctioned

from tavla_server.options import NO_CONTACT

What = Literal["ban", "mute"]
FOR_GOOD = 0  # in the place of a time at which a penalty ends
ADDRESS = "@"  # before an address, which no name begins with


_SAID: dict[What, str] = {"ban": "you are banned", "mute": "you may not talk"}


class Penalty(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A penalty that was decided: a ban or a mute.

    whom: a name in lower case, or ADDRESS and an address as `gateway/client_address` counts it. shown: the name, or the
    name with which the address came. until_ms, since_ms: in ms since 1970. addresses: those from which the player was
    connected then get the same. player: the id, of a name.
    """

    what: What
    whom: str
    shown: str
    why: str
    by: str
    since_ms: int
    until_ms: int = FOR_GOOD
    addresses: bool = False
    player: str = ""

    @property
    def key(self) -> str:
        """The key of its row: there is one penalty of a kind for anybody."""
        return row_key(self.what, self.whom)

    def holds(self, now_ms: int) -> bool:
        """True if it has not ended by itself."""
        return self.until_ms == FOR_GOOD or now_ms < self.until_ms

    def is_of(self, name: str) -> bool:
        """True if it is somebody's, or an address's that came with a name. name: or ADDRESS and one."""
        return name.lower() in (self.whom, self.shown.lower())

    def left_s(self, now_ms: int) -> float:
        """The time left in seconds; 0 = for good."""
        return 0.0 if self.until_ms == FOR_GOOD else max(0.0, (self.until_ms - now_ms) / 1000)


def row_key(what: What, whom: str) -> str:
    """The key of a penalty's row."""
    return f"{what}:{whom}"


def sentence_of(penalty: Penalty, contact: str) -> str:
    """The sentence for whom it holds: until when, why, and whom to ask."""
    return f"{_SAID[penalty.what]} {until_text(penalty.until_ms)}: {penalty.why} ({contact})"


def as_message(penalty: Penalty, contact: str) -> Sanctioned:
    """The same in parts, for clients in other languages."""
    known = "" if contact == NO_CONTACT else contact
    return Sanctioned(what=penalty.what, reason=penalty.why, until=penalty.until_ms, contact=known)


def until_text(until_ms: int) -> str:
    """`until 2026-11-22 14:05 UTC`, or `for good`."""
    if until_ms == FOR_GOOD:
        return "for good"
    return f"until {datetime.fromtimestamp(until_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
