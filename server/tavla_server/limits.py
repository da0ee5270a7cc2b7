"""Limits of size and number: each that a test has to lower.

What no test has to lower stands in the one file that it concerns; limits of time stand in `timings.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tavla_server.token_bucket import Rate


class Quota(NamedTuple):
    """A quota of so many times within so many seconds, from the first one on; the store counts them for all nodes."""

    times: int
    per_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, handed in with `app.running(options, timings, limits)`.

    rates: by name, in place of those that the routes of requests declare.
    """

    # --- connections ---

    handshakes: Rate = Rate(1000.0, 10_000.0)  # all of a node that has died; then as many as a core can seat
    address_handshakes: Rate = Rate(10.0, 500.0)  # of one address: a club behind one router comes back at once
    pending: int = 1024  # connections that have not asked for anything yet
    returns: int = 512  # that are answered at once: enough to fill a group of commands, few enough to be answered soon
    requests: Rate = Rate(100.0, 200.0)  # of one connection; beyond that it is read more slowly
    # In ms of the loop's time, as each request costs: a player, and all of one address, or of one network of 56 bits.
    player_cost: Rate = Rate(50.0, 1000.0, "cost-player")
    address_cost: Rate = Rate(150.0, 5000.0, "cost-address")  # a club behind one router comes back at once
    network_cost: Rate = Rate(200.0, 10000.0, "cost-network")
    rates: Mapping[str, Rate] = field(default_factory=dict)
    backlog_bytes: int = 64 * 1024  # sent but unread; a client further behind is shown nothing more until it has read
    kernel_bytes: int = 64 * 1024  # unread beside that; left to itself, Linux keeps megabytes of what is old by then
    followed: int = 256  # matches on one connection
    followed_over: int = 8  # of them, those that are over: each takes 8 KB, and no client detaches from all

    # --- accounts ---

    new_guests: Quota = Quota(200, 600)  # of one address; a club behind one router has fewer people
    new_accounts: Quota = Quota(50, 3600)  # of one address: a name that is registered never comes free again
    logins_by_name: Quota = Quota(10, 600)  # those that fail, from each address known to the name, and from all others
    logins_by_address: Quota = Quota(50, 600)  # likewise, against a few common passwords for many names
    logins_by_player: Quota = Quota(10, 600)  # likewise, with a token: guesses of others do not count against it
    passwords: int = 60  # that wait: so the last is answered within some 3 s, before its client gives up
    address_passwords: int = 2  # of one address in that queue: others come between
    tokens: int = 20  # of one account; beyond that the one that expires first goes

    # --- tables, challenges, lists; tables that are opened each leave a journal, even if they are not played on ---

    tables: int = 32  # a player's, not over
    bot_tables: int = 256  # a program's, which may play many at once
    tables_by_player: Quota = Quota(300, 3600)
    tables_by_program: Quota = Quota(3000, 3600)
    tables_by_address: Quota = Quota(3000, 3600)
    open_tables_by_network: int = 100  # a fifth of the list; private ones are not in it
    open_challenges: int = 4  # of one player that wait for an answer
    ignored: int = 200  # players on one list
    friends: int = 200  # whom a player follows; likewise
    listed: int = 500  # rows by each order of a list; more helps no client, and each subscriber gets all of them
    ordered: int = 1000  # the first ones by each order: half of them may go before all rows are looked at again
    new_tournaments: Quota = Quota(10, 86_400)  # of one player
    tournaments: int = 2  # of one player, not over
    tournaments_by_network: int = 4  # of one network, not over: a club has some directors
    tournaments_listed: int = 100  # not over; and as many private ones: every node has them in memory, some 2 MB each
    entrants: int = 1000  # of a tournament: its pairings are measured with so many
    chat_lines: int = 30  # for those who come later to know what is spoken of
    leaders: int = 50
    opponents: int = 5  # whom a player has met in the matches that are shown, to be on the leaderboard
    career: int = 50  # matches of a player, newest first
    history_page: int = 50  # matches of a history in one answer
    looks: Quota = Quota(50, 86_400)  # deeper ones at single decisions, of an account: each takes a core some 6 s
    looks_by_address: Quota = Quota(200, 86_400)  # likewise, of one address
    collected: int = 500  # matches in files that an account keeps: some 10 KB each, and half a minute of the judge's
    collected_a_day: Quota = Quota(200, 86_400)  # likewise, of one account
    collected_by_address: Quota = Quota(400, 86_400)  # likewise, of one address
    new_reviews: Quota = Quota(20, 86_400)  # shared ones, of one player; a day later they are gone
    reviews_by_address: Quota = Quota(200, 86_400)  # likewise, of one address
    review_people: int = 20  # in one: a club's evening; each change is told to all of them
    puzzles: Quota = Quota(200, 86_400)  # answers of an account that count for its rating at them
    record_page: int = 400  # entries of a journal in one answer: some 20 KB

    # --- moderation ---

    new_reports: Quota = Quota(5, 600)  # of one player; of guests, of one address
    open_reports: int = 1000  # some 1.5 MB; beyond it one of the network with the most is closed
    report_page: int = 50  # reports in one answer: some 100 KB at most
    penalties: int = 10_000  # that hold at a time: every node has them in memory, some 300 bytes each


DEFAULT_LIMITS = Limits()
