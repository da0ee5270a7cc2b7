"""Fair play: how an account plays by the server's judge, told to moderators and to the player alone.

These are figures and no verdict. What they are made of was counted when the matches were judged.
"""

import math
from collections import Counter
from collections.abc import Sequence

from tavla_engine.analysis import PR_FACTOR, SIZES
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import ThinkingTime
from tavla_server.features.archive.players import JudgedMatch
from tavla_server.features.records.records import PAGES
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.routes import Route
from tavla_server.player import Player

WHATS = ("play", "double", "take", "opening", "middle game", "race", "bear-off", *SIZES.values())
NEWEST = 100  # matches: 4,000 decisions, and an error of half a point of PR
OPPONENTS = BEST = 5


class FairPlayFigures(Feature):
    """The figures of fair play. archive: None = there are none."""

    def __init__(self, sanctions: Sanctions, accounts: Accounts, archive: Archive | None) -> None:
        self._sanctions, self._accounts, self._archive = sanctions, accounts, archive
        self.routes = (Route(m.FairPlay, self.figures, PAGES, cost=costs.A_PAGE),)

    async def figures(self, connection: Connection, request: m.FairPlay) -> None:
        """The figures of a player: one's own, and of anybody to a moderator."""
        player = connection.player
        if request.name is not None and request.name.lower() != player.name.lower():
            if not self._sanctions.role_of(player):
                raise Refused(
                    ErrorCode.NOT_ALLOWED, "how others play by these figures is for moderators: ask for yours"
                )
            player = await self._accounts.player_of_name(request.name)
        if self._archive is None:
            raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no finished matches, so none are judged")
        connection.send(figures_of(request.id, player, await self._archive.players.judged_matches(player.id, NEWEST)))


def figures_of(id_: int, player: Player, judged: Sequence[JudgedMatch]) -> m.Figures:
    """Figures over some matches, those of the judge that has judged most of them."""
    by = Counter(one.judgement.by for one in judged if one.judgement.by).most_common(1)
    matches = [one for one in judged if by and one.judgement.by == by[0][0]]
    sums = [(one.judgement.lost[one.seat], one.judgement.decisions[one.seat]) for one in matches]
    rating, error = rating_with_error(sums)
    times = [one.judgement.thinking[one.seat] for one in matches]
    thinking = ThinkingTime(*map(sum, zip(ThinkingTime(), *times, strict=True)))
    met = Counter(one.opponent[0] for one in matches).most_common(OPPONENTS)
    names = dict(one.opponent for one in reversed(matches))  # the newest one of each
    return m.Figures(
        id=id_,
        name=player.name,
        rating=player.rating if player.rating is None else round(player.rating, 2),
        experience=player.experience,
        by=by[0][0] if by else "",
        matches=len(matches),
        decisions=sum(decisions for _, decisions in sums),
        performance=rating,
        error=error,
        hard=thinking.hard,
        right=thinking.right,
        hard_s=_mean_s(thinking.hard_ms, thinking.hard),
        others_s=_mean_s(thinking.others_ms, thinking.others),
        opponents=[(names[id_], count) for id_, count in met],
        errors=errors_of(matches),
        best=best_of(matches),
    )


def errors_of(matches: Sequence[JudgedMatch]) -> list[m.Errors]:
    """Errors by kind, by phase and by size, each with the costliest one."""
    found = [(one.match, error) for one in matches for error in one.judgement.errors[one.seat]]
    by_what = {what: [(match, error) for match, error in found if error.what == what] for what in WHATS}
    return [
        m.Errors(
            what,
            sum(error.decisions for _, error in all_),
            round(sum(error.loss for _, error in all_), 2),
            worst.worst,
            match,
            worst.number,
        )
        for what, all_ in by_what.items()
        if all_
        for match, worst in [max(all_, key=lambda one: one[1].worst)]
    ]


def best_of(matches: Sequence[JudgedMatch]) -> list[m.BestPlay]:
    """The best plays of all matches, those furthest ahead first."""
    all_ = [
        m.BestPlay(play.done, play.margin, one.match, play.number)
        for one in matches
        for play in one.judgement.best[one.seat]
    ]
    return sorted(all_, key=lambda play: -play.margin)[:BEST]


def rating_with_error(sums: Sequence[tuple[float, int]]) -> tuple[float | None, float | None]:
    """The performance rating over some matches, each with its loss and number of decisions, and its error at 95 %.

    The rating is 500 R, R the whole loss L by all N decisions. Decisions of a match hang together, so its error is that
    of a ratio by matches: 1.96 * 500 / N * sqrt(k / (k - 1) * sum of (l - R n)^2) over the k matches, each of loss l
    and n decisions. None: there is no decision, or, for the error, no second match.
    """
    all_, count = sum(decisions for _, decisions in sums), len(sums)
    if not all_:
        return None, None
    mean = sum(loss for loss, _ in sums) / all_
    rating = round(PR_FACTOR * mean, 2)
    if count < 2:
        return rating, None
    squares = sum((loss - mean * decisions) ** 2 for loss, decisions in sums)
    return rating, round(1.96 * PR_FACTOR / all_ * math.sqrt(count / (count - 1) * squares), 2)


def _mean_s(all_ms: int, count: int) -> float | None:
    return round(all_ms / count / 1000, 1) if count else None
