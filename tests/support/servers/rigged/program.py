"""`python -m tests.support.servers.rigged.program OPTIONS`: the real server, rigged, see `server.py`.

Nothing of the product knows of it: functions of the server are replaced in this process, and only there.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.decide import proceed
from tavla_engine.events import GameStarted, Moved, OpeningRolled, Rolled
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View, checksum, diff
from tavla_server import app
from tavla_server.errors import Refused
from tavla_server.features.records import records
from tavla_server.features.records.records import Records
from tavla_server.features.tables.requests import TableRequests
from tavla_server.gateway import match_actions
from tavla_server.match import history, seed_keys, session
from tavla_server.match.command import MatchCommand
from tavla_server.match.fork import Fork
from tavla_server.match.lifecycle import reveal
from tavla_server.process import cli
from tavla_server.record import projection, state
from tavla_server.record.decider import Decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Agreed, Event, Revealed
from tavla_server.record.state import Record

from tests.support.servers.rigged.dice import sealers, truth
from tests.support.servers.rigged.mode import Mode
from tests.support.servers.rigged.modes import MODES, REMEMBERED, UNASKED_S, vanished
from tests.support.servers.rigged.retelling import Entries

apply, view_of, checksum_of = state.apply, projection.view_of, projection.checksum_of
changes_between, page, submit = projection.changes_between, records._page, session.Session.submit
advance = session.Session.advance
find, record_of = TableRequests.find, Records.record
DECIDE_ANEW = GameStarted | Moved | OpeningRolled | Revealed | Rolled  # what follows them follows by itself


def rigged(record: Record) -> tuple[Mode, Seat] | None:
    """The mode in which a match is rigged, and the seat of the friend, who is called after it; None if it is not."""
    for seat, player in enumerate(record.players):
        if player and (mode := {**MODES, **REMEMBERED}.get(player.name.rpartition("-")[0])):
            return mode, seat
    return None


class Rigged:
    """A decision, and what is made of it."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide

    def __call__(self, record: Record, dice: MatchDice) -> tuple[Sequence[Event], Record]:
        events, after = self._decide(record, dice)
        if not events or (rig := rigged(after)) is None:
            return events, after
        return rewritten(*rig, record, events)


def rewritten(mode: Mode, friend: Seat, record: Record, events: Sequence[Event]) -> tuple[list[Event], Record]:
    """Events with others in their place, the steps that follow by themselves decided anew; and the record then."""
    written, left = list[Event](), list(events)
    while True:
        if not (left or record.open or record.missing_seeds or record.over):
            left = [*proceed(record.match, truth(record))[0]]
        if not left:
            return written, record
        event = left.pop(0)
        if isinstance(event, Agreed):  # of what was made of the seats
            event = Agreed(projection.agreed_text(record))
        for one in mode.instead(record, event, friend):
            record = state.apply(record, one)
            written.append(one)
        if record.over or isinstance(event, DECIDE_ANEW):
            left.clear()


def _submit(self: session.Session, command: MatchCommand) -> None:
    if not isinstance(command.decide, Fork | Rigged):
        command = replace(command, decide=Rigged(command.decide))
    submit(self, command)


def _advance(self: session.Session, *shown: Any) -> None:
    advance(self, *shown)
    if (rig := rigged(self.record)) is None or (event := rig[0].unasked(self.record, rig[1])) is None:
        return
    seq = self.seq

    def act() -> None:
        if self.seq == seq:
            submit(self, MatchCommand.from_server(Rigged(lambda record, _: ([event], state.apply(record, event)))))

    asyncio.get_running_loop().call_later(UNASKED_S, act)


def _reveal(seat: Seat, seed: str, _seen: str) -> Decide:
    """Take a seed whatever its player was shown."""
    return lambda record, dice: reveal(seat, seed, record.binding)(record, dice)


def _apply(record: Record, event: Event) -> Record:
    after = apply(record, event)
    return after if (rig := rigged(after)) is None else rig[0].applied(record, after, event)


def _view_of(record: Record) -> View:
    view, rig = view_of(record), rigged(record)
    return view if rig is None else rig[0].shown(record, view, rig[1])


def _checksum_of(record: Record) -> int:
    return checksum_of(record) if rigged(record) is None else checksum(_view_of(record))


def _changes_between(before: Record, after: Record, events: Sequence[Event]) -> list[Any]:
    if rigged(after) is None:
        return changes_between(before, after, events)
    return diff(_view_of(before), _view_of(after))


def _page(request: Any, record: Record, entries: Entries, most: int) -> Any:
    if entries and (rig := rigged(record)) is not None:
        entries = rig[0].told(record, entries, rig[1])
    return page(request, record, entries, most)


async def _find(self: TableRequests, connection: Any, table: str) -> session.Session:
    found = await find(self, connection, table)
    _check_is_there(found.record.id)
    return found


async def _record(self: Records, connection: Any, request: Any) -> None:
    _check_is_there(request.match)
    await record_of(self, connection, request)


def _check_is_there(match: str) -> None:
    if match in vanished:
        raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {match}")


def _read_keys(*args: Any, **named: Any) -> Any:
    sealers.append(seed_keys.read_keys(*args, **named))
    return sealers[-1]


HANDS: list[tuple[Any, str, Callable[..., Any]]] = [
    (match_actions, "reveal", _reveal),
    (session.Session, "submit", _submit),
    (session.Session, "advance", _advance),
    (state, "apply", _apply),
    (session, "view_of", _view_of),
    (records, "view_of", _view_of),
    (session, "checksum_of", _checksum_of),
    (history, "checksum_of", _checksum_of),
    (projection, "changes_between", _changes_between),
    (records, "_page", _page),
    (TableRequests, "find", _find),
    (Records, "record", _record),
    (app, "read_keys", _read_keys),
]


def main() -> None:
    """Run the server, rigged."""
    for owner, name, hand in HANDS:
        assert hasattr(owner, name), f"{owner} has no {name}: the server has changed, and so must its rig"
        setattr(owner, name, hand)
    cli.main()


if __name__ == "__main__":
    main()
