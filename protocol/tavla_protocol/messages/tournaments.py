"""Tournaments: made, entered, directed, and told of."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tavla_protocol.messages.values import (
    Commitment,
    Cursor,
    Format,
    Id,
    Message,
    PlayerName,
    Reason,
    RequestBase,
    Rounds,
    Seat,
    Seq,
    Title,
    TournamentId,
    TournamentMinutes,
)


class CreateTournament(RequestBase, frozen=True, kw_only=True, tag="create_tournament"):
    """Make a tournament. Answer: organised.

    rules: as in `create`, of each match: to points, with a clock. starts: in so many seconds. minutes: how long it
    lasts; matches that run then count. format: an `arena` has no rounds, and pairs those who wait every few seconds;
    in the others `minutes` are those of a round. rounds: of a `swiss`; 0 = as many as give one player all wins.
    private: it is in no list; who is told its id may enter, follow, and watch. min_rating, max_rating: with which one
    may enter; 0 = any.
    """

    name: Title
    rules: dict[str, bool | int | str] = {}
    starts: Annotated[int, Meta(ge=0, le=604_800)] = 0  # up to a week
    minutes: TournamentMinutes = 60
    format: Format = "arena"
    rounds: Rounds = 0
    private: bool = False
    min_rating: Annotated[int, Meta(ge=0, le=9999)] = 0
    max_rating: Annotated[int, Meta(ge=0, le=9999)] = 0


class EnterTournament(RequestBase, frozen=True, kw_only=True, tag="enter_tournament"):
    """Wait for a match of a tournament: to come, to come back, and after each match. Answer: ok; in time, matched.

    commitment: as in `create`.
    """

    tournament: TournamentId
    commitment: Commitment


class LeaveTournament(RequestBase, frozen=True, kw_only=True, tag="leave_tournament"):
    """Wait for a match no longer. Points stay, and one may come back. Answer: ok.

    returns: wait for none just now, and be `called` to the next round; else one gives up the coming rounds.
    """

    tournament: TournamentId
    returns: bool = False


class DirectTournament(RequestBase, frozen=True, kw_only=True, tag="direct_tournament"):
    """Of who made a tournament, or a moderator: decide something of it, which is written down. Answer: ok.

    what: `begin` it now; `halt` the pairing, or `resume` it; `extend` it, or its round, by so many `minutes`, or end it
    now, with none: the matches that run count; `remove` the `player`, who leaves the standings and does not come back;
    `add` one, who may enter then whatever the rating, and after a removal; `rename` it: its `name`; `cancel` it before
    its first match. `adjudicate` ends its matches.
    """

    tournament: TournamentId
    what: Literal["begin", "halt", "resume", "extend", "remove", "add", "rename", "cancel"]
    reason: Reason
    minutes: Annotated[int, Meta(ge=0, le=720)] = 0
    player: PlayerName | None = None
    name: Title | None = None


class TournamentRecord(RequestBase, frozen=True, kw_only=True, tag="tournament_record"):
    """Ask what was played in a tournament, one of long ago, too, or so far. Answer: tournament_recorded.

    after: `next` of the page before.
    """

    tournament: TournamentId
    after: Seq = 0


class PastTournaments(RequestBase, frozen=True, kw_only=True, tag="past_tournaments"):
    """List the tournaments that are over, newest first. Answer: held. after: `next` of the page before."""

    after: Cursor = ""


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `tournaments`; its key is the tournament's id.

    by: who made it. rules: the options that differ from the default. starts, ends: in seconds since 1970; what ends
    before it starts was cancelled. players: how many have entered it. playing: how many matches are under way. halted:
    nobody is paired now. over: the table is final. format: as it was made. round: that is played, or was the last, from
    1, of so many `rounds`, and `ends` is its own end; 0 = none has begun, or there are none. private, min_rating,
    max_rating: as it was made.
    """

    name: str
    by: str
    rules: dict[str, bool | int | str] = {}
    starts: int
    ends: int
    players: int = 0
    playing: int = 0
    halted: bool = False
    over: bool = False
    format: str = "arena"
    round: int = 0
    rounds: int = 0
    private: bool = False
    min_rating: int = 0
    max_rating: int = 0


