"""The values of messages: what a field may hold, and what all messages have."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

# The description of a pattern is the sentence with which text that does not match it is refused.
Id = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Seq = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Checksum = Annotated[int, Meta(ge=0, le=2**32 - 1)]
MatchId = Annotated[str, Meta(min_length=1, max_length=16)]
TournamentId = Annotated[str, Meta(max_length=16)]
PlayerName = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9_-]{2,20}\Z", description="a name has 2 to 20 characters: a-z, A-Z, 0-9, - or _")
]
TITLE_LENGTH = 40  # characters of a title, once it is cleaned and composed (NFC)
# The name of a table or a tournament; on its way each character may come in three parts. A tournament's tables add a
# number to its name.
Title = Annotated[
    str,
    Meta(pattern=rf"^.{{1,{3 * TITLE_LENGTH}}}\Z", description=f"a name has 1 to {TITLE_LENGTH} characters"),
]
Token = Annotated[str, Meta(min_length=1, max_length=64)]
OldPassword = Annotated[str, Meta(min_length=1, max_length=128)]
NewPassword = Annotated[str, Meta(min_length=8, max_length=128)]
Commitment = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{64}\Z",
        description="a seed, a commitment and a binding each have 64 characters of 0-9 and a-f",
    ),
]
Seed = Commitment  # 32 bytes
ShownSeed = Annotated[
    str,
    Meta(pattern=r"^([0-9a-f]{64})?\Z", description="a seed that was shown has 64 characters of 0-9 and a-f, or none"),
]
Binding = Commitment  # see `terms`
Point = Annotated[int, Meta(ge=0, le=25)]
Seat = Annotated[int, Meta(ge=0, le=1)]
Code = Annotated[
    str, Meta(pattern=r"^[a-z2-7]{0,8}\Z", description="a table's code has up to 8 characters: a-z or 2-7")
]
Choice = Annotated[str, Meta(max_length=100, description="a choice has up to 100 characters")]
Cursor = Annotated[
    str,
    Meta(
        pattern=r"^([0-9]{1,16}[.][a-z0-9]{1,16})?\Z",
        description="where a page begins is what `next` of the page before says, or nothing",
    ),
]
TEXT_LENGTH = 200  # characters that can be said at once
Text = Annotated[str, Meta(max_length=TEXT_LENGTH)]
Reason = Annotated[str, Meta(min_length=1, max_length=TEXT_LENGTH)]
Minutes = Annotated[int, Meta(ge=1, le=43_200)]  # up to 30 days
ReportId = Annotated[
    str, Meta(pattern=r"^[0-9]{1,16}-[0-9]{1,10}\Z", description="a report's id is the key that `reported` has for it")
]
ShortText = Annotated[str, Meta(max_length=20)]
Level = Annotated[
    str, Meta(pattern=r"^[a-z0-9-]{0,20}\Z", description="a level has up to 20 characters: a-z, 0-9 or -")
]
Conditions = Annotated[
    dict[Annotated[str, Meta(max_length=30)], Annotated[list[bool | int | ShortText], Meta(max_length=20)]],
    Meta(max_length=20),
]
Side = Literal["either", "white", "black"]
Subject = Literal[
    "tables", "matches", "people", "chat", "seekers", "tournaments", "standings", "pairings", "tournament"
]
TournamentMinutes = Annotated[int, Meta(ge=1, le=720)]  # of an arena, or of a round
Rounds = Annotated[int, Meta(ge=0, le=20)]
Format = Literal["arena", "swiss", "round-robin", "knock-out"]
Phrase = Literal["hello", "gl", "nice", "oops", "thanks", "sorry", "gg", "bye"]
Audience = Literal["players", "watchers"]
Opponent = Literal["person", "computer"]
Verdict = Literal["void", "white", "black"]
Kind = Literal["guest", "account", "bot"]  # of a player; a bot may have an account or not
PHRASES: dict[Phrase, str] = {  # in English; a client may show them in its user's language
    "hello": "Hello!",
    "gl": "Good luck!",
    "nice": "Nice one!",
    "oops": "Oops!",
    "thanks": "Thank you!",
    "sorry": "Sorry!",
    "gg": "Good game!",
    "bye": "Goodbye!",
}


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=str.lower, gc=False):
    """A map whose `type` is the class's name in lower case, if it gives no other."""


class RequestBase(Message, frozen=True, kw_only=True):
    """Base of every request."""

    id: Id
