"""A tournament's journal without the name of a player whose account was closed. Pure."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace
from tavla_engine.terms import SOMEONE
from tavla_protocol.codec import pack

from tavla_server.features.archive.summary import NOBODY, is_named_after
from tavla_server.features.tournaments import events as e
from tavla_server.player import Player

_unpack = msgspec.msgpack.Decoder().decode


def anonymous_journal(journal: list[bytes], player: str) -> list[bytes]:
    """A journal in which a player is `someone`, or `someone-2`, with an id that is like no other there."""
    rows, names = [_unpack(row) for row in journal], set[str]()
    taken = {id_ for row in rows for id_ in _ids(row)}
    number = next(number for number in range(len(taken) + 1) if _nobody(number) not in taken)
    to = _nobody(number), f"{SOMEONE}-{number + 1}" if number else SOMEONE
    changed = [e.decode_entry(pack(_renamed(row, player, to, names))) for row in rows]
    return [e.encode_entry(_unsaid(entry, names)) for entry in changed]


def people_of(told: Iterable[e.TournamentEntry]) -> list[str]:
    """The ids under which players stand in a tournament: who made, entered or ruled it, and who they have become."""
    found = dict[str, None]()
    for event in (event for entry in told for event in entry.events):
        match event:
            case (
                e.Opened(by=player)
                | e.Entered(player=player)
                | e.Renamed(to=player)
                | e.Directed(by=Player() as player)
            ):
                found[player.id] = None
    return list(found)


def _nobody(number: int) -> str:
    """The id of one of those who are forgotten: all have played, and others have played against each."""
    return f"{number:0{len(NOBODY)}}"


def _ids(value: Any) -> set[str]:
    """Texts anywhere in a value."""
    if isinstance(value, str):
        return {value}
    return {text for part in value for text in _ids(part)} if isinstance(value, list) else set()


def _renamed(value: Any, player: str, to: tuple[str, str], names: set[str]) -> Any:
    """A value of plain data with another id and name in the place of a player's; `names` gets the old one."""
    if isinstance(value, list):
        if len(value) > 2 and value[0] == player and isinstance(value[1], str):  # it is a Player
            names.add(value[1])
            return [*to, *value[2:]]
        return [_renamed(part, player, to, names) for part in value]
    return to[0] if value == player else value


def _unsaid(entry: e.TournamentEntry, names: set[str]) -> e.TournamentEntry:
    """An entry without names where no id stands beside them."""
    events = (
        replace(event, name=SOMEONE)
        if isinstance(event, e.Opened | e.Retitled) and any(is_named_after(event.name, known) for known in names)
        else event
        for event in entry.events
    )
    return replace(entry, events=tuple(events))