class Standing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `standings`; its key is the player's name. The first has the most points, then the highest
    tiebreaks, in their order, then performance.

    points: in an arena 2 for a win, 4 after two wins in a row; in a knock-out rounds won in the main bracket; else 1
    for a win. matches: that count, `wins` of them won. streak: the last wins in a row. performance: the rating as which
    the player has played; None = nothing was played. waiting: for a match. match: that is being played; "" = none is.
    code: with which others may watch it, in a private tournament.
    tiebreaks: `swiss` Buchholz, Sonneborn-Berger; `round-robin` wins against those with as many points,
    Sonneborn-Berger; `knock-out` rounds won in the consolation, in the last chance; `arena` none.
    """

    kind: str = "guest"
    rating: int | None = None
    points: int = 0
    matches: int = 0
    wins: int = 0
    streak: int = 0
    performance: int | None = None
    waiting: bool = False
    match: str = ""
    code: str = ""
    tiebreaks: tuple[int, ...] = ()


class Pairing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `pairings`, which a tournament with rounds has; its key is a number, as text: they were made in
    that order.

    round: from 1; 0 = there are none. players: the names, by seat; no second one = the first has a bye. match: "" =
    none was opened, as for a bye, or since a player was not there. winner: None = none yet, or none at all, if `over`.
    bracket: of a knock-out: 0 the main one, 1 the consolation, 2 the last chance; the winners of pairings 2n and 2n + 1
    of a bracket in one round are in its pairing n of the next. time: when it was made, in ms since 1970. absent: the
    seats whose players did not come. code: with which others may watch the match, in a private tournament.
    """

    round: int
    players: tuple[str, ...]
    match: str = ""
    winner: int | None = None
    over: bool = False
    bracket: int = 0
    time: int = 0
    absent: list[Seat] = []
    code: str = ""


class TournamentRuling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A ruling in a tournament, at `time`, in ms since 1970.

    what: as in `direct_tournament`, or the verdict on a `match`. judge: `director`, `moderator`, `operator`, or
    `server`, which resumes what a director who is gone has halted. by, player: names; "" = nobody is named. reason: ""
    of somebody who may not talk.
    """

    time: int
    by: str
    what: str
    player: str = ""
    reason: str = ""
    judge: str = ""
    match: str = ""


class Organised(Message, frozen=True, kw_only=True):
    """A tournament was made, and this is its id."""

    id: Id
    tournament: str


class Unpaired(Message, frozen=True, kw_only=True):
    """You wait for a match of a tournament no longer, and not by your asking. enter: the id of the request that waited.

    over: no more matches are made. text: why else.
    """

    tournament: str
    enter: Id
    over: bool = False
    text: str


class Called(Message, frozen=True, kw_only=True):
    """A tournament calls you, on all your connections, wherever you are.

    what: `come`: `round` begins without you in `left` seconds, unless you send `enter_tournament`; `came`: you are
    called no longer; `won` or `lost`: `round` was decided without a match, since `opponent` or you did not come; `bye`:
    you have no opponent in `round`, which counts as a win.
    name: of the tournament, which has so many `rounds`; 0 = that is not known yet.
    """

    tournament: str
    name: str
    what: str
    left: int = 0
    round: int = 0
    rounds: int = 0
    opponent: str = ""


class TournamentRecorded(Message, frozen=True, kw_only=True, tag="tournament_recorded"):
    """Record of a tournament. The later pages have pairings alone.

    about: its row. closed: when the table became final, in ms since 1970; 0 = it is not. players: the table, the first
    first: each name with its standing; a removed player is not in it. pairings: in the order of their making.
    rulings: of its director and of moderators. next: ask for what comes after; None = that was all so far.
    """

    id: Id
    tournament: str
    about: Tournament | None = None
    closed: int = 0
    players: list[tuple[str, Standing]] = []
    pairings: list[Pairing] = []
    rulings: list[TournamentRuling] = []
    next: int | None = None


class Held(Message, frozen=True, kw_only=True):
    """A page of tournaments that are over, by their ids, newest first. next: where the next page begins; None = that
    was all.
    """

    id: Id
    tournaments: dict[str, Tournament] = {}
    next: str | None = None
