"""Orders: what all nodes are asked to do once. Each does its part: it has some of the connections. Pure."""

import msgspec
from tavla_protocol.messages import Verdict


class Kick(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """Close the connections of a player, by id, who may come back. text: what is said last."""

    player: str
    text: str


class Tell(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Say something to some players, by id; to everybody, if there are none."""

    players: tuple[str, ...]
    text: str


class Drain(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A node gives its clients to the others, and takes no more."""

    node: str


class Rule(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A match ends as was decided: `void`, `white` or `black`. judge: as in `record.events.Ruled`."""

    match: str
    verdict: Verdict
    judge: str
    why: str


Order = Kick | Tell | Drain | Rule
