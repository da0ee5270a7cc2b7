"""The greeting of a server and its client, the answers to any request, and the end of a connection."""

from typing import Literal

import msgspec

from tavla_protocol.messages.values import Id, Message, OldPassword, PlayerName, RequestBase, Seat, Token


class Hello(RequestBase, frozen=True, kw_only=True):
    """Log in: with a new guest's `name`, an account's `name` and `password`, or the `token` from an earlier welcome.
    Answer: welcome.

    bot: I am a program; from then on everyone sees that. watch: nobody as yet, who looks at lists and watches matches;
    a second hello on the same connection says who you are after all. guest: with a `password`, the token of the guest
    that you have been here: its places in tournaments go to the account.
    """

    name: PlayerName | None = None
    password: OldPassword | None = None
    token: Token | None = None
    bot: bool = False
    watch: bool = False
    guest: Token | None = None


class Ping(RequestBase, frozen=True, kw_only=True):
    """Check that the connection lives, for programs that cannot send the WebSocket's own pings. Answer: ok."""


class Welcome(Message, frozen=True, kw_only=True):
    """The answer to hello. token: keep it secret, it is you. matches: ids of those you play that are not over. ended:
    of those that ended while you were away, each until you attach to it.

    player, name, token: "" for one who only looks on. server: its version, for people.
    role: `moderator`, or "" for everybody else. voids: how many matches here are void, since a seed did not come or a
    moderator said so, and of how many. gone: from when to when matches are gone, in ms since 1970, since a backup was
    brought back; null = none.
    """

    id: Id
    player: str
    name: str
    kind: str = "guest"
    rating: float | None = None
    token: str
    matches: list[str] = []
    server: str = ""
    ended: list[str] = []
    role: str = ""
    voids: tuple[int, int] = (0, 0)
    gone: tuple[int, int] | None = None


class Ok(Message, frozen=True, kw_only=True):
    """Done. seq: for an action, the version of the match that it made. elapsed, seat: of `attach`, as in a snapshot."""

    id: Id
    seq: int | None = None
    elapsed: int = 0
    seat: Seat | None = None


class Sanctioned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A ban or a mute, for whom it holds: the parts of the sentence beside it, to be said in another language.

    until: in ms since 1970; 0 = for good. reason: a moderator's words. contact: whom to ask; "" = whoever runs this.
    """

    what: Literal["ban", "mute"]
    reason: str
    until: int = 0
    contact: str = ""


class Error(Message, frozen=True, kw_only=True):
    """Refused; nothing has changed. seq: the current version, for an action. id: None, if it could not be read.

    retry_after: seconds until the same may be asked again, where a limit says so. sanction: for `banned` and `muted`.
    """

    id: Id | None = None
    code: str
    text: str
    seq: int | None = None
    retry_after: float = 0.0
    sanction: Sanctioned | None = None


class Closing(Message, frozen=True, kw_only=True):
    """The server closes this connection next. text: why. retry_after: seconds to wait before connecting again.

    sanction: when it is for that.
    """

    text: str
    retry_after: float = 0.0
    sanction: Sanctioned | None = None
