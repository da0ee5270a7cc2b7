"""The feature of leaving: accounts that are closed, and accounts that become another one."""

from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.leaving.closings import Closings
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.features.leaving.unplayed_accounts import LOOK_S, UnplayedAccounts
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway.core import Core
from tavla_server.sweeps import Sweep


class Leaving(Feature):
    """The leaving of players for good: what is left of them is forgotten, or becomes another's."""

    def __init__(
        self, core: Core, sanctions: Sanctions, accounts: Accounts, archive: Archive | None, tournaments: Tournaments
    ) -> None:
        self.closings = Closings(core, accounts, archive, [tournaments.forget])
        merges = AccountMerges(core.redis, accounts, archive, [tournaments.merge])
        unplayed = UnplayedAccounts(core, accounts, sanctions.ledger.is_moderator)
        self.sweeps = [
            Sweep("closings", core.timings.leftovers_s, self.closings.sweep),
            Sweep("merges", core.timings.leftovers_s, merges.sweep),
            Sweep("unplayed", LOOK_S, unplayed.sweep),
        ]
