"""Stable codes: why a request was refused, why a connection was closed, and what a server can do."""

import enum


class ErrorCode(enum.StrEnum):
    """The `code` of an `error` message, beside the engine's reasons. A code keeps its meaning for good."""

    BAD_MESSAGE = "bad_message"  # not a message of this protocol: unknown type, missing or wrong field
    HELLO_FIRST = "hello_first"  # anything else before `hello`, or a second one
    BAD_TOKEN = "bad_token"  # unknown, expired or revoked: say hello with a name
    WRONG_PASSWORD = "wrong_password"  # or no account of that name: the answer does not tell which
    NAME_TAKEN = "name_taken"  # a player's, a table's or a tournament's
    NAME_RESERVED = "name_reserved"  # not for everyone; the text says why
    REGISTERED = "registered"  # you have an account already
    ACCOUNT_NEEDED = "account_needed"  # guests cannot: register first
    NO_SUCH_PLAYER = "no_such_player"
    NOT_FOLLOWED = "not_followed"  # this player cannot be followed; the text says why
    NO_SUCH_MATCH = "no_such_match"
    TABLE_FULL = "table_full"  # both seats are taken
    PRIVATE = "private"  # the table's code is missing or wrong
    NO_SPECTATORS = "no_spectators"  # the players of this match do not want to be watched
    BOTS_ONLY = "bots_only"  # for programs, those that said `bot` in their hello
    PEOPLE_ONLY = "people_only"  # a program may not sit down: the result counts, and the player has asked for a person
    NOT_ONLINE = "not_online"  # the other player has no connection now
    NO_SUCH_CHALLENGE = "no_such_challenge"  # it was answered, withdrawn or has expired, or it was never yours
    NO_SUCH_TOURNAMENT = "no_such_tournament"
    TOURNAMENT_OVER = "tournament_over"  # no more matches are made
    NO_SUCH_REVIEW = "no_such_review"  # a shared one: nobody was there for a day, or there was none
    NOT_LEADING = "not_leading"  # another player leads the review
    NOT_SEATED = "not_seated"  # you do not play this match, or another connection of yours does
    NOT_ATTACHED = "not_attached"  # attach to the match first
    BAD_SEED = "bad_seed"  # not the seed that you have committed to
    BAD_COMMITMENT = "bad_commitment"  # none, or one that another player has there: commit to a fresh seed
    OTHER_TERMS = "other_terms"  # the match has other terms than those that you have seen: look at it again
    UNREVEALED = "unrevealed"  # no seed came from you lately: quick match takes you again after `retry_after`
    LEFT_MATCHES = "left_matches"  # you have left matches lately: quick match takes you again after `retry_after`
    BAD_RULES = "bad_rules"  # options that cannot stand together
    STALE = "stale"  # `seq` is not the current one: look at the match again; or a piece does not come next: begin anew
    TOO_MANY = "too_many"  # a limit is reached; the text says which
    NOTHING_SAID = "nothing_said"  # no character of the text can be shown
    NO_CLAIM = "no_claim"  # the match cannot be claimed, or not yet
    BANNED = "banned"  # a moderator keeps you out; the text says until when, why, and whom to ask
    MUTED = "muted"  # a moderator has taken your word, and the text says the same
    NOT_ALLOWED = "not_allowed"  # for moderators, or not even for them: the text says whose it is
    NO_ARCHIVE = "no_archive"  # this server keeps no list of the matches that are over
    UNAVAILABLE = "unavailable"  # the server cannot store anything now; nothing has changed, try again


class CloseCode(enum.IntEnum):
    """WebSocket close codes. Those below 4000 are RFC 6455's own, with its meaning."""

    GOING_AWAY = 1001  # the server stops; connect again later
    PROTOCOL_ERROR = 1002  # no WebSocket frame; the library sends it
    TEXT_FRAME = 1003  # frames are binary
    NOT_MSGPACK = 1007  # a frame that is not one msgpack value within the limits
    FLOOD = 1008  # too many pings, pongs or pieces of messages: send whole messages
    TOO_BIG = 1009  # a frame over MAX_FRAME_BYTES
    INTERNAL_ERROR = 1011  # a fault of the server; connect again
    RESTART = 1012  # the server restarts; connect again at once
    FULL = 1013  # the server is full, and you have no seat in a match that goes on; connect again later
    HELLO_TIMEOUT = 4000  # no `hello` within HELLO_TIMEOUT_S
    TOO_SLOW = 4001  # updates were not read; connect again and attach
    LOGGED_OUT = 4002  # the token was revoked; say hello anew with a name
    REMOVED = 4003  # by a moderator; do not connect again by yourself, but show what `closing` says
