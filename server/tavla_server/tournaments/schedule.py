"""Tournaments that the operator has planned: every evening at eight, say. Any node makes the next one; one is made."""

import asyncio
import re
import secrets
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from tavla_engine.rules import BadRules, Rules, preset

from tavla_server.archive.summary import NOBODY
from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused, StartError, StoreUnavailable
from tavla_server.lobby import match_ids
from tavla_server.player import Player
from tavla_server.tournaments.events import ARENA, Opened
from tavla_server.tournaments.formats import FORMATS
from tavla_server.tournaments.terms import check_terms
from tavla_server.tournaments.tournaments import Tournaments

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PLAN = re.compile(r"(?:([a-z,]+) )?([0-9]{1,2}):([0-9]{2}) ([A-Za-z0-9_-]{2,30})((?: [a-z_]+=\S+)*)")
FORM = "it reads like `20:00 evening`, or `fri,sat 20:30 weekend minutes=90 length=5 zone=Europe/Istanbul`"
AHEAD_MS = 24 * 3_600_000  # so long before it begins it is made: an evening's stands in the list as the last one ends
LOOK_S = 30.0
SEED_BYTES = 16
HOUSE = Player(NOBODY, "server", "account")  # a name that no player can have

log = structlog.get_logger()


class Plan(NamedTuple):
    """A tournament that comes again. days: of the week, from Monday. zone: None = that of the server's machine."""

    name: str
    days: frozenset[int]
    at: time
    zone: ZoneInfo | None
    minutes: int
    rules: Rules
    format: str
    rounds: int

    def next_ms(self, now_ms: int) -> int:
        """When the next one begins, in ms since 1970."""
        today = datetime.fromtimestamp(now_ms / 1000, self.zone).date()
        dates = (datetime.combine(today + timedelta(later), self.at, self.zone) for later in range(len(DAYS) + 1))
        starts_ms = (round(1000 * begins.timestamp()) for begins in dates if begins.weekday() in self.days)
        return next(ms for ms in starts_ms if ms > now_ms)


def read_plan(text: str) -> Plan:
    """The plan that an operator has written. Raises: StartError."""
    found = PLAN.fullmatch(text.strip())
    if found is None:
        raise StartError(f"--tournament {text!r:.60} is no plan: {FORM}")
    days, hour, minute, name, pairs = found.groups()
    options = dict(pair.split("=", 1) for pair in pairs.split())
    try:
        zone = ZoneInfo(options.pop("zone")) if "zone" in options else None
        minutes, rounds = int(options.pop("minutes", "60")), int(options.pop("rounds", "0"))
        format_ = options.pop("format", ARENA)
        which = frozenset(map(DAYS.index, days.split(","))) if days else frozenset(range(len(DAYS)))
        changes = {option: _value(value) for option, value in options.items()}
        rules = preset(str(changes.pop("preset", "tournament")), changes, quick=True)
        if not 1 <= minutes <= 720 or not 0 <= rounds <= 20 or format_ not in FORMATS:
            raise BadRules(f"minutes are 1 to 720, rounds 0 to 20, and the format is one of {', '.join(FORMATS)}")
        check_terms(rules, format_, minutes)
        return Plan(name, which, time(int(hour), int(minute)), zone, minutes, rules, format_, rounds)
    except (ValueError, BadRules, Refused, ZoneInfoNotFoundError) as error:
        raise StartError(f"--tournament {text!r:.60} is no plan: {error}; {FORM}") from None


def _value(text: str) -> bool | int | str:
    return {"on": True, "off": False}.get(text, int(text) if text.isdecimal() else text)


class Schedule:
    """The planned tournaments, made in time."""

    def __init__(self, plans: Sequence[Plan], tournaments: Tournaments, clock: Clock) -> None:
        self._plans, self._tournaments, self._clock = plans, tournaments, clock
        self._made: dict[Plan, int] = {}  # when the last one begins

    async def run(self) -> None:
        """Make each in time. Runs until it is cancelled."""
        while self._plans:
            try:
                await self.make(self._clock.now_ms())
            except StoreUnavailable as error:
                log.warning("tournament_not_made", error=str(error))
            await asyncio.sleep(LOOK_S)

    async def make(self, now_ms: int) -> None:
        """Make those that begin soon, and are not there. Raises: StoreUnavailable."""
        for plan in self._plans:
            starts_ms = plan.next_ms(now_ms)
            if starts_ms - now_ms <= AHEAD_MS and self._made.get(plan) != starts_ms:
                event = Opened(
                    name=plan.name,
                    by=HOUSE,
                    rules=plan.rules,
                    starts_ms=starts_ms,
                    ends_ms=starts_ms + 60_000 * plan.minutes,
                    seed=secrets.token_bytes(SEED_BYTES),
                    format=plan.format,
                    rounds=plan.rounds,
                    round_ms=60_000 * plan.minutes,
                )
                await self._tournaments.create(match_ids.of_plan(plan.name, starts_ms), event)
                self._made[plan] = starts_ms
