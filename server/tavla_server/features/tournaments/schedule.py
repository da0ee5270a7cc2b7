"""Tournaments that the operator has planned: every evening at eight, say. Any node makes the next one; one is made."""

import tomllib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from tavla_protocol import messages as m

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused, StartError
from tavla_server.features.archive.summary import NOBODY
from tavla_server.features.tables.terms import read_rules
from tavla_server.features.tournaments.terms import check_terms
from tavla_server.gateway.text_filter import clean_title
from tavla_server.match import ids as match_ids
from tavla_server.player import Player

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = get_args(Day)
AHEAD_MS = 24 * 3_600_000  # so long before it begins it is made: an evening's stands in the list as the last one ends
LOOK_S = 30.0
HOUSE = Player(NOBODY, "server", "account")  # a name that no player can have


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan of a tournament that comes again, as the operator's file has it.

    at: the time of day in `zone`; "" = that of the server's machine. The other fields are those of `create_tournament`.
    """

    name: m.Title
    at: time
    days: Annotated[frozenset[Day], msgspec.Meta(min_length=1)] = frozenset(DAYS)
    zone: str = ""
    minutes: m.TournamentMinutes = 60
    format: m.Format = "arena"
    rounds: m.Rounds = 0
    rules: dict[str, bool | int | str] = {}
    private: ClassVar[bool] = False
    min_rating: ClassVar[int] = 0
    max_rating: ClassVar[int] = 0

    def next_ms(self, now_ms: int) -> int:
        """The time at which the next one begins, in ms since 1970."""
        zone = ZoneInfo(self.zone) if self.zone else None
        today = datetime.fromtimestamp(now_ms / 1000, zone).date()
        dates = (datetime.combine(today + timedelta(later), self.at, zone) for later in range(len(DAYS) + 1))
        starts_ms = (round(1000 * begins.timestamp()) for begins in dates if DAYS[begins.weekday()] in self.days)
        return next(ms for ms in starts_ms if ms > now_ms)


Create = Callable[[str, Player, Plan, int], Awaitable[None]]  # as `Tournaments.create`


def read_plans(file: Path | None) -> list[Plan]:
    """The plans in the operator's file; none without one. Raises: StartError."""
    if file is None:
        return []
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
        plans = msgspec.convert(tables, dict[Literal["tournament"], list[Plan]]).get("tournament", [])
        for plan in plans:
            check_terms(read_rules(plan.rules, quick=True), plan.format, plan.minutes)
            plan.next_ms(0)  # its zone is known
        return [msgspec.structs.replace(plan, name=clean_title(plan.name)) for plan in plans]
    except (OSError, ValueError, msgspec.MsgspecError, Refused, ZoneInfoNotFoundError) as error:
        raise StartError(f"cannot plan the tournaments of {file}: {error}") from None


class Schedule:
    """The schedule of planned tournaments, made in time."""

    def __init__(self, plans: Sequence[Plan], create: Create, clock: Clock) -> None:
        self._plans, self._create, self._clock = plans, create, clock
        self._made: dict[int, int] = {}  # when the last one of each plan begins

    async def sweep(self) -> None:
        """Make those that begin soon, and are not there. Raises: StoreUnavailable."""
        now_ms = self._clock.now_ms()
        for number, plan in enumerate(self._plans):
            starts_ms = plan.next_ms(now_ms)
            if starts_ms - now_ms <= AHEAD_MS and self._made.get(number) != starts_ms:
                await self._create(match_ids.of_plan(plan.name, starts_ms), HOUSE, plan, starts_ms)
                self._made[number] = starts_ms
