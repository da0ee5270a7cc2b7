"""An arena of bots whose servers and store are killed, and what must hold of it then, by the journals."""

import asyncio
import random
from types import TracebackType
from typing import Any, Self

from tavla_client import Client, Match, Refused
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.tournaments.formats import format_of
from tavla_server.features.tournaments.journal import TournamentJournal, entries
from tavla_server.features.tournaments.state import Tournament, replay
from tavla_server.features.tournaments.views import match_of
from tavla_server.record.state import Record
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import until
from tests.support.players.plain import PLAYS, RETRY_S, unique
from tests.support.players.turns import plays_of
from tests.support.stores.journals import check_journal

RULES: dict[str, bool | int | str] = {"length": 1, "clock": "fast"}
SECRET = "correct horse"


class Arena:
    """Players who enter again after each match, which one gives up as soon as it counts for both.

    matches: those that each has played. terms: as in `Tournaments.create`; with rounds it begins when all are in.
    """

    def __init__(self, urls: list[str], store_url: str, players: int, **terms: Any) -> None:
        self._store_url, self._terms, self.id = store_url, terms, ""
        self._director = Client(urls[0], name=unique("d"))
        self.clients = [Client(urls[number % len(urls)], name=unique("c")) for number in range(players)]
        self.matches: dict[Client, list[str]] = {client: [] for client in self.clients}
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()  # somebody has played a match, or plays no more

    async def __aenter__(self) -> Self:
        await self._director.connect()
        await self._director.account.register(SECRET)
        terms = {"starts": 3600, **self._terms} if self._terms else {}
        self.id = await self._director.tournaments.create(unique("arena"), RULES, **terms)
        for client in self.clients:
            await client.connect()
        self._tasks = [asyncio.create_task(self._play(client)) for client in self.clients]
        for task in self._tasks:
            task.add_done_callback(lambda _: self._news.set())
        if terms:
            async with asyncio.timeout(PATIENCE_S), self._director.lobby.lists("tournaments") as lists:
                await until(lists, lambda: lists.rows["tournaments"][self.id].players == len(self.clients))
            await self._director.tournaments.direct(self.id, "begin", "all are here")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for client in (self._director, *self.clients):
            await client.close()

    @property
    def played(self) -> int:
        """The number of matches that both players have seen end."""
        return sum(map(len, self.matches.values())) // 2

    @property
    def over(self) -> bool:
        """Nobody plays any more."""
        return all(task.done() for task in self._tasks)

    async def goes_on(self, more: int) -> None:
        """Wait until so many more matches have been played, or with rounds, until it is over."""
        wanted = self.played + more
        async with asyncio.timeout(PATIENCE_S):
            while self.played < wanted and not (self._terms and self.over):
                self._check_tasks()
                self._news.clear()
                await self._news.wait()

    async def finish(self) -> list[str]:
        """End it; what is wrong with it then."""
        async with asyncio.timeout(PATIENCE_S):
            await self._director.tournaments.direct(self.id, "extend", "enough")
            await asyncio.gather(*self._tasks)
            async with self._director.lobby.lists("tournaments") as lists:
                await until(lists, lambda: lists.rows["tournaments"][self.id].over)
            async with self._director.tournaments.standings(self.id) as lists:
                shown = dict(lists.rows["standings"])
        async with connection_to(self._store_url) as redis:
            rows = await TournamentJournal(redis, "test").read(self.id, 0)
        state = replay(entries(self.id, rows))
        records = [
            check_journal(self._store_url, match_of(self.id, state, number)) for number in range(len(state.pairs))
        ]
        return [*self._faults(state, shown), *_faults_of_results(state, records)]

    def _faults(self, state: Tournament, shown: dict[str, m.Standing]) -> list[str]:
        found = []
        if state.playing or not state.closed_ms:
            found.append(f"it ended while {len(state.playing)} matches were played")
        for client in self.clients:
            entrant = state.entrants[client.me.player or ""]
            theirs = {match_of(self.id, state, result.number) for result in entrant.results}
            if theirs != set(self.matches[client]) or len(self.matches[client]) != len(entrant.results):
                found.append(f"{entrant.player.name} has played {self.matches[client]}, and {theirs} counts")
            row = shown[entrant.player.name]
            points = format_of(state).ranks(state, entrant)[0]
            if (row.points, row.matches, row.wins) != (points, len(entrant.results), entrant.score.wins):
                found.append(f"the standings show {row} for {entrant.score}")
        return found

    def _check_tasks(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()
                assert self._terms, "a player has gone"

    async def _play(self, client: Client) -> None:
        while True:
            try:
                match = await client.tournaments.enter(self.id)
            except Refused as refused:
                if refused.code == ErrorCode.TOURNAMENT_OVER:
                    return
                if refused.code != ErrorCode.TOO_MANY:
                    raise
                await asyncio.sleep(refused.retry_after)
                continue
            await _end(match)
            self.matches[client].append(match.id)
            self._news.set()


async def _end(match: Match) -> None:
    """Play it until both have made two plays, then give it up, or see the opponent do so: so it counts for both."""
    rng, opened = random.Random(match.id), None
    gives_up = match.seat == rng.randrange(2)
    async for change in match.changes():
        if match.view.phase == "over":
            break
        if opened is None and match.view.phase == "move":
            opened = match.view.rolls
        while match.to_act and change.seq == match.seq:
            try:
                await _act(match, rng, opened is not None and gives_up and match.view.rolls >= opened + PLAYS)
            except Refused:  # done already, by a request whose answer was lost; or the store is not there
                await asyncio.sleep(RETRY_S)


async def _act(match: Match, rng: random.Random, gives_up: bool) -> None:
    if gives_up:
        await match.forfeit()
    elif match.view.phase == "roll":
        await match.roll()
    else:
        await match.move(rng.choice(plays_of(match.view)))


def _faults_of_results(state: Tournament, records: list[Record]) -> list[str]:
    """Each match has the result that its own journal says, and nobody played two at a time."""
    found = []
    for number, (pair, record) in enumerate(zip(state.pairs, records, strict=True)):
        seated = tuple(player.id for player in record.players if player)
        outcome = record.match.outcome
        if seated != pair.players:
            found.append(f"match {number} was of {pair.players}, and {seated} sat there")
        if pair.scored is None or outcome is None or pair.scored.winner != outcome.winner:
            found.append(f"match {number} ended {outcome}, and counts as {pair.scored}")
        elif pair.scored.absent:
            found.append(f"an outage cost {pair.scored.absent} of match {number} the point")
    return found
