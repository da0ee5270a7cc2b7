"""Rates of requests that cost other players something. Each node counts for itself: docs/limits.md says why."""

from typing import NamedTuple

from tavla_server.token_bucket import TokenBuckets

OPENED_PER_S, OPENED_BURST = 1.0, 40.0  # a player's tables: each one leaves a trace in the journal for a while
CHALLENGES_PER_S, CHALLENGES_BURST = 0.2, 10.0  # a player's
SAID_PER_S, SAID_BURST = 0.5, 5.0  # a player's at matches: enough to talk, too little to flood
MURMURED_PER_S, MURMURED_BURST = 2.0, 10.0  # of all who watch one match: each of them hears it
CHATTED_PER_S, CHATTED_BURST = 0.2, 4.0  # in the lobby, where many listen
OFFERED_PER_S, OFFERED_BURST = 1.0, 20.0  # a program's: each is told to all who follow the list of people
PAGES_PER_S, PAGES_BURST = 2.0, 40.0  # of a player


class Allowances(NamedTuple):
    """The buckets of each rate, by player; `murmurs` by match."""

    tables: TokenBuckets
    challenges: TokenBuckets
    talk: TokenBuckets
    murmurs: TokenBuckets
    lobby_chat: TokenBuckets
    offers: TokenBuckets
    pages: TokenBuckets


def new_allowances() -> Allowances:
    """Nobody has spent anything."""
    return Allowances(
        tables=TokenBuckets(OPENED_PER_S, OPENED_BURST, limit="tables"),
        challenges=TokenBuckets(CHALLENGES_PER_S, CHALLENGES_BURST, limit="challenges"),
        talk=TokenBuckets(SAID_PER_S, SAID_BURST, limit="say"),
        murmurs=TokenBuckets(MURMURED_PER_S, MURMURED_BURST, limit="watchers_say"),
        lobby_chat=TokenBuckets(CHATTED_PER_S, CHATTED_BURST, limit="chat"),
        offers=TokenBuckets(OFFERED_PER_S, OFFERED_BURST, limit="offers"),
        pages=TokenBuckets(PAGES_PER_S, PAGES_BURST, limit="pages"),
    )
