"""Context of the sessions of a node."""

from collections.abc import Sequence
from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Liveness
from tavla_server.match.effects import EffectsListener
from tavla_server.match.journal import Journal
from tavla_server.match.replication import Replication
from tavla_server.record.sealing import Sealer
from tavla_server.timings import Timings


class SessionContext(NamedTuple):
    """The context of a session: the parts of its node that all sessions use.

    listeners: told of every entry that a session has decided, or had to read.
    """

    journal: Journal
    clock: Clock
    liveness: Liveness
    replication: Replication
    sealer: Sealer
    timings: Timings
    listeners: Sequence[EffectsListener]
