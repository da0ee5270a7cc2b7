"""Limits of size and number: each that a test has to lower. Units are in the names, or in the comments.

What no test has to lower stands in the one file that it concerns; limits of time stand in `timings.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tavla_server.token_bucket import Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, handed in with `app.running(options, timings, limits)`.

    rates: by name, in place of those that the routes of requests declare.
    """

    # --- connections ---

    handshakes: Rate = Rate(1000.0, 10_000.0)  # all of a node that has died; then as many as a core can seat
    address_handshakes: Rate = Rate(10.0, 500.0)  # of one address: a club behind one router comes back at once
    requests: Rate = Rate(100.0, 200.0)  # of one connection; beyond that it is read more slowly
    rates: Mapping[str, Rate] = field(default_factory=dict)
    followed: int = 256  # matches on one connection
    followed_over: int = 8  # of them, those that are over: each takes 8 KB, and no client detaches from all


DEFAULT_LIMITS = Limits()
