"""The parts of a server, put together; nothing runs yet."""

import asyncio
import secrets
from functools import partial
from typing import NamedTuple

from tavla_server.archive.archive import Archive
from tavla_server.archive.archiver import Archiver
from tavla_server.archive.comparison import Comparison
from tavla_server.archive.daily import Daily
from tavla_server.archive.scan import Scan
from tavla_server.chores import Chore
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.cluster.lag import Lag
from tavla_server.cluster.liveness import Liveness
from tavla_server.connections import Store
from tavla_server.gateway.admission import PENDING_PART, Admission
from tavla_server.gateway.allowances import Allowances
from tavla_server.gateway.health import Health, room_for_connections
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.gateway.page import Page
from tavla_server.gateway.preview import Previews
from tavla_server.gateway.server import Gateway
from tavla_server.gateway.services import Services
from tavla_server.gateway.tournament_files import TournamentFiles
from tavla_server.limits import Limits
from tavla_server.lobby.abandoned import Abandoned
from tavla_server.lobby.absences import Absences
from tavla_server.lobby.arrivals import Arrivals
from tavla_server.lobby.blocklist import Blocklist
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.effects import MatchEffects
from tavla_server.lobby.friends import Friends
from tavla_server.lobby.listings import Listings
from tavla_server.lobby.match_queue import MatchQueue
from tavla_server.lobby.matchmaker import Matchmaker
from tavla_server.lobby.membership import RECONCILE_S, Membership
from tavla_server.lobby.notifier import Notifier
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.reconciler import Reconciler
from tavla_server.lobby.seekers import Seekers
from tavla_server.lobby.settler import Settler
from tavla_server.lobby.sweeper import Sweeper
from tavla_server.lobby.tables import Tables
from tavla_server.lobby.voids import Voids
from tavla_server.match.journal import Journal
from tavla_server.match.registry import Registry
from tavla_server.match.replication import Replication
from tavla_server.moderation.audit import Audit
from tavla_server.moderation.ledger import Ledger
from tavla_server.moderation.powers import Powers
from tavla_server.moderation.reports import Reports
from tavla_server.moderation.rulings import Rulings
from tavla_server.options import Options
from tavla_server.players.account_merges import AccountMerges
from tavla_server.players.accounts import Accounts
from tavla_server.players.closings import Closings
from tavla_server.players.passwords import Passwords
from tavla_server.players.quotas import Quotas
from tavla_server.players.ratings import Ratings
from tavla_server.players.reveals import Reveals
from tavla_server.record.sealing import Sealer
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.lock import Lock
from tavla_server.store.router import Router
from tavla_server.timings import Timings
from tavla_server.tournaments.boards import Boards
from tavla_server.tournaments.caretaker import Caretaker
from tavla_server.tournaments.journal import TournamentJournal
from tavla_server.tournaments.keeper import Keeper
from tavla_server.tournaments.registry import TournamentRegistry
from tavla_server.tournaments.schedule import Schedule, read_plan
from tavla_server.tournaments.shown import Shown
from tavla_server.tournaments.sweeper import TournamentSweeper
from tavla_server.tournaments.tournaments import Tournaments

DAY_S = 24 * 3600


class Parts(NamedTuple):
    """A server's parts. node: its name among the nodes. services: what requests use."""

    node: str
    store: Store
    services: Services
    feed: Feed
    lag: Lag
    liveness: Liveness
    replication: Replication
    archiver: Archiver
    effects: MatchEffects
    settler: Settler
    membership: Membership
    sweeper: Sweeper
    tournament_sweeper: TournamentSweeper
    schedule: Schedule
    health: Health
    gateway: Gateway

    def chores(self) -> list[Chore]:
        """The background tasks of a server, beside the feed's."""
        redis, services, archive = self.store.redis, self.services, self.services.archive
        merges = AccountMerges(redis, services.accounts, archive, services.timings)
        merges.merged = services.tournaments.merged
        lanes = *self.effects.lanes, *self.tournament_sweeper.lanes
        chores: list[Chore] = [
            *(lane.run for lane in lanes),
            self.archiver.run,
            self.settler.run,
            Scan(redis, self.archiver.unsettled, services.clock, self.node).run,
            services.closings.run,
            merges.run,
            self.gateway.renew_tokens,
            self.gateway.keepalive.run,
            self.replication.check,
            partial(self.liveness.run, lambda: self.replication.evict_dead_nodes(self.liveness.living)),
            services.matchmaker.run,
            self.tournament_sweeper.set_right,
            self.tournament_sweeper.run,
            self.schedule.run,
            services.presence.run,
            services.reveals.run,
            self.sweeper.run,
            self.lag.run,
        ]
        if archive is not None:
            chores.append(Comparison(redis, services.journal, self.archiver, archive, self.node).run)
            chores.append(archive.rolls.run)
        return chores


