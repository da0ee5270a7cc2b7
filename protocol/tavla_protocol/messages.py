"""Every message, both ways. Field names are whole words; what may be left out has a default.

A request carries an `id`, chosen by the client, that its answer repeats. Ids of one player never repeat: count up
from a random start. The server remembers a match's action by its player and id, so an action that is sent again after a
lost connection acts once.
"""

from typing import Annotated, Any, Literal, get_args

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
TableName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_-]{2,30}\Z", description="a table's name has 2 to 30 characters: a-z, A-Z, 0-9, - or _"),
]
Token = Annotated[str, Meta(min_length=1, max_length=64)]
OldPassword = Annotated[str, Meta(min_length=1, max_length=128)]
NewPassword = Annotated[str, Meta(min_length=8, max_length=128)]
Commitment = Annotated[
    str,
    Meta(pattern=r"^([0-9a-f]{64})?\Z", description="a commitment has 64 characters of 0-9 and a-f, or none at all"),
]
OwnCommitment = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}\Z", description="a commitment has 64 characters of 0-9 and a-f")
]
Seed = Annotated[
    str,
    Meta(
        pattern=r"^([0-9a-f]{2}){16,32}\Z",
        description="a seed has 16 to 32 bytes in hex: 32 to 64 characters of 0-9 and a-f",
    ),
]
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
Subject = Literal["tables", "matches", "people", "chat", "seekers", "tournaments", "standings", "pairings"]
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


# --- requests --------------------------------------------------------------------------------------------------------


class RequestBase(Message, frozen=True, kw_only=True):
    """Base of every request."""

    id: Id


class Hello(RequestBase, frozen=True, kw_only=True):
    """Log in: with a new guest's `name`, an account's `name` and `password`, or the `token` from an earlier welcome.

    bot: I am a program; from then on everyone sees that. watch: nobody as yet, who looks at lists and watches matches;
    a second hello on the same connection says who you are after all.
    """

    name: PlayerName | None = None
    password: OldPassword | None = None
    token: Token | None = None
    bot: bool = False
    watch: bool = False


class Ping(RequestBase, frozen=True, kw_only=True):
    """Check that the connection lives, for programs that cannot send the WebSocket's own pings. Answer: ok."""


class Register(RequestBase, frozen=True, kw_only=True):
    """Turn the guest that you are into an account, with the same name, id and matches."""

    password: NewPassword


class Password(RequestBase, frozen=True, kw_only=True):
    """Change your account's password. All its tokens but this connection's are revoked."""

    old: OldPassword
    new: NewPassword


class Logout(RequestBase, frozen=True, kw_only=True):
    """Revoke this connection's token, or all of yours; a guest is forgotten. Connections that used one are closed."""

    everywhere: bool = False


class Profile(RequestBase, frozen=True, kw_only=True):
    """Ask for a player's career. Answer: career."""

    name: PlayerName


class CloseAccount(RequestBase, frozen=True, kw_only=True, tag="close_account"):
    """Close your account for good: rating, results and tokens go, and in others' matches you become `someone`."""

    password: OldPassword


class History(RequestBase, frozen=True, kw_only=True):
    """The matches that someone has played to their end, newest first. Answer: played.

    name: None = your own. after: `next` of the page before; "" = the first page.
    """

    name: PlayerName | None = None
    after: Cursor = ""


class Record(RequestBase, frozen=True, kw_only=True):
    """Ask for the record of a match, finished or not. Answer: recorded.

    after: `next` of the page before, or the last seq that one has; 0 = from the start. code: a private table's.
    """

    match: MatchId
    after: Seq = 0
    code: Code = ""


class Daily(RequestBase, frozen=True, kw_only=True):
    """Ask for the position of the day, or say what one would do there. Answer: puzzle.

    choice: a play as it is written, or `double`, `no double`, `take`, `drop`; "" = only look.
    """

    choice: Choice = ""


