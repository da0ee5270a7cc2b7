"""Players who look for an opponent in quick match, and are paired."""

import asyncio

from tavla_protocol import messages as m
from tavla_server.timings import DEFAULTS

from tests.support.players.plain import Player, begun

Wanted = dict[str, bool | int | str]


async def seek(player: Player, rules: Wanted, **fields: str) -> None:
    """Seek, and be told that it is so."""
    await player.get(m.Ok, m.Seek, rules=rules, **fields)


async def matched(player: Player) -> m.Snapshot:
    """Wait for the match, which comes before its snapshot."""
    found = await player.next(m.Matched)
    snapshot = await player.next(m.Snapshot)
    assert (snapshot.match, snapshot.id) == (found.match, None)
    assert player.log.index(found) < player.log.index(snapshot)
    assert snapshot.seat is not None
    return snapshot


async def not_matched(*players: Player, for_s: float = 3 * DEFAULTS.queue_poll_s) -> None:
    """Nothing comes, for longer than a poll takes."""
    await asyncio.sleep(for_s)
    for player in players:
        assert not [message for message in await player.sync() if isinstance(message, m.Matched)]


async def pair(one: Player, two: Player, rules: Wanted) -> str:
    """The match of two who seek, when it has begun."""
    await seek(one, rules)
    await seek(two, rules)
    snapshots = [await matched(one), await matched(two)]
    match = snapshots[0].match
    assert match == snapshots[1].match
    assert {snapshot.seat for snapshot in snapshots} == {0, 1}
    await begun(match, one, two)
    return match
