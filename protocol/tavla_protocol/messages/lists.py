"""The live lists of the lobby, and the people in it."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from tavla_protocol.messages.values import Conditions, Id, Level, Message, RequestBase, Subject, TournamentId


class List(RequestBase, frozen=True, kw_only=True):
    """A list as it is now. `mine`: the matches in which one has a seat, and those that ended meanwhile. Answer:
    listing. tournament: of `standings` and `pairings`, whose they are."""

    what: Subject | Literal["mine"] = "tables"
    tournament: TournamentId = ""


class Subscribe(RequestBase, frozen=True, kw_only=True):
    """Follow a list. Answer: listing, then changes. tournament: as in `list`."""

    what: Subject
    tournament: TournamentId = ""


class Unsubscribe(RequestBase, frozen=True, kw_only=True):
    """Follow a list no longer. tournament: as in `list`."""

    what: Subject
    tournament: TournamentId = ""


class Available(RequestBase, frozen=True, kw_only=True):
    """I am a program and play those who ask, by a challenge or with a table against the computer. Answer: ok.

    places: how many more matches at once; 0 = none any more. level: how well, in a word. rules: the options that must
    have one of these values. Said anew when something of it changes, and on each new connection.
    """

    places: Annotated[int, Meta(ge=0, le=1000)]
    level: Level = ""
    rules: Conditions = {}


class Seeker(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `seekers`: someone waits for a quick match. Its key goes into `seeker` of a `seek`.

    rules: the options that differ from the default. since: when they began to wait, in seconds since 1970.
    """

    name: str
    kind: str = "guest"
    rating: int | None = None
    rules: dict[str, bool | int | str] = {}
    since: int = 0


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `people`; its key is the name. since: when they came, in seconds since 1970.

    places, level, rules: of a program that plays those who ask, as in `available`.
    """

    kind: str = "guest"
    rating: int | None = None
    since: int = 0
    places: int = 0
    level: str = ""
    rules: dict[str, list[bool | int | str]] = {}


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `chat`; its key is a number as text, higher for what was said later.

    phrase: what `text` says in English, if it is one of the fixed phrases. since: when it was said, in seconds since
    1970.
    """

    name: str
    kind: str = "guest"
    text: str
    phrase: str | None = None
    since: int = 0


class Listing(Message, frozen=True, kw_only=True):
    """A list as it is at version `seq`. total: how many rows there are; of a very long list the first are shown.

    id: of the request that it answers; None when the server sends it unasked, since changes were dropped.
    tournament: of `standings` and `pairings`.
    """

    id: Id | None = None
    what: str
    tournament: str = ""
    seq: int = 0
    total: int
    rows: dict[str, dict[str, Any]]


class Changes(Message, frozen=True, kw_only=True):
    """Changes of a list since version `seq` - 1: rows that are new or different, and keys that have gone.

    tournament: of `standings` and `pairings`.
    """

    what: str
    tournament: str = ""
    seq: int
    total: int
    set: dict[str, dict[str, Any]] = {}
    gone: list[str] = []