class Top(RequestBase, frozen=True, kw_only=True):
    """The players with the highest ratings. Answer: leaders."""


class Dice(RequestBase, frozen=True, kw_only=True):
    """Ask how the dice have fallen in all matches of this server's archive. Answer: rolls."""


class Create(RequestBase, frozen=True, kw_only=True):
    """Open a table and sit down. Answer: snapshot.

    name: of the table; the player's own, or `ada-2`, if left out. rules: `preset` and the options that differ from it.
    commitment: the SHA-256, in hex, of a seed for the dice that the client will `reveal`; empty = none. opponent: who
    may join. private: not listed, and only those who have the code of its view may join or watch. spectators: others
    may watch.
    """

    name: TableName | None = None
    rules: dict[str, bool | int | str] = {}
    side: Side = "either"
    commitment: Commitment = ""
    opponent: Opponent = "person"
    private: bool = False
    spectators: bool = True


class Join(RequestBase, frozen=True, kw_only=True):
    """Take the free seat of a table, named by its match id or its name. Answer: snapshot. code: a private table's."""

    table: TableName
    commitment: Commitment = ""
    code: Code = ""


class Attach(RequestBase, frozen=True, kw_only=True):
    """Follow a match, as a player of it or as a watcher.

    match: its id. table: the same, or its table's name, in place of `match`; every server knows this.
    epoch, seq, checksum: of the view that the client has. Answer: ok, then every later update; or a snapshot. Without
    the checksum, a store that lost changes and is as far again by others may be taken for the one that the client saw.
    plays: send me the legal plays with each of my turns (if the rules allow hints). hush: do not send me what the
    watchers say. code: a private table's; its players need none.
    """

    match: MatchId | None = None
    table: TableName | None = None
    epoch: Seq = 0
    seq: Seq = 0
    checksum: Checksum | None = None
    plays: bool = False
    hush: bool = False
    code: Code = ""


class Detach(RequestBase, frozen=True, kw_only=True):
    """Follow a match no longer. A player's seat stays taken; the match goes on when both are back."""

    match: MatchId


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


class Cancel(RequestBase, frozen=True, kw_only=True):
    """Close one's own table before anyone joined it."""

    match: MatchId


class Seek(RequestBase, frozen=True, kw_only=True):
    """Quick match: wait for an opponent who wants the same. Answer: ok; then, in time, matched.

    rules: `preset`, and of the options variant, length, cube, clock (or delay_s and reserve_s) and rated. commitment:
    as in `create`. Whoever seeks the same again waits on; several kinds of match may be sought at a time. seeker: the
    key of a row of `seekers`: play that one, however far apart the ratings are, if it still waits for the same.
    """

    rules: dict[str, bool | int | str] = {}
    commitment: Commitment = ""
    seeker: ShortText = ""


class Unseek(RequestBase, frozen=True, kw_only=True):
    """Seek no longer, nothing of it. Answer: ok; no matched comes after it."""


class Challenge(RequestBase, frozen=True, kw_only=True):
    """Ask someone who is online for a match. Answer: challenged, and in time `matched` or `unchallenged`.

    rules, side, commitment: as in `create`.
    """

    player: PlayerName
    rules: dict[str, bool | int | str] = {}
    side: Side = "either"
    commitment: Commitment = ""


class Rematch(RequestBase, frozen=True, kw_only=True):
    """Ask the opponent of a match that is over for another one, on the same seats; or accept that. Answer: challenged,
    or the snapshot of the new match."""

    match: MatchId
    commitment: Commitment = ""


class Answer(RequestBase, frozen=True, kw_only=True):
    """Accept a challenge, or not. Answer: the snapshot of the match, or ok."""

    challenge: MatchId
    accept: bool
    commitment: Commitment = ""


class Withdraw(RequestBase, frozen=True, kw_only=True):
    """Take one's own challenge back."""

    challenge: MatchId


