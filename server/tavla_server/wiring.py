"""The parts of a server, put together; nothing runs yet."""

import asyncio
import secrets
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from tavla_server.chores import Chore
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.cluster.lag import Lag
from tavla_server.cluster.liveness import Liveness
from tavla_server.cluster.membership import RECONCILE_S, Membership
from tavla_server.connections import Store
from tavla_server.feature import Feature, handlers_of
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.analysis.deeper import DeeperLooks
from tavla_server.features.analysis.puzzles import Puzzles
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiving import Archiving
from tavla_server.features.challenges.challenges import Challenges
from tavla_server.features.chat.chat import Chat
from tavla_server.features.collection.collection import Collection
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.friends.friends import Friends
from tavla_server.features.hello.account_requests import AccountRequests
from tavla_server.features.hello.hello import Hello
from tavla_server.features.hello.token_renewal import RENEWALS, TokenRenewal
from tavla_server.features.leaving.leaving import Leaving
from tavla_server.features.lists.listings import Listings
from tavla_server.features.moderation.fair_play import FairPlayFigures
from tavla_server.features.moderation.moderation import Moderation
from tavla_server.features.page.page import Page
from tavla_server.features.page.preview import Previews
from tavla_server.features.people.people import People
from tavla_server.features.pictures.pictures import Pictures
from tavla_server.features.quick_match.quick_match import QuickMatch
from tavla_server.features.ratings.profiles import Profiles
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.records.records import Records
from tavla_server.features.results.results import Results
from tavla_server.features.reviews.reviews import Reviews
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tables.requests import TableRequests
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tournaments.requests import TournamentRequests
from tavla_server.gateway.admission import PENDING_PART, Admission
from tavla_server.gateway.core import Core
from tavla_server.gateway.costs import Costs
from tavla_server.gateway.http import Http, room_for_connections
from tavla_server.gateway.presence import Presence
from tavla_server.gateway.quotas import Quotas
from tavla_server.gateway.server import Gateway
from tavla_server.limits import Limits
from tavla_server.match.effects import Lane
from tavla_server.match.journal import Journal
from tavla_server.match.registry import Registry
from tavla_server.match.replication import Replication
from tavla_server.options import Options
from tavla_server.record.sealing import Sealer
from tavla_server.store import keys
from tavla_server.store.lock import Lock
from tavla_server.store.router import Router
from tavla_server.sweeps import Sweep, chores_of
from tavla_server.telemetry import certificates
from tavla_server.timings import Timings
from tavla_server.token_bucket import Rates


class Features(NamedTuple):
    """All features of a server, in order, and those that more than a connection asks."""

    all: tuple[Feature, ...]
    accounts: Accounts
    sanctions: Sanctions
    moderation: Moderation


class Parts(NamedTuple):
    """A server's parts: its core, what keeps that alive, and its features."""

    store: Store
    core: Core
    lag: Lag
    replication: Replication
    membership: Membership
    features: Features
    http: Http
    gateway: Gateway

    @property
    def lanes(self) -> list[Lane]:
        """The lanes of all features."""
        return [lane for feature in self.features.all for lane in feature.lanes]

    @property
    def sweeps(self) -> list[Sweep]:
        """The sweeps of the core and of all features."""
        timings, tokens = self.core.timings, TokenRenewal(self.features.accounts, self.gateway.keepalive)
        return [
            Sweep("membership", timings.sweep_s, self.membership.sweep, self.membership.forget),
            *chain.from_iterable(feature.sweeps for feature in self.features.all),
            Sweep("tokens", timings.token_renewal_s / RENEWALS, tokens.sweep),
            Sweep("feed", timings.sweep_s, self.core.feed.trim),
            Sweep("certificates", certificates.LOOK_S, certificates.look),
        ]

    def chores(self) -> list[Chore]:
        """The background tasks of a server, beside the feed's."""
        core, gateway = self.core, self.gateway
        return [
            *(lane.run for lane in self.lanes),
            *chain.from_iterable(feature.chores for feature in self.features.all),
            *chores_of(self.sweeps, core.feed.live),
            gateway.keepalive.run,
            self.replication.check,
            partial(core.liveness.run, lambda: self.replication.evict_dead_nodes(core.liveness.living)),
            core.presence.run,
            self.lag.run,
        ]


