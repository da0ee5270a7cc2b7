"""Friends: the players whom one follows, and those whom one ignores."""

import msgspec

from tavla_protocol.messages.hello import Sanctioned
from tavla_protocol.messages.values import Id, Message, PlayerName, RequestBase


class Ignore(RequestBase, frozen=True, kw_only=True):
    """Hear nothing more of someone: challenges decline themselves, chat is not shown. on: false takes it back."""

    player: PlayerName
    on: bool = True


class Follow(RequestBase, frozen=True, kw_only=True):
    """Follow a player who has an account, as one yourself; nobody is told. on: false takes it back. Answer: ok."""

    player: PlayerName
    on: bool = True


class Friends(RequestBase, frozen=True, kw_only=True):
    """The players whom you follow. Answer: following. notices: tell this connection by `friend` what they do from now
    on, or no longer."""

    notices: bool = False


class Followers(RequestBase, frozen=True, kw_only=True):
    """Let others follow you, as they may at first, or nobody. Answer: ok."""

    on: bool


class Followed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of `following`; its key is the name. match: one that this player plays now and that you may watch.

    table: an open one of this player's. Both "" = none that is listed. shy: this player does not want to be followed
    any more, and you get no notices.
    """

    kind: str
    rating: int | None = None
    online: bool = False
    match: str = ""
    table: str = ""
    shy: bool = False


class Following(Message, frozen=True, kw_only=True):
    """The players whom you follow. followers: others may follow you."""

    id: Id
    friends: dict[str, Followed] = {}
    followers: bool = True


class Friend(Message, frozen=True, kw_only=True):
    """A player whom you follow has come, has begun a match that you may watch, or has opened a table.

    what: `came`, `plays` or `opened`. match: which, of the last two. opponent: of a match.
    """

    name: str
    what: str
    match: str = ""
    opponent: str | None = None


class Notice(Message, frozen=True, kw_only=True):
    """A notice of the operators, to everybody or to you alone. Show it wherever the user is.

    sanction: when it is about that.
    """

    text: str
    sanction: Sanctioned | None = None