class CreateTournament(RequestBase, frozen=True, kw_only=True, tag="create_tournament"):
    """Make a tournament. Answer: organised.

    rules: as in `create`, of each match: to points, with a clock. starts: in so many seconds. minutes: how long it
    lasts; matches that run then count. format: an `arena` has no rounds, and pairs those who wait every few seconds;
    in the others `minutes` are those of a round. rounds: of a `swiss`; 0 = as many as give one player all wins.
    private: it is in no list; who is told its id may enter, follow, and watch. min_rating, max_rating: with which one
    may enter; 0 = any.
    """

    name: TableName
    rules: dict[str, bool | int | str] = {}
    starts: Annotated[int, Meta(ge=0, le=604_800)] = 0  # up to a week
    minutes: Annotated[int, Meta(ge=1, le=720)] = 60
    format: Format = "arena"
    rounds: Annotated[int, Meta(ge=0, le=20)] = 0
    private: bool = False
    min_rating: Annotated[int, Meta(ge=0, le=9999)] = 0
    max_rating: Annotated[int, Meta(ge=0, le=9999)] = 0


class EnterTournament(RequestBase, frozen=True, kw_only=True, tag="enter_tournament"):
    """Wait for a match of a tournament: to come, to come back, and after each match. Answer: ok; in time, matched.

    commitment: as in `create`; a match cannot be without one.
    """

    tournament: TournamentId
    commitment: OwnCommitment


class LeaveTournament(RequestBase, frozen=True, kw_only=True, tag="leave_tournament"):
    """Wait for a match no longer. Points stay, and one may come back. Answer: ok."""

    tournament: TournamentId


class DirectTournament(RequestBase, frozen=True, kw_only=True, tag="direct_tournament"):
    """Of who made a tournament, or a moderator: decide something of it, which is written down. Answer: ok.

    what: `begin` it now; `halt` the pairing, or `resume` it; `extend` it, or its round, by so many `minutes`, or end it
    now, with none: the matches that run count; `remove` the `player`, who leaves the standings and does not come back;
    `add` one, who may enter then whatever the rating, and after a removal. `adjudicate` ends its matches.
    """

    tournament: TournamentId
    what: Literal["begin", "halt", "resume", "extend", "remove", "add"]
    reason: Reason
    minutes: Annotated[int, Meta(ge=0, le=720)] = 0
    player: PlayerName | None = None


class TournamentRecord(RequestBase, frozen=True, kw_only=True, tag="tournament_record"):
    """Ask what was played in a tournament, one of long ago, too, or so far. Answer: tournament_recorded.

    after: `next` of the page before.
    """

    tournament: TournamentId
    after: Seq = 0


class PastTournaments(RequestBase, frozen=True, kw_only=True, tag="past_tournaments"):
    """List the tournaments that are over, newest first. Answer: held. after: `next` of the page before."""

    after: Cursor = ""


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


class Say(RequestBase, frozen=True, kw_only=True):
    """Say something to those who follow a match. Only its players may talk to `players`; watchers may read that.

    text: shown as one line, without control characters. phrase: instead of a text. Kept nowhere; sent again, it is
    said again.
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


class Report(RequestBase, frozen=True, kw_only=True):
    """Tell the moderators of someone. Answer: ok.

    reason: in your own words. match: where it happened; "" = elsewhere. The server adds what was said there at last, or
    by that player in the lobby, as far as it still knows.
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

    match: TableName
    verdict: Verdict
    reason: Reason


class MatchAction(RequestBase, frozen=True, kw_only=True):
    """An action of a player. seq: the version of the match that the player saw."""

    match: MatchId
    seq: Seq


class Reveal(MatchAction, frozen=True, kw_only=True):
    """Before the first game, show the seed that one has committed to: 32 to 64 hex digits, 16 to 32 bytes."""

    seed: Seed


class Ready(MatchAction, frozen=True, kw_only=True):
    """Start the next game, as soon as the opponent is ready too."""


class Roll(MatchAction, frozen=True, kw_only=True):
    """Roll the dice instead of doubling."""