def assemble(
    options: Options, timings: Timings, limits: Limits, store: Store, archive: Archive | None, sealer: Sealer
) -> Parts:
    """The parts of a server on a store that it is connected to."""
    node, clock, redis = secrets.token_hex(4), Clock(), store.redis
    feed, journal, lag = Feed(redis, store.topology), Journal(redis, store.router, node), Lag(clock)
    liveness = Liveness(redis, clock, node, timings, lag)
    replication = Replication(store.pubsub, store.router, node)
    core = Core(
        node=node,
        redis=redis,
        pubsub=store.pubsub,
        feed=feed,
        clock=clock,
        liveness=liveness,
        presence=Presence(feed, clock, node),
        journal=journal,
        registry=Registry(journal, clock, liveness, replication, sealer, timings),
        quotas=Quotas(redis),
        rates=(rates := Rates(limits.rates)),
        costs=Costs(rates, limits),
        returns=asyncio.Semaphore(limits.returns),
        limits=limits,
        timings=timings,
        options=options,
    )
    _watch(store.router, liveness, core.registry)
    reconciling = Lock(redis, keys.LOBBY_RECONCILING(), node, RECONCILE_S)
    membership = Membership(node, feed, liveness, reconciling, core.presence.people_at.keys)
    membership.on_dead(core.presence.evict_dead_nodes)
    features = features_of(core, membership, archive)
    http = _http(core, lag, features.all)
    gateway = Gateway(core, handlers_of(features.all, features.accounts.tokens.use), http)
    return Parts(store, core, lag, replication, membership, features, http, gateway)


def features_of(core: Core, membership: Membership, archive: Archive | None) -> Features:
    """All features, in order: the only list. archive: None = what is over stays in the store."""
    sanctions, lists, reveals = Sanctions(core), Listings(core), Reveals(core.redis, core.clock)
    accounts = Accounts(core.redis, core.clock, Passwords(core.limits), core.timings, core.limits.tokens)
    tables, ratings = Tables(core), Ratings(core.redis, core.limits)
    table_requests = TableRequests(core, lists, sanctions, accounts, tables)
    friends, archiving = Friends(core, lists, accounts, tables), Archiving(core, archive)
    quick_match = QuickMatch(core, lists, tables, table_requests, reveals)
    challenges = Challenges(core, accounts, archive, tables, table_requests, friends.ignored)
    reviews = Reviews(core, accounts, friends.ignored)
    chat = Chat(core, lists, sanctions, reviews.rooms)
    records = Records(core, accounts, tables, reveals, archive)
    tournament_requests = TournamentRequests(
        core, lists, sanctions, accounts, tables, table_requests, quick_match.queue, archive
    )
    tournaments = tournament_requests.tournaments
    moderation = Moderation(core, sanctions, accounts, tables, chat, tournaments)
    # Where features meet: built last, and handed what they need of the others.
    results = Results(core, ratings, tables, archiving.archiver, quick_match.voids, tournament_requests.caretaker.score)
    leaving = Leaving(core, sanctions, accounts, archive, tournaments)
    membership.on_dead(quick_match.seekers.evict_dead_nodes)
    membership.on_left(results.reconciler.reconcile)
    others = (
        sanctions,
        lists,
        table_requests,
        friends,
        reveals,
        archiving,
        quick_match,
        challenges,
        reviews,
        chat,
        Profiles(accounts, ratings),
        records,
        Puzzles(core, archive),
        DeeperLooks(core, records, archive),
        Collection(core, archive),
        tournament_requests,
        People(core, lists, sanctions, tables, tournaments.registry),
        moderation,
        FairPlayFigures(sanctions, accounts, archive),
        results,
        leaving,
        AccountRequests(core, sanctions, accounts, tournaments, leaving.closings),
        Pictures(core, archive, tournaments),
        Page(core.options.web == "on", Previews(core.feed, tournaments.registry).title, core.options.behind_proxy),
    )
    hello = Hello(core, sanctions, accounts, reveals, tournaments, others)
    return Features((*others, hello), accounts, sanctions, moderation)


def _watch(router: Router, liveness: Liveness, registry: Registry) -> None:
    """Connect outages of the store, and their ends, to the matches."""

    def lost() -> None:
        liveness.note_outage()
        registry.refuse_waiting()

    def back() -> None:
        if router.masters.connected:
            liveness.back()
        registry.check()

    router.on_lost, router.on_back = lost, back
    if not router.masters.connected:
        liveness.note_outage(since_ms=0)  # it is unknown here how long it has been so


def _http(core: Core, lag: Lag, features: Sequence[Feature]) -> Http:
    options, limits = core.options, core.limits
    pending = min(limits.pending, room_for_connections() // PENDING_PART)
    admission = Admission(options.max_connections, options.max_per_address, pending, limits=limits)
    paths = [path for feature in features for path in feature.paths]
    troubles = [feature.trouble for feature in features]
    return Http(core.redis, lag, core.liveness, admission, core.costs, options, paths, troubles)
