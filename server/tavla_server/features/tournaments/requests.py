"""Requests of tournaments: made, entered, left, directed, looked back at."""

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.scan import HELD_S
from tavla_server.features.lists.listings import Listings
from tavla_server.features.quick_match.match_queue import MatchQueue
from tavla_server.features.records.records import PAGES
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tables.requests import TableRequests
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tables.terms import check_public, read_rules
from tavla_server.features.tournaments.boards import Boards
from tavla_server.features.tournaments.calls import Calls
from tavla_server.features.tournaments.caretaker import Caretaker
from tavla_server.features.tournaments.events import Directed
from tavla_server.features.tournaments.files import TournamentFiles
from tavla_server.features.tournaments.keeper import Keeper
from tavla_server.features.tournaments.record_pages import RecordPages
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.schedule import LOOK_S, Schedule, read_plans
from tavla_server.features.tournaments.sweeper import TournamentSweeper
from tavla_server.features.tournaments.terms import check_terms
from tavla_server.features.tournaments.tournament_lists import TournamentLists
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway import costs
from tavla_server.gateway.client_address import network_of
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Places, Share
from tavla_server.gateway.routes import Route, by_player
from tavla_server.gateway.text_filter import clean_reason
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.sweeps import Sweep
from tavla_server.telemetry.metrics import TOURNAMENT_PLAYERS, TOURNAMENTS
from tavla_server.token_bucket import Rate

MADE_S = 60.0  # for a tournament to be made, once it has its place
LONGEST_S = 7 * 86_400.0  # from its start: the place of one that nobody ends lapses then
OPEN_TO_PLAYERS = ("begin", "add", "rename", "cancel")  # directions that one may give who plays in the tournament


