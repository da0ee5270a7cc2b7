"""The feature of the page: served at its addresses, with titles for links."""

from tavla_server.feature import Feature
from tavla_server.features.page.page import Page
from tavla_server.features.page.preview import Previews
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.gateway.core import Core


class Site(Feature):
    """The site that browsers see; the last of all with paths, since it answers at any."""

    def __init__(self, core: Core, tournaments: TournamentRegistry) -> None:
        previews = Previews(core.feed, tournaments)
        self.paths = Page(core.options.web == "on", previews.title, core.options.behind_proxy).paths