class Double(MatchAction, frozen=True, kw_only=True):
    """Offer the cube."""


class Take(MatchAction, frozen=True, kw_only=True):
    """Accept the offered cube."""


class Drop(MatchAction, frozen=True, kw_only=True):
    """Refuse the offered cube and lose the game."""


class Beaver(MatchAction, frozen=True, kw_only=True):
    """Accept the offered cube and redouble at once, keeping it."""


class Move(MatchAction, frozen=True, kw_only=True):
    """Play the whole turn. moves: [from, to] pairs in the mover's own numbering, 25 = bar, 0 = off, in any order."""

    moves: Annotated[tuple[tuple[Point, Point], ...], Meta(max_length=4)]


class Resign(MatchAction, frozen=True, kw_only=True):
    """Offer to lose this game as a single (1), a gammon (2) or a backgammon (3)."""

    value: Annotated[int, Meta(ge=1, le=3)]


class Accept(MatchAction, frozen=True, kw_only=True):
    """Accept the opponent's resignation."""


class Refuse(MatchAction, frozen=True, kw_only=True):
    """Refuse the opponent's resignation."""


class Forfeit(MatchAction, frozen=True, kw_only=True):
    """Give up at the price that the rules state."""


class Leave(MatchAction, frozen=True, kw_only=True):
    """End money play between two games."""


class Claim(MatchAction, frozen=True, kw_only=True):
    """Win a match that waits for the other player, who has been away for too long, see `presence`."""


class Abort(MatchAction, frozen=True, kw_only=True):
    """Ask that the match end without a winner, or agree to that. on: false takes it back."""

    on: bool = True


class Auto(MatchAction, frozen=True, kw_only=True):
    """Leave something to the server: `roll` (never ask me about the cube in this game) or `play` (forced turns)."""

    what: Literal["roll", "play"]
    on: bool


TurnAction = Reveal | Ready | Roll | Double | Take | Drop | Beaver | Move
PlayerAction = TurnAction | Resign | Accept | Refuse | Forfeit | Leave | Claim | Abort | Auto
PlayerRequest = (
    Hello | Ping | Register | Password | Logout | CloseAccount | Profile | History | Record | Top | Dice | Daily
)
TableRequest = Create | Join | Attach | Detach | List | Subscribe | Unsubscribe | Available | Cancel
PairingRequest = Seek | Unseek | Challenge | Rematch | Answer | Withdraw | Ignore
FriendRequest = Follow | Friends | Followers
TournamentRequest = (
    CreateTournament | EnterTournament | LeaveTournament | DirectTournament | TournamentRecord | PastTournaments
)
ChatRequest = Say | Chat
ModerationRequest = Report | Reports | Resolve | Inspect | Sanction | Pardon | Adjudicate
LobbyRequest = PairingRequest | FriendRequest | TournamentRequest | ChatRequest
Request = PlayerRequest | TableRequest | LobbyRequest | ModerationRequest | PlayerAction
REQUESTS: dict[str, type[RequestBase]] = {cls.__struct_config__.tag: cls for cls in get_args(Request)}

# --- replies ---------------------------------------------------------------------------------------------------------


class Welcome(Message, frozen=True, kw_only=True):
    """The answer to hello. token: keep it secret, it is you. matches: ids of those you play that are not over. ended:
    of those that ended while you were away, each until you attach to it.

    player, name, token: "" for one who only looks on. server: its version, for people. features: what it can
    do that not every server of this protocol can, see `codes.Feature`. role: `moderator`, or "" for everybody else.
    voids: how many matches here are void, since a seed did not come or a moderator said so, and of how many.
    """

    id: Id
    player: str
    name: str
    kind: str = "guest"
    rating: float | None = None
    token: str
    matches: list[str] = []
    server: str = ""
    features: list[str] = []
    ended: list[str] = []
    role: str = ""
    voids: tuple[int, int] = (0, 0)


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


