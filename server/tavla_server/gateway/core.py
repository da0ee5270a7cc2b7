"""The core of a server: the parts that connections use, and every feature may."""

import asyncio
from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.cluster.liveness import Liveness
from tavla_server.gateway.costs import Costs
from tavla_server.gateway.presence import Presence
from tavla_server.gateway.quotas import Quotas
from tavla_server.limits import Limits
from tavla_server.match.journal import Journal
from tavla_server.match.registry import Registry
from tavla_server.options import Options
from tavla_server.store.client import Client
from tavla_server.store.pubsub import PubSub
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rates


class Core(NamedTuple):
    """The core: the parts of a server that every feature may use; no feature is among them."""

    node: str  # its name among the nodes
    redis: Client
    pubsub: PubSub
    feed: Feed
    clock: Clock
    liveness: Liveness
    presence: Presence
    journal: Journal
    registry: Registry
    quotas: Quotas
    rates: Rates
    costs: Costs
    returns: asyncio.Semaphore  # held while a player comes back: of thousands at once the others wait
    limits: Limits
    timings: Timings
    options: Options
