"""`tavla-server admin`: what operators can do, who are those that can open the store. Nodes hear of it by the feed."""

import asyncio
import contextlib
import getpass
import socket
from collections.abc import AsyncIterator

from tavla_engine.actions import Seat
from tavla_protocol.messages import Verdict

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import SEEKERS, Feed
from tavla_server.commands.overview import Overview
from tavla_server.errors import Refused, StartError, StoreUnavailable
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.leaving.merges import AccountMerges, merge_sentence
from tavla_server.features.moderation.powers import Actor, Powers
from tavla_server.features.moderation.reports import Reports
from tavla_server.features.quick_match import seekers
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.sanctions.ledger import Ledger
from tavla_server.features.sanctions.orders import Drain, Kick, Rule, Tell
from tavla_server.features.tables.table_names import TableNames
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.events import Directed
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.gateway.text_filter import clean
from tavla_server.match.journal import Journal
from tavla_server.match.lifecycle import ruling
from tavla_server.options import Options
from tavla_server.own_store import running_store
from tavla_server.player import Player
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Ruled
from tavla_server.record.state import Record
from tavla_server.store.client import Client, connection_to
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology

LOOK_S = 0.05  # between two looks at a journal
RULED_S = 10.0  # a node has carried it out by then, or none will


class Administrator:
    """An administrator at the store; overview: what is there.

    All raise Refused and StoreUnavailable, and give lines.
    """

    def __init__(self, redis: Client, topology: Topology, passwords: Passwords) -> None:
        self.by = Actor(f"operator {clean(getpass.getuser())}@{clean(socket.gethostname())}")
        self._redis, self._topology, self._clock = redis, topology, Clock()
        self.accounts = Accounts(redis, self._clock, passwords)
        self._feed, self._audit = Feed(redis, topology), Audit(redis, self._clock)
        self._ledger = Ledger(self._feed, self._clock)
        self._mergers = AccountMerges(redis, self.accounts, None)
        reports = Reports(redis)
        self.overview = Overview(redis, self._clock, self._feed, self.accounts, self._ledger, self._audit, reports)
        self.powers = Powers(self.accounts, self._ledger, self._audit, reports, self._clock)

    async def open(self) -> None:
        """Learn what the store's clock shows."""
        await self._clock.follow(self._redis.time)

    # --- what nodes are asked to do ---

    async def check_server(self) -> None:
        """Raises: Refused when there is no server to do anything."""
        if not await self.overview.living():
            raise Refused("unavailable", "no server runs on this store: start one first")

    async def broadcast(self, said: str) -> None:
        """Send a line to all connected clients."""
        await self.check_server()
        await self.powers.order(self.by, "broadcast", "", said, Tell((), said))

    async def drain(self, node: str, why: str) -> None:
        """Have a node give its clients to the others."""
        living = await self.overview.living()
        if node not in living:
            raise Refused("no_such_node", f"there is no node {node}: see tavla-server admin list nodes")
        if len(living) == 1:
            raise Refused("no_such_node", f"{node} is the only node: start another one, to which clients can go")
        await self.powers.order(self.by, "drain", node, why, Drain(node))

    # --- players that are one ---

    async def merge(self, name: str, into_name: str, why: str) -> str:
        """A player becomes an account, which has its matches, its experience and its name from now on; a line of it."""
        unfinished = await self._mergers.finish_merges()
        into = await self.accounts.find(into_name)
        if into is None or into.rating is None:
            raise Refused("account_needed", f"{into_name} has no account: only an account can be another player, too")
        old = await self.accounts.player_of_name(name)
        if old.id == into.id:
            return f"{name} is {into.name} already"
        if old.id in unfinished:
            raise Refused("unavailable", f"a server has yet to archive what {old.name} got: try again in a few seconds")
        await self._check_idle(old, into)
        await self._audit.note(self.by.name, "merge", f"{old.name} into {into.name}", why)
        await self._ledger.appoint(old.id, on=False)
        await self._mergers.merge(old, into)
        await self._ledger.order(Kick(old.id, merge_sentence(into)))
        return f"{old.name} is {into.name} now"

    async def _check_idle(self, old: Player, into: Player) -> None:
        """Raises: Refused while one of the two is at something, or when one has changed the other's rating."""
        notes, waiting = await self.overview.notes(), await self._feed.fetch_all(SEEKERS)
        sought = {seekers.unpack(row)[1].name for row in waiting.values()}
        for player in (old, into):
            at = next((match for match, note in notes.items() if player.id in note.players), None)
            if at is not None:
                raise Refused("seated", f"{player.name} sits at match {at}: let it end, or void or adjudicate it first")
            if player.name in sought:
                raise Refused("waiting", f"{player.name} looks for an opponent: try again later, or kick {player.name}")
        if matches := await self._mergers.rated_together(old, into):
            raise Refused(
                "rated", f"the two have played rated matches with each other: void {', '.join(matches)} first"
            )

    # --- matches ---

    async def rule(self, table: str, verdict: str, why: str) -> str:
        """Void a match, or end it for `white`, `black` or a player's name; how it stands then, in a line."""
        await self.check_server()
        match, record = await self._read(table)
        verdict_ = _verdict(record, verdict)
        events, _ = ruling(verdict_, "operator", why)(record, MatchDice())
        if events:
            order = Rule(match, verdict_, "operator", why)
            await self.powers.order(self.by, "adjudicate", f"{match} {verdict_}", why, order)
            await self._until_ruled(match)
        return f"match {match}: {verdict_}" + ("" if events else ", as it was already")

    async def end_tournament(self, id_: str, why: str) -> str:
        """No more matches of a tournament begin, and its places are free; its name, in a line."""
        session = TournamentSession(id_, TournamentJournal(self._redis, ""), self._clock, lambda *_: None)
        await session.read_on()
        if session.state.opened is None:
            raise Refused(
                "no_such_tournament", f"there is no tournament {id_}: see tavla-server admin list tournaments"
            )
        await self._audit.note(self.by.name, "end-tournament", id_, why)
        await session.submit(decider.ruling_of(decider.ending, Directed(None, "extend", None, why, "operator")))
        return f"tournament {id_}: {session.state.opened.name} ends; matches that are played count"

    async def _read(self, table: str) -> tuple[str, Record]:
        """A match that the store has, by its id or the name of its table."""
        for match in filter(None, (table, await TableNames(self._redis).find(table))):
            seq, record, _ = await self._journal.replay(match)
            if seq:
                return match, record
        raise Refused(
            "no_such_match", f"the store has no match {table}: one that has left it for the archive stays as it is"
        )

    async def _until_ruled(self, match: str) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RULED_S):
                while True:
                    last = await self._journal.tail(match, 1)
                    if any(isinstance(event, Ruled) for entry in last for event in entry.events):
                        return
                    await asyncio.sleep(LOOK_S)
        raise Refused("unavailable", f"no server has carried it out within {RULED_S:.0f} s: see its log, and try again")

    @property
    def _journal(self) -> Journal:
        return Journal(self._redis, Router(self._topology, []), "")


@contextlib.asynccontextmanager
async def administrator(options: Options) -> AsyncIterator[Administrator]:
    """An operator at the store that the options name.

    Raises: StartError, with what is wrong, for all that fails meanwhile.
    """
    passwords = Passwords()
    try:
        async with running_store(options.redis, options.data) as url, connection_to(url) as redis:
            found = Administrator(redis, await find_topology(url), passwords)
            await found.open()
            yield found
    except Refused as refused:
        raise StartError(str(refused)) from None
    except (StoreUnavailable, ValueError) as error:
        raise StartError(f"the store cannot be used: {error}") from None
    finally:
        passwords.close()


def _verdict(record: Record, verdict: str) -> Verdict:
    if verdict == "void":
        return "void"
    sides: dict[Seat, Verdict] = {0: "white", 1: "black"}
    for seat, side in sides.items():
        player = record.players[seat]
        if verdict.lower() in (side, "" if player is None else player.name.lower()):
            return side
    raise Refused("no_such_player", f"{verdict} does not play this match: say white, black or a player's name")
