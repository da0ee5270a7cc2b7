"""Finders of a bot's next match: at a table, in quick matches, with one player, with all who ask.

Each is called by the runner, its host, whenever there is room for one more match.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from tavla_engine.rules import Rules as EngineRules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_client.bots import hooks
from tavla_client.bots.bot import Bot, Invitation
from tavla_client.bots.failures import Failures
from tavla_client.client import Client
from tavla_client.connection import log
from tavla_client.errors import ClientError, NoSeed, Refused
from tavla_client.lists import Lists
from tavla_client.match import Match

CLOSE_S = 2.0  # for the server to hear that a table is closed; a closed connection says so, too

Conditions = Mapping[str, Sequence[bool | int | str]]
Rules = dict[str, bool | int | str]
Found = tuple[Bot, Match]


class Host(Protocol):
    """The host of a finder: the player of what is found: a `Runner`.

    client: as whom. new_bot: with what. wake: set when a player challenges us, or a match has ended. receives: set by a
    finder that looks at all challenges itself; else rematches alone are left to it, and others declined.
    POLL_S: between two looks at whose opponents have gone.
    """

    POLL_S: float
    client: Client
    failures: Failures
    new_bot: type[Bot]
    wake: asyncio.Event
    receives: bool

    @property
    def free(self) -> int:
        """Number of further matches that there is room for."""

    def welcomes(self, challenged: m.Challenged) -> bool:
        """True if there is room for the player who challenges us."""


Finder = Callable[[Host], Awaitable[Found]]


def at_table(name: str, rules: Rules) -> Finder:
    """Sit down at a table of this name; if there is none, open it and wait."""

    async def find(host: Host) -> Found:
        sitting = asyncio.ensure_future(_sit_down(host.client, name, rules))
        try:
            await (await asyncio.shield(sitting)).wait_for_start()
        except asyncio.CancelledError:
            closing = asyncio.ensure_future(_closed(sitting))  # which goes on, when the server is slow
            await asyncio.wait([closing], timeout=CLOSE_S if host.client.link.online else 0)
            if not closing.done() or closing.result():
                raise
        return host.new_bot(), sitting.result()

    return _or_rematch(find)


async def _sit_down(client: Client, name: str, rules: Rules) -> Match:
    try:
        match = await client.join(name)
    except Refused as refused:
        if refused.code != ErrorCode.NO_SUCH_MATCH:
            raise
        match = await client.create(name, rules)
    if match.view.phase == "over":  # the last one, of which we are told once more
        raise Refused(ErrorCode.TABLE_FULL, f"table {name} is not free again yet")
    return match


async def _closed(sitting: "asyncio.Task[Match]") -> bool:
    """Close a table that no player shall join any more, once it is open. False if a player has sat down in that very
    moment.
    """
    try:
        match = await sitting
    except ClientError:
        return True
    with suppress(ClientError):
        await match.cancel()
    return match.view.phase in ("open", "over")


def in_pool(rules: Rules) -> Finder:
    """Quick match."""

    async def find(host: Host) -> Found:
        while True:
            try:
                return host.new_bot(), await host.client.seek(rules)
            except NoSeed as stopped:
                log.warning("%s", stopped)

    return _or_rematch(find)


def in_tournament(tournament: str) -> Finder:
    """Every match of a tournament, by its id or name, one after the other, until it is over."""
    id_ = ""

    async def find(host: Host) -> Found:
        nonlocal id_
        id_ = id_ or await host.client.tournaments.find(tournament)
        while any(match.seat is not None and match.view.phase != "over" for match in host.client.following):
            with suppress(TimeoutError):
                await asyncio.wait_for(host.wake.wait(), host.POLL_S)
            host.wake.clear()
        return host.new_bot(), await host.client.tournaments.enter(id_)

    return find


def against(player: str, rules: Rules) -> Finder:
    """Challenge a player, and after each match ask for another one."""
    last = ""

    async def find(host: Host) -> Found:
        nonlocal last
        client = host.client  # that one may want the rematch first: it is the same challenge
        match = await (client.challenges.rematch(last) if last else client.challenges.send(player, rules))
        last = match.id
        return host.new_bot(), match

    return find


def _or_rematch(find: Finder) -> Finder:
    """Put rematches first: an opponent who wants another match goes before all that `find` finds."""

    async def either(host: Host) -> Found:
        while True:
            wanted = await _wanted(host)
            if wanted is None:
                seeking = asyncio.ensure_future(find(host))
                try:
                    while wanted is None and not seeking.done():
                        await _woken(host, seeking)
                        wanted = await _wanted(host)
                finally:
                    seeking.cancel()
                    await asyncio.wait([seeking])
                if not seeking.cancelled():
                    return seeking.result()
            found = await _accepted(host, wanted) if wanted else None
            if found is not None:
                return found

    return either


def available() -> Finder:
    """Play those who ask, by a challenge or with a table against the computer, if the bot accepts: everyone sees it."""
    return _Reception()


class _Reception:
    """Looks at those who ask, and shows to all players for how many there is room."""

    def __init__(self) -> None:
        self._declined: set[str] = set()
        self._said = -1

    async def __call__(self, host: Host) -> Found:
        host.receives = True
        async with host.client.lobby.lists("tables") as lists:
            while True:
                await self._say(host, host.free)
                found = await self._found(host, lists) if host.free else None
                if found is not None:
                    await self._say(host, max(0, host.free - 1))
                    return found
                changed = asyncio.ensure_future(lists.wait_for_change())
                try:
                    await _woken(host, changed)
                    if changed.done():
                        changed.result()
                finally:
                    changed.cancel()

    async def _found(self, host: Host, lists: Lists) -> Found | None:
        while (wanted := await _wanted(host)) is not None:
            found = await _accepted(host, wanted)
            if found is not None:
                return found
        return await self._table(host, lists)

    async def _say(self, host: Host, places: int) -> None:
        if places != self._said:
            self._said = places
            await host.client.lobby.available(places, host.new_bot.level, host.new_bot.plays)

    async def _table(self, host: Host, lists: Lists) -> Found | None:
        for id_, table in list(lists.rows["tables"].items()):
            if table.opponent != "computer" or id_ in self._declined:
                continue
            seat = 0 if table.players[0] is not None else 1
            name, kind = table.players[seat] or "", table.kinds[seat] or "guest"
            bot = await _accepts(host, Invitation(name, kind, table.ratings[seat], table.rules))
            if bot is not None:
                with suppress(Refused):  # another bot was faster
                    return bot, await host.client.join(id_)
            self._declined.add(id_)
        return None


async def _wanted(host: Host) -> tuple[str, Bot] | None:
    """The first challenge that there is room for and that the bot wants, and the bot that will play."""
    client = host.client
    for id_, challenged in list(client.challenges.open.items()):
        if challenged.to == client.me.name and host.welcomes(challenged):
            who = await client.archive.profile(challenged.by)
            rating = None if who.rating is None else round(who.rating)
            bot = await _accepts(host, Invitation(who.name, who.kind, rating, challenged.rules))
            if bot is not None:
                return id_, bot
            await decline(client, id_)
    return None


async def _accepted(host: Host, wanted: tuple[str, Bot]) -> Found | None:
    """The match of a challenge that is wanted; None if nothing comes of it."""
    id_, bot = wanted
    with suppress(Refused):  # withdrawn meanwhile; or a rated match, and we are a guest
        return bot, await host.client.challenges.accept(id_)
    await decline(host.client, id_)
    return None


async def decline(client: Client, challenge: str) -> None:
    """Decline a challenge, and look at it no more."""
    client.challenges.open.pop(challenge, None)
    with suppress(ClientError):
        await client.challenges.decline(challenge)


async def _accepts(host: Host, invitation: Invitation) -> Bot | None:
    """The bot that will play, if it wants to."""
    if not fits(host.new_bot.plays, invitation.rules):
        return None
    bot = host.new_bot()
    return bot if await hooks.call(bot, "accept_challenge", invitation, host.failures) else None


def fits(plays: Conditions, rules: Mapping[str, bool | int | str]) -> bool:
    """True if a bot plays by these rules. plays: as in `available`. rules: the options that differ from the default."""
    wanted = {**EngineRules()._asdict(), **rules}
    return all(wanted.get(option) in values for option, values in plays.items())


async def _woken(host: Host, other: "asyncio.Future[Any]") -> None:
    """Wait until there may be another player to play, or more room, or until the other thing has happened."""
    woken = asyncio.ensure_future(host.wake.wait())
    try:
        await asyncio.wait((other, woken), timeout=host.POLL_S, return_when=asyncio.FIRST_COMPLETED)
        host.wake.clear()
    finally:
        woken.cancel()
