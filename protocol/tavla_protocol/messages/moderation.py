"""Moderation: reports, sanctions, rulings."""

from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from tavla_protocol.messages.tables import Table
from tavla_protocol.messages.values import (
    Id,
    Message,
    Minutes,
    PlayerName,
    Reason,
    ReportId,
    RequestBase,
    Text,
    Title,
    Verdict,
)


class Report(RequestBase, frozen=True, kw_only=True):
    """Tell the moderators of someone. Answer: ok.

    reason: in your own words. match: where it happened, a match or a shared review; "" = elsewhere. The server adds
    what was said there at last, or by that player in the lobby, as far as it still knows.
    """

    player: PlayerName
    reason: Reason
    match: Annotated[str, Meta(max_length=16)] = ""


class Reports(RequestBase, frozen=True, kw_only=True):
    """Of a moderator: what players have reported. Answer: reported.

    about, by: only those about, or by, this player; None = all. closed: those that are closed. after: `next` of the
    page before; None = the first page.
    """

    about: PlayerName | None = None
    by: PlayerName | None = None
    closed: bool = False
    after: ReportId | None = None


class Resolve(RequestBase, frozen=True, kw_only=True):
    """Of a moderator: close an open report. It is kept, with who has closed it and why. Answer: ok."""

    report: ReportId
    reason: Text = ""


class Inspect(RequestBase, frozen=True, kw_only=True):
    """Of a moderator: what there is to know of someone before one decides. Answer: inspected."""

    player: PlayerName


class FairPlay(RequestBase, frozen=True, kw_only=True, tag="fair_play"):
    """Ask how an account plays by the server's judge: one's own without a name; another's, of a moderator. Answer:
    figures.
    """

    name: PlayerName | None = None


class Sanction(RequestBase, frozen=True, kw_only=True):
    """Of a moderator: `kick` someone (who may come back at once), `mute` or `ban`. Answer: ok.

    minutes: for how long; of no meaning for a kick. addresses: it holds for the addresses from which the player is
    connected now, too.
    """

    player: PlayerName
    what: Literal["kick", "mute", "ban"]
    reason: Reason
    minutes: Minutes = 60
    addresses: bool = False


class Pardon(RequestBase, frozen=True, kw_only=True):
    """Of a moderator: end a mute or a ban before its time, and that of the addresses that came with it. Answer: ok."""

    player: PlayerName
    what: Literal["mute", "ban"]
    reason: Reason


class Adjudicate(RequestBase, frozen=True, kw_only=True):
    """Of a moderator, or of who made the tournament: end a match, named by its id or its table, for the one on a side;
    or `void` it, over or not.

    Answer: ok.
    """

    match: Title
    verdict: Verdict
    reason: Reason


class Complaint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of `reported`. by: who has reported `about`. time: in ms since 1970. match: "" = none was named.

    lines: what was said there at last, or by `about` in the lobby; each [name, text], the oldest first. earlier: the
    reasons of the same player's reports that this one takes the place of. closed: when it was closed; 0 = it is open.
    closed_by: a moderator, `server` for want of room, or an operator. closed_why: their words.
    """

    by: str
    about: str
    reason: str
    time: int
    match: str = ""
    lines: list[tuple[str, str]] = []
    earlier: list[str] = []
    closed: int = 0
    closed_by: str = ""
    closed_why: str = ""


class Reported(Message, frozen=True, kw_only=True):
    """Reports by their ids, the newest first; none about the moderator who asks. next: where the next page begins;
    None = this is the last."""

    id: Id
    rows: dict[str, Complaint] = {}
    next: str | None = None


class Penalty(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A mute or a ban that holds. until, since: in ms since 1970; until 0 = for good. by: who has decided so."""

    what: str
    reason: str
    by: str
    since: int
    until: int = 0


class Inspected(Message, frozen=True, kw_only=True):
    """A player as moderators see them. matches: those that are not over, by id. tournaments: names, by id, of those
    that the player has made and that are not over, private ones among them. reports: how many are open.

    role: `moderator`, or "".
    """

    id: Id
    name: str
    kind: str
    rating: float | None = None
    experience: int = 0
    online: bool = False
    role: str = ""
    matches: dict[str, Table] = {}
    penalties: list[Penalty] = []
    reports: int = 0
    tournaments: dict[str, str] = {}


class Errors(NamedTuple):
    """Errors in decisions of one kind (`play`, `double`, `take`), in one phase of the game, or of one size.

    decisions: how many. lost: equity, in all together. match, number: where the costliest one is, by its number in the
    page's review, from 1; worst: its cost.
    """

    what: str
    decisions: int
    lost: float
    worst: float
    match: str
    number: int


class BestPlay(NamedTuple):
    """A hard play that was right, and where it is: see `errors`. margin: equity ahead of the next best."""

    done: str
    margin: float
    match: str
    number: int


class Figures(Message, frozen=True, kw_only=True):
    """Figures of fair play: how an account plays by the server's judge, in its newest rated matches. No verdict.

    by: the judge; "" = none of them was judged. matches: at most 100; decisions: in all of them. performance: the
    rating of all together, None = there was nothing to decide; error: the true one is within so much in 95 of 100
    cases, None = too few matches. hard: plays in which the judge's first look had another best one than its last;
    right: of them, those played as the judge would. hard_s, others_s: mean seconds from the roll to the play, a minute
    at most each, in hard plays and in others; None = there were none. opponents: five, with whom most of these matches
    were played, each with how many. errors: by kind, by phase, then by size; best: the five hard plays that
    were right by most; of matches that were judged since this is counted.
    """

    id: Id
    name: str
    rating: float | None = None
    experience: int = 0
    by: str = ""
    matches: int = 0
    decisions: int = 0
    performance: float | None = None
    error: float | None = None
    hard: int = 0
    right: int = 0
    hard_s: float | None = None
    others_s: float | None = None
    opponents: list[tuple[str, int]] = []
    errors: list[Errors] = []
    best: list[BestPlay] = []
