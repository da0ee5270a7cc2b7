"""Chat at a match and in the lobby."""

from tavla_protocol.messages.values import Audience, MatchId, Message, Phrase, RequestBase, Seat, Text


class Say(RequestBase, frozen=True, kw_only=True):
    """Say something to those who follow a match. Only its players may talk to `players`; watchers may read that.

    match: or the id of the shared review in which you are, whose people are its `watchers`. text: shown as one line,
    without control characters. phrase: instead of a text. Kept nowhere; sent again, it is said again.
    """

    match: MatchId
    to: Audience
    text: Text = ""
    phrase: Phrase | None = None


class Chat(RequestBase, frozen=True, kw_only=True):
    """Say something in the lobby, to those who follow the list `chat`; to talk there follows it, too.

    text, phrase: as in `say`.
    """

    text: Text = ""
    phrase: Phrase | None = None


class Said(Message, frozen=True, kw_only=True):
    """A player or a watcher has said something at a match that you follow. seat: of a player, None for a watcher.

    phrase: what `text` says in English, if it is one of the fixed phrases.
    """

    match: str
    name: str
    seat: Seat | None = None
    to: str
    text: str
    phrase: str | None = None
