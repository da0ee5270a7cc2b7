"""Costs of requests, in ms of a node's loop: taken from who asks, so that nobody takes much of it from others.

An address, or a network, with many connections and ever new guests has one allowance. Nothing is refused for it: who
has spent it waits. Actions in a match cost nothing here: they have their connection's own rate.
"""

from tavla_server.limits import Limits
from tavla_server.telemetry.metrics import LIMITS
from tavla_server.token_bucket import Rates

CHEAP = 0.3  # a request that needs no more than a command to the store
A_LIST = 1.0  # hundreds of rows, packed already, and written out
A_LOOK = 1.0  # what the store has of a player or a match
MANY_LOOKS = 4.0  # the same of dozens of players: the leaderboard, friends
A_PAGE = 5.0  # of the archive
A_PICTURE = 50.0  # of a board or a link, which a thread draws
A_CHANGE = 2.0  # that other players, or all nodes, hear of
A_TABLE = 10.0  # of a tournament's players, of which there may be a thousand
A_FILE = 500.0  # of a tournament, made by a process
HTTP = 1.0  # whatever is asked and answered: a page, a probe, a WebSocket until it is closed again


class Costs:
    """Costs of requests: the allowances of players, addresses and networks.

    Each node counts for itself: docs/limits.md says why.
    """

    def __init__(self, rates: Rates, limits: Limits) -> None:
        self._rates, self._limits = rates, limits

    def charge(self, cost: float, address: str, network: str, player: str = "") -> float:
        """Take the cost of a request from all whose it is; "" = nobody's. Returns the seconds for it to wait."""
        limits, wait_s = self._limits, 0.0
        for rate, key in ((limits.player_cost, player), (limits.address_cost, address), (limits.network_cost, network)):
            if key and (more_s := self._rates.charge(rate, key, cost)):
                LIMITS.add(rate.name)
                wait_s = max(wait_s, more_s)
        return wait_s
