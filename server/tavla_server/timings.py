"""Time limits: each that stands in a relation to another one, or that a test has to shorten.

What concerns one file alone stands there. Units are in the names.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """The time limits of a server, handed in with `app.running(options, timings)`."""

    # --- nodes and the store ---

    heartbeat_s: float = 1.0  # between two of a node
    gap_ms: int = 2000  # without a heartbeat of any node: an outage
    dead_ms: int = 3000  # without one of a node: it is dead, and evicted
    return_ms: int = 3000  # after an outage until everyone is back: the longest wait that the protocol asks of clients
    reply_s: float = 2.5  # a store that is asked, and says nothing for so long, is treated as gone

    # --- a match ---

    next_game_s: float = 20.0  # both are there, and one does not press ready: the next game of a match starts
    next_money_s: float = 120.0  # in money play no player has to play on: unless both want to by then, it ends
    reveal_s: float = 30.0  # a client that is there has so long to reveal its seed, once both have sat down
    reveal_away_s: float = 90.0  # and so long at most if it is not there, or comes back late
    reveal_tournament_s: float = 60.0  # likewise in a tournament, where the other one waits for the next match
    lag_ms: int = 300  # of a round trip, at most, given back to a running clock with each action
    claim_s: int = 60  # a player may be away so long before a match with a clock may be claimed
    claim_least_s: int = 30  # or, where the whole reserve is less than that, as long as it, but no less than this
    absence_s: int = 3 * 86_400  # and so long from a match without a clock: less than a guest's token lives
    away_s: float = 3.0  # a player who is gone for less is not shown as away in lists: a new connection takes a moment
    idle_s: float = 60.0  # a session without followers is kept so long
    read_up_s: float = 3.0  # a client that attaches waits so long at most, for the journal to be read
    fresh_ms: int = 600_000  # what a store has lost is younger than that
    spectators_s: float = 1.0  # from a change to its message: a famous match is not to drown in comings and goings

    # --- connections ---

    tls_s: float = 5.0  # from the connection to the end of the handshake of TLS, if we speak it
    handshake_s: float = 10.0  # from there, or from the connection, to the end of the WebSocket's handshake
    hello_s: float = 10.0  # and from there to a hello that was answered
    ping_s: float = 9.0  # between two pings, each with a `heartbeat`; and for the answer to each
    close_s: float = 1.5  # for a close frame to be answered
    stuck_s: float = 10.0  # without a byte read of a backlog: the connection is dead; so long, too, for a close frame
    token_renewal_s: float = 20.0  # a token revoked on another node is out of use so soon
    token_fresh_s: int = 60  # a token's life until its first use: a welcome that never arrived does not block a name

    # --- the lobby ---

    listing_ms: int = 250  # between two changes of a list: at most four a second
    sweep_s: float = 2.0  # between two looks for what no request leads to
    sweep_spread_s: float = 2.0  # nodes do not all close the same table at once
    maker_gone_s: float = 60.0  # an open table waits so long for its maker to come back
    challenge_s: float = 60.0  # to answer a challenge
    left_over_s: float = 10.0  # a challenge that has a verdict, and is there longer, was left by a dying node
    decline_delay_s: tuple[float, float] = (3.0, 10.0)  # one who ignores the challenger seems to think so long
    queue_poll_s: float = 0.25  # a pair that another node has made waits for the next poll; it renews the tickets, too
    queue_dead_s: float = 3.0  # a node that has renewed nothing for so long is dead to the match queue
    pairing_round_s: float = 2.0  # between two pairings of those who wait in a tournament
    tournament_listed_s: float = 86_400.0  # after its end; then the archive alone has it
    no_show_s: float = 20.0  # for those who were paired to come to the match
    no_show_swept_s: float = 25.0  # by then it is void all the same, unless the nodes of both have died
    pairing_s: float = 60.0  # a pairing is kept so long for one who lost the connection meanwhile
    friend_quiet_s: float = 120.0  # a friend who was gone for less has not come; nor is the same told sooner again
    review_s: int = 86_400  # a shared review without anybody is kept so long
    chat_s: float = 3600.0  # a line of the lobby's chat: an older one would get no answer

    # --- what a node has left undone: matches for ratings or the archive, accounts to be merged ---
    left_ms: int = 5_000  # a match that is listed longer is not being dealt with by the node on which it ended
    leftovers_s: float = 5.0  # between two looks
    leftovers_cluster_s: float = 30.0  # likewise for matches, where there are thousands of lists

    def __post_init__(self) -> None:
        assert 1000 * self.heartbeat_s < self.gap_ms < self.dead_ms, "one late heartbeat is no outage, and no death"
        assert 2 * self.ping_s + self.close_s < 20, "a dead client is known within 20 s"
        assert self.claim_least_s <= self.claim_s <= self.absence_s, "a clock asks for people to be there"
        assert self.reveal_s <= self.reveal_away_s, "who is there is waited for no longer than who is not"
        assert self.token_renewal_s < self.token_fresh_s, "a token is renewed before it dies"
        assert self.queue_poll_s < self.queue_dead_s, "a node that polls is alive"
        assert self.no_show_s < self.no_show_swept_s < self.pairing_s, "who waits ends it, then whoever sweeps"


DEFAULTS = Timings()