def assemble(
    options: Options, timings: Timings, limits: Limits, store: Store, archive: Archive | None, sealer: Sealer
) -> Parts:
    """The parts of a server on a store that it is connected to."""
    node, clock, redis = secrets.token_hex(4), Clock(), store.redis
    feed, journal, ratings = Feed(redis, store.topology), Journal(redis, store.router, node), Ratings(redis, limits)
    tables, presence, seekers = Tables(redis, feed, clock), Presence(feed, clock, node), Seekers(feed, clock, node)
    lag = Lag(clock)
    liveness = Liveness(redis, clock, node, timings, lag)
    replication = Replication(store.pubsub, store.router, node)
    archiver = Archiver(redis, journal, archive, clock, DAY_S * options.archive_grace, node, timings)
    queue, reveals = MatchQueue(redis, node, timings), Reveals(redis, clock)
    voids = Voids(queue, reveals)
    effects = MatchEffects(journal, ratings, tables, archiver, voids, clock, timings.away_s)
    registry = Registry(journal, clock, liveness, replication, sealer, timings, [effects], tables.away_from)
    _watch(store.router, liveness, registry)
    passwords = Passwords(limits)
    accounts = Accounts(redis, clock, passwords, timings, limits.tokens)
    listings, ledger, reports = (
        Listings(feed, clock, timings.listing_ms, limits),
        Ledger(feed, clock, limits.penalties),
        Reports(redis, limits),
    )
    boards = Boards(registry, tables, accounts)
    held = TournamentRegistry(TournamentJournal(redis, node), feed, clock, Shown(listings), boards)
    caretaker = Caretaker(held, boards, presence, tables, registry, queue, clock, liveness)
    keeper = Keeper(redis, None if archive is None else archive.tournaments)
    tournaments = Tournaments(held, boards, caretaker, keeper, accounts, clock, limits)
    effects.score = caretaker.score
    closings = Closings(redis, accounts, journal, archive, clock)
    closings.forget = tournaments.forget
    services = Services(
        clock=clock,
        timings=timings,
        limits=limits,
        accounts=accounts,
        arrivals=Arrivals(redis, accounts),
        closings=closings,
        passwords=passwords,
        quotas=Quotas(redis),
        ratings=ratings,
        reveals=reveals,
        tables=tables,
        registry=registry,
        journal=journal,
        archive=archive,
        daily=None if archive is None else Daily(redis, archive, clock),
        matchmaker=Matchmaker(queue, tables, registry, clock, seekers, voids, timings),
        presence=presence,
        listings=listings,
        lobby_chat=LobbyChat(redis, feed, clock, timings.chat_s, limits.chat_lines),
        challenges=Challenges(feed, presence, tables, registry, accounts, clock, effects.challenges, timings),
        tournaments=tournaments,
        blocklist=Blocklist(redis, feed, presence, listings, limits.ignored),
        friends=Friends(redis, feed, clock, presence, tables, limits.friends, timings.friend_quiet_s),
        ledger=ledger,
        powers=Powers(accounts, ledger, Audit(redis), reports, clock),
        reports=reports,
        rulings=Rulings(tables, registry),
        allowances=Allowances(limits.rates),
        returns=asyncio.Semaphore(limits.returns),
        behind_proxy=options.behind_proxy,
        contact=options.contact,
    )
    reconciler, reconciling = Reconciler(tables, registry, journal, voids, clock), keys.LOBBY_RECONCILING()
    membership = Membership(
        node, feed, liveness, presence, seekers, reconciler, Lock(redis, reconciling, node, RECONCILE_S)
    )
    others = [
        reconciler.drop_stillborn,
        Absences(tables, presence, reconciler, clock).sweep,
        services.challenges.sweep,
        services.lobby_chat.sweep,
        feed.trim,
    ]
    abandoned = Abandoned(tables, presence, registry, clock, timings)
    feed.listen(Notifier(presence).row_changed)
    files = TournamentFiles(tournaments, journal, archive)
    health = _health(options, limits, redis, feed, lag, liveness, archive, files)
    return Parts(
        node=node,
        store=store,
        services=services,
        feed=feed,
        lag=lag,
        liveness=liveness,
        replication=replication,
        archiver=archiver,
        effects=effects,
        settler=Settler(redis, archiver.unsettled, journal, effects, clock, node),
        membership=membership,
        sweeper=Sweeper(feed, membership, abandoned, others, timings),
        tournament_sweeper=TournamentSweeper(held, boards, caretaker, keeper, feed, clock, timings),
        schedule=Schedule([read_plan(plan) for plan in options.tournament], tournaments, clock),
        health=health,
        gateway=Gateway(services, health),
    )


def _watch(router: Router, liveness: Liveness, registry: Registry) -> None:
    """Connect outages of the store, and their ends, to the matches."""

    def lost() -> None:
        liveness.lost()
        registry.refuse_waiting()

    def back() -> None:
        if router.connected:
            liveness.back()
        registry.check()

    router.on_lost, router.on_back = lost, back
    if not router.connected:
        liveness.lost(since_ms=0)  # it is unknown here how long it has been so


def _health(
    options: Options,
    limits: Limits,
    redis: Client,
    feed: Feed,
    lag: Lag,
    liveness: Liveness,
    archive: Archive | None,
    files: TournamentFiles,
) -> Health:
    page = Page(options.web == "on", options.allow_origin, Previews(feed).title)
    pending = min(limits.pending, room_for_connections() // PENDING_PART)
    admission = Admission(options.max_connections, options.max_per_address, pending, limits=limits)
    hosts = KnownHosts(options.known_names)
    proxied, folder = options.behind_proxy, options.store_folder
    return Health(redis, lag, page, liveness, admission, hosts, archive, files, proxied, options.host, folder)
