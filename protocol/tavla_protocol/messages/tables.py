"""Tables: a match with a free seat, joined or watched."""

import msgspec

from tavla_protocol.messages.values import (
    Checksum,
    Code,
    Commitment,
    MatchId,
    Opponent,
    RequestBase,
    Seat,
    Seq,
    ShownSeed,
    Side,
    Title,
)


class Create(RequestBase, frozen=True, kw_only=True):
    """Open a table and sit down. Answer: snapshot.

    name: of the table; the player's own, or `ada-2`, if left out. rules: `preset` and the options that differ from it.
    commitment: the SHA-256, in hex, of a fresh seed for the dice, 32 random bytes, that the client will `reveal`.
    opponent: who may join. private: not listed, and only those who have the code of its view may join or
    watch. spectators: others may watch. side: `white` is seat 0, `either` is drawn by lot.
    """

    name: Title | None = None
    rules: dict[str, bool | int | str] = {}
    side: Side = "either"
    commitment: Commitment
    opponent: Opponent = "person"
    private: bool = False
    spectators: bool = True


class Join(RequestBase, frozen=True, kw_only=True):
    """Take the free seat of a table, named by its match id or its name. Answer: snapshot. code: a private table's."""

    table: Title
    commitment: Commitment
    code: Code = ""


class Attach(RequestBase, frozen=True, kw_only=True):
    """Follow a match, as a player of it or as a watcher.

    match: its id. table: the same, or its table's name, in place of `match`; every server knows this.
    epoch, seq, checksum: of the view that the client has. Answer: ok, then every later update; or a snapshot. Without
    the checksum, a store that lost changes and is as far again by others may be taken for the one that the client saw.
    plays: send me the legal plays with each of my turns (if the rules allow hints). hush: do not send me what the
    watchers say. code: a private table's; its players need none. sits: take my seat, from another connection of mine if
    need be; without it, I have it only while no other connection of mine has, and who does not play is not among those
    who watch. seed, seeds: the server's newest seed,
    and both players', that a player's client was shown, "" = none: a server that has lost them goes on from these.
    """

    match: MatchId | None = None
    table: Title | None = None
    epoch: Seq = 0
    seq: Seq = 0
    checksum: Checksum | None = None
    plays: bool = False
    hush: bool = False
    code: Code = ""
    sits: bool = True
    seed: ShownSeed = ""
    seeds: tuple[ShownSeed, ShownSeed] = ("", "")


class Detach(RequestBase, frozen=True, kw_only=True):
    """Follow a match no longer. A player's seat stays taken; the match goes on when both are back."""

    match: MatchId


class Cancel(RequestBase, frozen=True, kw_only=True):
    """Close one's own table before anyone joined it."""

    match: MatchId


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the lists `tables`, `matches` and `mine`; its key is the match id.

    players: None = the seat is free. rules: the options that differ from the default. since: when it was opened, or
    when the match began, in seconds since 1970. kinds, ratings: as in the view. away: since when a seat's player has
    been away, in seconds since 1970; 0 = is there. A match from which anybody is away is paused. to_act: the seats that
    it waits for; code: of a private table; outcome: as in the view, of a match that ended meanwhile; these in `mine`
    alone.
    """

    name: str
    players: tuple[str | None, str | None]
    rules: dict[str, bool | int | str] = {}
    score: tuple[int, int] = (0, 0)
    since: int = 0
    kinds: tuple[str | None, str | None] = (None, None)
    ratings: tuple[int | None, int | None] = (None, None)
    opponent: str = "person"
    spectators: bool = True
    private: bool = False
    away: tuple[int, int] = (0, 0)
    to_act: tuple[Seat, ...] = ()
    code: str = ""
    outcome: tuple[Seat | None, int, int, str] | None = None