class Snapshot(Message, frozen=True, kw_only=True):
    """A whole match. view: every field that differs from the empty view, by name.

    id: of the request that it answers; None when the server sends it unasked, since updates were dropped.
    seat: the one this connection plays, None for a watcher. online: which seats have a living connection.
    elapsed: how long the time of the one who is to act has been running, in milliseconds, in a match with a clock.
    absence: for how many seconds each player may be away; after that the other one may `claim`. claim_after: how many
    of them are left, as in `presence`; None = the player is here, or there is none.
    """

    id: Id | None = None
    match: str
    epoch: int
    seq: int
    seat: Seat | None = None
    online: tuple[bool, bool]
    elapsed: int = 0
    absence: tuple[int, int] = (0, 0)
    claim_after: tuple[int | None, int | None] = (None, None)
    view: dict[str, Any]


class Plays(Message, frozen=True, kw_only=True):
    """Every legal play of the turn at `seq`, for the player who asked: one way for each resulting position."""

    match: str
    seq: int
    plays: list[tuple[tuple[int, int], ...]]


class Presence(Message, frozen=True, kw_only=True):
    """A player's connection was lost, or is back.

    claim_after: seconds until the other player may `claim` the match, while it waits for this one, who stays away; None
    = the player is here. since: when the player went, in seconds since 1970; 0 = the player is here.
    """

    match: str
    seat: Seat
    online: bool
    claim_after: int | None = None
    since: int = 0


class Seated(Message, frozen=True, kw_only=True):
    """A player, `name`, has sat down at the table that you have opened: the match can be attached to. Told on all your
    connections."""

    match: str
    table: str
    name: str


class Ended(Message, frozen=True, kw_only=True):
    """A match of yours is over, which none of your connections to this server follows: attach to see how it ended."""

    match: str


class Replaced(Message, frozen=True, kw_only=True):
    """A newer connection of yours plays this match now; this one watches."""

    match: str


class Heartbeat(Message, frozen=True, kw_only=True):
    """The state of quiet matches: [match, epoch, seq, checksum of the view]. Differs from yours? Attach again."""

    matches: list[tuple[str, int, int, int]]


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


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `tournaments`; its key is the tournament's id.

    by: who made it. rules: the options that differ from the default. starts, ends: in seconds since 1970. players: how
    many have entered it. playing: how many matches are under way. halted: nobody is paired now. over: the table is
    final. format: as it was made. round: that is played, or was the last, from 1, of so many `rounds`, and `ends` is
    its own end; 0 = none has begun, or there are none. private, min_rating, max_rating: as it was made.
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
    tiebreaks: tuple[int, ...] = ()


class Pairing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A row of the list `pairings`, which a tournament with rounds has; its key is a number, as text: they were made in
    that order.

    round: from 1; 0 = there are none. players: the names, by seat; no second one = the first has a bye. match: "" =
    none was opened, as for a bye, or since a player was not there. winner: None = none yet, or none at all, if `over`.
    bracket: of a knock-out: 0 the main one, 1 the consolation, 2 the last chance; the winners of pairings 2n and 2n + 1
    of a bracket in one round are in its pairing n of the next. time: when it was made, in ms since 1970. absent: the
    seats whose players did not come.
    """

    round: int
    players: tuple[str, ...]
    match: str = ""
    winner: int | None = None
    over: bool = False
    bracket: int = 0
    time: int = 0
    absent: list[Seat] = []


class TournamentRuling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A ruling in a tournament, at `time`, in ms since 1970: `what` as in `direct_tournament`.

    by, player: names.
    """

    time: int
    by: str
    what: str
    player: str = ""
    reason: str = ""


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


class Matched(Message, frozen=True, kw_only=True):
    """An opponent was found, or a challenge was accepted: the match's snapshot follows.

    seek: the id of the request that led to it, a `seek`, and then you seek nothing any more, or an `enter_tournament`.
    None: a challenge, with the match's id.
    """

    match: str
    seek: Id | None = None


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


