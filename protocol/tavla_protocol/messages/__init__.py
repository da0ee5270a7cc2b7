"""Every message, both ways. Field names are whole words; what may be left out has a default.

A request carries an `id`, chosen by the client, that its answer repeats. Ids of one player never repeat: count up
from a random start. The server remembers a match's action by its player and id, so an action that is sent again after a
lost connection acts once.
"""

from typing import get_args

from tavla_protocol.messages.accounts import *
from tavla_protocol.messages.analysis import *
from tavla_protocol.messages.challenges import *
from tavla_protocol.messages.chat import *
from tavla_protocol.messages.collection import *
from tavla_protocol.messages.friends import *
from tavla_protocol.messages.hello import *
from tavla_protocol.messages.lists import *
from tavla_protocol.messages.matches import *
from tavla_protocol.messages.moderation import *
from tavla_protocol.messages.quick_match import *
from tavla_protocol.messages.ratings import *
from tavla_protocol.messages.records import *
from tavla_protocol.messages.reviews import *
from tavla_protocol.messages.rolls import *
from tavla_protocol.messages.tables import *
from tavla_protocol.messages.tournaments import *
from tavla_protocol.messages.values import *

TurnAction = Reveal | Ready | Roll | Double | Take | Drop | Beaver | Move
PlayerAction = TurnAction | Resign | Accept | Refuse | Forfeit | Leave | Claim | Abort | Auto
PlayerRequest = (
    Hello
    | Ping
    | Register
    | Rename
    | Password
    | Logout
    | CloseAccount
    | Profile
    | History
    | Record
    | Top
    | Dice
    | Daily
    | Solve
    | LookDeeper
)
TableRequest = Create | Join | Attach | Detach | List | Subscribe | Unsubscribe | Available | Cancel
PairingRequest = Seek | Unseek | Challenge | Rematch | Answer | Withdraw | Ignore
FriendRequest = Follow | Friends | Followers
TournamentRequest = (
    CreateTournament | EnterTournament | LeaveTournament | DirectTournament | TournamentRecord | PastTournaments
)
ChatRequest = Say | Chat
ReviewRequest = StartReview | JoinReview | LeaveReview | ShowReview | ShareFile | ReadFile | LeadReview
CollectionRequest = Collect | Collection | ReadCollected | Discard
ModerationRequest = Report | Reports | Resolve | Inspect | FairPlay | Sanction | Pardon | Adjudicate
LobbyRequest = PairingRequest | FriendRequest | TournamentRequest | ChatRequest | ReviewRequest | CollectionRequest
Request = PlayerRequest | TableRequest | LobbyRequest | ModerationRequest | PlayerAction
REQUESTS: dict[str, type[RequestBase]] = {cls.__struct_config__.tag: cls for cls in get_args(Request)}
MatchReply = Snapshot | Plays | Presence | Seated | Ended | Replaced | Heartbeat
ModerationReply = Reported | Inspected | Figures
LobbyReply = Listing | Changes | Matched | Seeking | Challenged | Unchallenged | Rematched | Said | Watchers | Review
TournamentReply = Organised | Unpaired | Called | TournamentRecorded | Held
PlayerReply = Career | Leaders | Played | Recorded | Puzzle | DeeperLook | Rolls | Following | Friend | Notice
FileReply = SharedFile | Collected | CollectedFile
Reply = (
    Welcome
    | Ok
    | Error
    | MatchReply
    | LobbyReply
    | TournamentReply
    | PlayerReply
    | FileReply
    | ModerationReply
    | Closing
)
REPLIES: dict[str, type[Message]] = {cls.__struct_config__.tag: cls for cls in get_args(Reply)}
