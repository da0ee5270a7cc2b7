"""The feature of live lists: shown, followed, and kept up to date."""

from tavla_server.feature import Feature
from tavla_server.features.lists.listings import Listings
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core


class Lists(Feature):
    """The live lists of the lobby and of tournaments."""

    def __init__(self, core: Core) -> None:
        self.listings = Listings(core)

    def leave(self, connection: Connection) -> None:
        """Show it no changes any more."""
        self.listings.leave(connection.outbox)

    def resync(self, connection: Connection) -> None:
        """Show whole lists in place of the changes that were left out."""
        self.listings.resync(connection.outbox)