class Seeking(Message, frozen=True, kw_only=True):
    """Your seek has begun or ended, and not by your asking. seek: the id of the request that it is about.

    on: true, when nobody came to `match`: it is void, and you wait again, in front. False, when another connection of
    yours seeks now, or was matched.
    """

    seek: Id
    on: bool
    match: str | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A rated match, or a sitting for money, as one player sees it.

    time: of its last result, in ms since 1970. score: one's own points, then the opponent's. change: of the rating.
    rating: after it.
    """

    match: str
    time: int
    opponent: str
    length: int
    score: tuple[int, int]
    change: float
    rating: float


class Career(Message, frozen=True, kw_only=True):
    """A player's profile. rating: None for those without an account. results: rated ones, newest first.

    unrevealed: how many matches are void since no seed came from this player, and of how many for which one was due.
    left: how many matches this player has left, or lost on time, and of how many that have begun.
    """

    id: Id
    name: str
    kind: str
    rating: float | None = None
    experience: int = 0
    results: list[Result] = []
    unrevealed: tuple[int, int] = (0, 0)
    left: tuple[int, int] = (0, 0)


class Leader(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the leaderboard."""

    name: str
    kind: str
    rating: float
    experience: int


class Leaders(Message, frozen=True, kw_only=True):
    """Players with a rating, the highest first."""

    id: Id
    leaders: list[Leader]


class Analysis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Quality of play in a match. Pairs are by seat; equity: 1 is what a win of the game at its cube is worth.

    by: the judge. error: why it could not be judged; the rest is left out then. ratings: the performance rating, None =
    there was nothing to decide. lost: equity, in all decisions together. luck: equity that the dice have brought.
    """

    by: str = ""
    error: str = ""
    ratings: tuple[float | None, float | None] = (None, None)
    lost: tuple[float, float] = (0.0, 0.0)
    decisions: tuple[int, int] = (0, 0)
    luck: tuple[float, float] = (0.0, 0.0)


# A decision: game, turn of the game (from 1, the roll that it is about or that would follow it), seat, what was done,
# what was best, equity lost. Plays as they are written; of the cube `double`, `no double`, `take`, `drop`.
Finding = tuple[int, int, int, str, str, float]


class Finished(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A match that is over, in someone's history. Pairs are by seat.

    table: its name. seat: whose history it is. players: their names then; `someone`, whose account was closed. rules:
    the options that differ from the default. winner: None = level. ending: how its last game, or the match, ended.
    started, ended: in ms since 1970. ratings: when they sat down, None = not rated; changes: what it did to them.
    private: not shown to others. analysis: where the server judges matches, and has come to this one.
    """

    match: str
    table: str
    seat: Seat
    players: tuple[str, str]
    kinds: tuple[str, str]
    rules: dict[str, bool | int | str] = {}
    score: tuple[int, int] = (0, 0)
    winner: Seat | None = None
    ending: str
    started: int
    ended: int
    ratings: tuple[float | None, float | None] = (None, None)
    changes: tuple[float, float] = (0.0, 0.0)
    private: bool = False
    analysis: Analysis | None = None


class Played(Message, frozen=True, kw_only=True):
    """A page of someone's finished matches, newest first. next: where the next page begins; None = that was all."""

    id: Id
    matches: list[Finished] = []
    next: str | None = None


class Recorded(Message, frozen=True, kw_only=True):
    """Record of a match, in order; each event is an array [seq, time in ms since 1970, type, ...].

    seq: of the last event here. view: the match as everyone may see it now, as in a snapshot; {} on later pages.
    next: ask for what comes after this seq; None = that was all so far. unrevealed: by seat, as in `career` today.
    analysis: where the server has judged the match. findings: the decisions that have cost something, in order, the
    costliest 4 KB of them.
    """

    id: Id
    match: str
    epoch: int
    seq: int
    view: dict[str, Any] = {}
    events: list[list[Any]] = []
    next: int | None = None
    unrevealed: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    analysis: Analysis | None = None
    findings: list[Finding] = []


