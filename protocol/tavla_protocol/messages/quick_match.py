"""Quick match: a search for an opponent."""

from tavla_protocol.messages.values import Commitment, Id, Message, RequestBase, ShortText


class Seek(RequestBase, frozen=True, kw_only=True):
    """Quick match: wait for an opponent who wants the same. Answer: ok; then, in time, matched.

    rules: `preset`, and of the options variant, length, cube, clock (or delay_s and reserve_s) and rated. commitment:
    as in `create`. Whoever seeks the same again waits on; several kinds of match may be sought at a time. seeker: the
    key of a row of `seekers`: play that one, however far apart the ratings are, if it still waits for the same.
    """

    rules: dict[str, bool | int | str] = {}
    commitment: Commitment
    seeker: ShortText = ""


class Unseek(RequestBase, frozen=True, kw_only=True):
    """Seek no longer, nothing of it. Answer: ok; no matched comes after it."""


class Matched(Message, frozen=True, kw_only=True):
    """An opponent was found, or a challenge was accepted: the match's snapshot follows.

    seek: the id of the request that led to it, a `seek`, and then you seek nothing any more, or an `enter_tournament`.
    None: a challenge, with the match's id.
    """

    match: str
    seek: Id | None = None


class Seeking(Message, frozen=True, kw_only=True):
    """Your seek has begun or ended, and not by your asking. seek: the id of the request that it is about.

    on: true, when nobody came to `match`: it is void, and you wait again, in front. False, when another connection of
    yours seeks now, or was matched.
    """

    seek: Id
    on: bool
    match: str | None = None