class TournamentRequests(Feature):
    """The requests of tournaments, and what looks after them. archive: None = those long over are not kept."""

    def __init__(
        self,
        core: Core,
        lists: Listings,
        sanctions: Sanctions,
        accounts: Accounts,
        tables: Tables,
        table_requests: TableRequests,
        queue: MatchQueue,
        archive: Archive | None,
    ) -> None:
        self._core, self._sanctions, self._accounts = core, sanctions, accounts
        self._table_requests, self._archive = table_requests, archive
        boards, self._calls = Boards(core, tables, accounts), Calls(core)
        self._places = Places(core.redis, core.clock, "open-tournaments")
        registry = TournamentRegistry(core, TournamentLists(lists), boards, self._calls, self._places)
        self.caretaker = Caretaker(core, registry, boards, self._calls, tables, queue)
        keeper = Keeper(core.redis, None if archive is None else archive.tournaments)
        self.tournaments = Tournaments(core, registry, boards, self.caretaker, keeper, accounts)
        sweeper = TournamentSweeper(core, registry, boards, self.caretaker, keeper, sanctions.ledger)
        schedule = Schedule(read_plans(core.options.tournament), self.tournaments.create, core.clock)
        # Any node does again what these lanes hold: one that stops does not wait for them, as it does for `lanes`.
        self.chores = [lane.run for lane in sweeper.lanes]
        self.sweeps = [
            Sweep("lost tournaments", HELD_S / 4, sweeper.set_right),
            Sweep("tournaments", core.timings.pairing_round_s, sweeper.sweep),
            Sweep("planned tournaments", LOOK_S, schedule.sweep),
        ]
        self.gauges = {TOURNAMENTS: registry.states, TOURNAMENT_PLAYERS: registry.players}
        self._pages = RecordPages()
        self.paths = TournamentFiles(core, self.tournaments, self._pages, archive).paths
        self.routes = (
            Route(m.CreateTournament, self.create, cost=costs.A_CHANGE),
            Route(m.EnterTournament, self.enter, ENTRIES, cost=costs.A_CHANGE),
            Route(m.LeaveTournament, self.leave_tournament, ENTRIES, cost=costs.A_CHANGE),
            Route(m.DirectTournament, self.direct, ENTRIES, cost=costs.A_CHANGE),
            Route(m.TournamentRecord, self.record, PAGES, is_open=True, cost=costs.A_TABLE),
            Route(m.PastTournaments, self.past, PAGES, is_open=True, cost=costs.A_PAGE),
        )

    def greet(self, connection: Connection) -> None:
        """Tell a player who is called to a round."""
        self._calls.greet(connection)

    async def close(self) -> None:
        """End the process that pairs."""
        await self.caretaker.pairer.close()

    async def create(self, connection: Connection, request: m.CreateTournament) -> None:
        """Make a tournament; asked again by the same request, as after a lost connection, say which."""
        player = connection.player
        if player.rating is None:
            raise Refused(ErrorCode.ACCOUNT_NEEDED, "tournaments are made by players with an account: register first")
        _check_rules(request)
        title = await self._accounts.names.title(request.name, player.id, "tournament")
        self._sanctions.check_may_speak(connection, "have another one make the tournament")
        id_ = match_ids.of_request(player.id, request.id)
        if await self.tournaments.registry.get(id_) is None:
            await self._make(connection, replace(request, name=title), id_)
        connection.send(m.Organised(id=request.id, tournament=id_))

    async def _make(self, connection: Connection, request: m.CreateTournament, id_: str) -> None:
        limits, player = self._core.limits, connection.player
        shares = _shares(limits, connection, request.private)
        await self._places.take(id_, MADE_S, *shares)
        try:
            if not request.private:
                await self.tournaments.registry.claim_name(request.name, id_)
            await self._core.quotas.take("tournaments-by-player", player.id, limits.new_tournaments)
        except Refused:
            await self._places.free(id_)
            raise
        starts_ms = self._core.clock.now_ms() + 1000 * request.starts
        await self.tournaments.create(id_, player, request, starts_ms)
        await self._places.take(id_, request.starts + LONGEST_S, *shares)

    async def enter(self, connection: Connection, request: m.EnterTournament) -> None:
        """Wait for a match."""
        opened = (await self.tournaments.registry.find(request.tournament)).state.plan
        connection.following.check_room()
        player = await self._table_requests.current_player(connection, opened.rules)
        await self._table_requests.check_may_play(connection)
        await self.tournaments.enter(request.tournament, player, request.commitment, connection, request.id)
        connection.send(m.Ok(id=request.id))

    async def leave_tournament(self, connection: Connection, request: m.LeaveTournament) -> None:
        """Wait no longer."""
        await self.tournaments.leave(request.tournament, connection.player.id, request.returns)
        connection.send(m.Ok(id=request.id))

    async def direct(self, connection: Connection, request: m.DirectTournament) -> None:
        """Decide something of a tournament, as who has made it or as a moderator, who is in the audit first."""
        by, why = connection.player, clean_reason(request.reason)
        state = (await self.tournaments.registry.find(request.tournament)).state
        role = self._sanctions.role_of(by)
        judge = "director" if by.id == state.plan.by.id else role
        if not judge:
            who = state.plan.by.name
            raise Refused(ErrorCode.NOT_ALLOWED, f"this is for {who}, who made the tournament, and for moderators")
        about = await self._accounts.player_of_name(request.player or "") if request.what in ("remove", "add") else None
        whom = [request.tournament, about.name if about else "", f"{request.minutes} min" if request.minutes else ""]
        plays = bool({by.id, *await self._accounts.heirs.names_of(by.id)} & state.playing_ids())
        may = not plays or request.what in OPEN_TO_PLAYERS
        whom += ["in which this player plays" * plays, "refused" * (not may)]
        if role:  # what another maker does stands in its journal
            await self._sanctions.audit.note(by.name, f"tournament-{request.what}", " ".join(filter(None, whom)), why)
        if not may:
            text = "you play in this tournament: one who does not, a moderator, decides this"
            raise Refused(ErrorCode.NOT_ALLOWED, text)
        if request.what == "rename":
            request = replace(request, name=await self._claim_title(connection, request, state.plan.private))
        shown = "" if self._sanctions.mute_of(connection) else why
        await self.tournaments.direct(request.tournament, request, Directed(by, request.what, about, shown, judge))
        connection.send(m.Ok(id=request.id))

    async def _claim_title(self, connection: Connection, request: m.DirectTournament, private: bool) -> str:
        """The new name of a tournament. Raises: Refused for one that it cannot have."""
        if request.name is None:
            raise Refused(ErrorCode.BAD_MESSAGE, "say how it is to be called, in `name`")
        title = await self._accounts.names.title(request.name, connection.player.id, "tournament")
        self._sanctions.check_may_speak(connection, "have another one rename the tournament")
        if not private:
            await self.tournaments.registry.claim_name(title, request.tournament)
        return title

    async def record(self, connection: Connection, request: m.TournamentRecord) -> None:
        """The record of a tournament, or what there is of it so far."""
        state = await self.tournaments.past(request.tournament)
        page = await self._pages.page(request.tournament, state, request.after, self._core.limits.record_page)
        connection.send(replace(page, id=request.id))

    async def past(self, connection: Connection, request: m.PastTournaments) -> None:
        """Send the tournaments that are over, as far as the archive has them."""
        if self._archive is None:
            raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no tournaments that are over")
        found, more = await self._archive.tournaments.page(request.after)
        # An archive that is newer than a store that was brought back has some as over that go on.
        over = {id_: shown for id_, shown in found.items() if not self.tournaments.registry.goes_on(id_)}
        connection.send(m.Held(id=request.id, tournaments=over, next=more))


def _shares(limits: Limits, connection: Connection, private: bool) -> tuple[Share, ...]:
    """The shares in which a tournament has a place until it is over."""
    mine, ours = limits.tournaments, limits.tournaments_by_network
    full = "there are too many tournaments here: wait until some are over"
    return (
        Share(connection.player.id, mine, f"{mine} of your tournaments are not over: end or cancel one, or wait"),
        Share(
            network_of(connection.address), ours, f"{ours} tournaments from your network are not over: wait for an end"
        ),
        Share("private" if private else "public", limits.tournaments_listed, full),
    )


def _check_rules(request: m.CreateTournament) -> None:
    """Raises: Refused for rules, ratings, or a time that no tournament has."""
    rules = read_rules(request.rules, quick=True)
    check_public(rules, not request.private)
    if request.max_rating and request.min_rating > request.max_rating:
        raise Refused(ErrorCode.BAD_RULES, "no rating is so low and so high: name a lower min_rating")
    check_terms(rules, request.format, request.minutes)


ENTRIES = Rate(1.0, 20.0, "entries", by_player, "you come and go too often")