class Rolls(Message, frozen=True, kw_only=True):
    """Counts of the dice in all matches of the archive, counted at `time`, in ms since 1970; 0 = not yet.

    matches: that were counted. proved: those whose rolls all follow from their seeds. white, black: the rolls of either
    side, 36 numbers: of 1-1, 1-2, ... 6-6, the first die first; opening: opening rolls, the first die white's. judged:
    matches with a winner and an analysis. luck: equity that the dice brought in them, to all winners and to all losers.
    luckier: how many of them the luckier player has won.
    """

    id: Id
    time: int = 0
    matches: int = 0
    proved: int = 0
    white: list[int] = []
    black: list[int] = []
    opening: list[int] = []
    judged: int = 0
    luck: tuple[float, float] = (0.0, 0.0)
    luckier: int = 0


class Puzzle(Message, frozen=True, kw_only=True):
    """The position of the day: a costly decision of a public match. It is the same on all nodes of a server.

    day: its date, UTC. xgid: the position, as in eXtreme Gammon; "" = there is none today. To a `choice` also, choices:
    what was chosen today, each with how often, the most frequent first. match: where it comes from. finding: what was
    done there, and what was best; by: whom that is from.
    """

    id: Id
    day: str
    xgid: str = ""
    choices: dict[str, int] = {}
    match: str = ""
    finding: Finding | None = None
    by: str = ""


class Challenged(Message, frozen=True, kw_only=True):
    """`by` challenges `to`. Both players are told, on all their connections.

    id: of the request that it answers. rules: the options that differ from the default. seat: of `by`.
    rematch: the match that it follows. expires: in so many seconds.
    """

    id: Id | None = None
    challenge: str
    by: str
    to: str
    rules: dict[str, bool | int | str] = {}
    seat: Seat
    rematch: str | None = None
    expires: int


class Unchallenged(Message, frozen=True, kw_only=True):
    """A challenge is over: `accepted`, `declined`, `withdrawn` or `expired`. Accepted, it is a match of the same id."""

    challenge: str
    why: str


class Rematched(Message, frozen=True, kw_only=True):
    """The players of a match that you watched play another one, `next`: attach to it, with the same code, if any."""

    match: str
    next: str


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


class Watchers(Message, frozen=True, kw_only=True):
    """Watchers of a match that you follow: up to 20 names, and how many there are in all."""

    match: str
    names: list[str] = []
    count: int


class Notice(Message, frozen=True, kw_only=True):
    """A notice of the operators, to everybody or to you alone. Show it wherever the user is.

    sanction: when it is about that.
    """

    text: str
    sanction: Sanctioned | None = None


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
    """A player as moderators see them. matches: those that are not over, by id. reports: how many are open.

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


class Closing(Message, frozen=True, kw_only=True):
    """The server closes this connection next. text: why. retry_after: seconds to wait before connecting again.

    sanction: when it is for that.
    """

    text: str
    retry_after: float = 0.0
    sanction: Sanctioned | None = None


MatchReply = Snapshot | Plays | Presence | Seated | Ended | Replaced | Heartbeat
LobbyReply = Listing | Changes | Matched | Seeking | Challenged | Unchallenged | Rematched | Said | Watchers
TournamentReply = Organised | Unpaired | TournamentRecorded | Held
PlayerReply = Career | Leaders | Played | Recorded | Puzzle | Rolls | Following | Friend | Notice | Reported | Inspected
Reply = Welcome | Ok | Error | MatchReply | LobbyReply | TournamentReply | PlayerReply | Closing
REPLIES: dict[str, type[Message]] = {cls.__struct_config__.tag: cls for cls in get_args(Reply)}


class Update(msgspec.Struct, frozen=True, array_like=True):
    """A step of a match: [match, seq, [code, value, code, value, ...]]. The hot frame, so an array."""

    match: str
    seq: int
    diff: list[Any]
