"""A match's journal: read, checked against what was seen, and put back to what it was."""

import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from tavla_engine.chain import LINKS, ChainDice, chain_commitment, link_number
from tavla_engine.events import OpeningRolled, Rolled
from tavla_protocol.view import View
from tavla_server.record.events import Entry, decode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, apply
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.players.seeds import SEALER
from tests.support.servers.processes import ServerProcess, redis_at


def entries_of(url: str, match: str) -> list[Entry]:
    """A match's journal, read from the store; it has no gap."""
    with contextlib.closing(redis_at(url)) as redis:
        rows: Any = redis.xrange(keys.MATCH_LOG(match))
    assert [id_ for id_, _ in rows] == [b"%d-0" % number for number in range(1, len(rows) + 1)]
    return [decode_entry(fields[b"e"]) for _, fields in rows]


def patch_reading_on(
    monkeypatch: pytest.MonkeyPatch, around: Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
) -> None:
    """Do something around each look at how a journal goes on after what a session has."""
    entries: Any = Client.entries

    async def patched(client: Client, name: Any, first: Any = "-", *args: Any, **options: Any) -> Any:
        read: Callable[[], Awaitable[Any]] = partial(entries, client, name, first, *args, **options)
        return await (around(read) if first[0].isdigit() else read())

    monkeypatch.setattr(Client, "entries", patched)


def check_journal(url: str, match: str, *seen: dict[int, View]) -> Record:
    """Whatever was seen is in the journal, every action once, and all dice are the committed ones; the end of it.

    seen: views by seq, of each player or watcher.
    """
    record, rolls = Record(match), []
    entries = entries_of(url, match)
    for seq, entry in enumerate(entries, 1):
        step, record = record, apply_entry(record, entry)
        for event in entry.events:
            if isinstance(event, OpeningRolled | Rolled):
                rolls.append((step.match.link, step.match.rolls + 1, event.dice))
            step = apply(step, event)
        for views in seen:
            assert views.get(seq) in (None, view_of(record)), f"version {seq} was shown, but it is another one now"
    for views in seen:
        assert max(views) <= len(entries), "an update was shown and is not in the journal"
    actions = [(entry.player, entry.action) for entry in entries]
    assert len(set(actions)) == len(actions), "an action acted twice"
    record = SEALER.unseal(record)
    dice = ChainDice(record.seed, LINKS, record.binding, record.seeds)
    assert [number for _, number, _ in rolls] == [*range(1, len(rolls) + 1)]
    assert rolls == [(link, number, dice.of_link(link).roll(number)) for link, number, _ in rolls]
    for views in seen:
        for view in views.values():
            assert view.commitment == chain_commitment(record.seed)
            shown = link_number(bytes.fromhex(view.seed), view.commitment) or 0 if view.seed else 0
            assert shown in (0, view.game, view.game - 1) or record.epoch > 1
    return record


async def unsettled(redis: Client) -> int:
    """The number of matches that wait for ratings, or for the archive, in a store that is no cluster."""
    return sum([int(await redis.zcard(key("0"))) for key in (keys.ENDED, keys.UNARCHIVED)])


class Past:
    """A match's journal as it once was, to be put in the place of what it has become."""

    def __init__(self, url: str, match: str) -> None:
        self.url, self.match = url, match
        with contextlib.closing(redis_at(url)) as redis:
            self.dumps = {key: redis.dump(key) for key in (keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match))}

    def bring_back(self) -> None:
        """The store forgets all that came after."""
        with contextlib.closing(redis_at(self.url)) as redis:
            for key, dump in self.dumps.items():
                redis.delete(key)
                if isinstance(dump, bytes):
                    redis.restore(key, 0, dump)

    def put_back(self, server: ServerProcess) -> None:
        """The store forgets all that came after, and the snapshot; its server is killed, and serves again."""
        self.bring_back()
        with contextlib.closing(redis_at(self.url)) as redis:
            redis.delete(keys.MATCH_SNAPSHOT(self.match))
        server.kill()
        server.restart()
