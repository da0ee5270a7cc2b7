"""Tournaments: made, entered, left."""

import secrets

from msgspec.structs import replace
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.moderation import reason_of, role_of
from tavla_server.gateway.handlers.mutes import check_may_speak
from tavla_server.gateway.handlers.records import PAGES
from tavla_server.gateway.handlers.tables import check_may_play, current_player
from tavla_server.gateway.handlers.terms import read_rules, take
from tavla_server.gateway.routes import RequestRate, Route, Routes, by_player
from tavla_server.lobby import match_ids
from tavla_server.token_bucket import Rate
from tavla_server.tournaments.events import Opened
from tavla_server.tournaments.terms import check_terms
from tavla_server.tournaments.views import record_of

SEED_BYTES = 16


async def create(connection: Connection, request: m.CreateTournament) -> None:
    """Make a tournament; asked again by the same request, as after a lost connection, say which."""
    services, player = connection.services, connection.player
    if player.rating is None:
        raise Refused(ErrorCode.ACCOUNT_NEEDED, "tournaments are made by players with an account: register first")
    rules = _rules(request)
    check_may_speak(connection, "have another one make the tournament")
    id_ = match_ids.of_request(player.id, request.id)
    if await services.tournaments.registry.get(id_) is None:
        await _make(connection, request, id_, rules)
    connection.send(m.Organised(id=request.id, tournament=id_))


async def _make(connection: Connection, request: m.CreateTournament, id_: str, rules: Rules) -> None:
    services, player, registry = connection.services, connection.player, connection.services.tournaments.registry
    if registry.running_of(player.id) >= services.limits.tournaments:
        text = f"{services.limits.tournaments} of your tournaments are not over: wait for the end of one"
        raise Refused(ErrorCode.TOO_MANY, text)
    if len(registry.listed) >= services.limits.tournaments_listed:
        raise Refused(ErrorCode.TOO_MANY, "there are too many tournaments here: wait until some are over")
    await take(connection, "tournaments-by-player", player.id, services.limits.new_tournaments)
    starts_ms = services.clock.now_ms() + 1000 * request.starts
    ends_ms = starts_ms + 60_000 * request.minutes
    event = Opened(
        name=request.name,
        by=player,
        rules=rules,
        starts_ms=starts_ms,
        ends_ms=ends_ms,
        seed=secrets.token_bytes(SEED_BYTES),
        private=request.private,
        band=(request.min_rating, request.max_rating),
        format=request.format,
        rounds=request.rounds,
        round_ms=60_000 * request.minutes,
    )
    await services.tournaments.create(id_, event)


def _rules(request: m.CreateTournament) -> Rules:
    rules = read_rules(request.rules, quick=True)
    if request.max_rating and request.min_rating > request.max_rating:
        raise Refused(ErrorCode.BAD_RULES, "no rating is so low and so high: name a lower min_rating")
    check_terms(rules, request.format, request.minutes)
    return rules


async def enter(connection: Connection, request: m.EnterTournament) -> None:
    """Wait for a match."""
    tournaments = connection.services.tournaments
    opened = (await tournaments.registry.find(request.tournament)).state.opened
    assert opened is not None, "it was found"
    connection.following.check_room()
    player = await current_player(connection, opened.rules)
    await check_may_play(connection)
    await tournaments.enter(request.tournament, player, request.commitment, connection, request.id)
    connection.send(m.Ok(id=request.id))


async def leave(connection: Connection, request: m.LeaveTournament) -> None:
    """Wait no longer."""
    await connection.services.tournaments.leave(request.tournament, connection.player.id)
    connection.send(m.Ok(id=request.id))


async def direct(connection: Connection, request: m.DirectTournament) -> None:
    """Decide something of a tournament, as who has made it or as a moderator. It is written down first."""
    services, by = connection.services, connection.player
    opened = (await services.tournaments.registry.find(request.tournament)).state.opened
    assert opened is not None, "it was found"
    if by.id != opened.by.id and not role_of(connection, by):
        raise Refused(
            ErrorCode.NOT_ALLOWED, f"this is for {opened.by.name}, who made the tournament, and for moderators"
        )
    about = await services.accounts.named(request.player or "") if request.what in ("remove", "add") else None
    whom = [request.tournament, about.name if about else "", f"{request.minutes} min" if request.minutes else ""]
    why = reason_of(request.reason)
    await services.powers.audit.note(by.name, f"tournament-{request.what}", " ".join(filter(None, whom)), why)
    await services.tournaments.direct(request.tournament, request, by, about)
    connection.send(m.Ok(id=request.id))


async def record(connection: Connection, request: m.TournamentRecord) -> None:
    """The record of a tournament, or what there is of it so far."""
    services = connection.services
    state = await services.tournaments.past(request.tournament)
    page = record_of(request.tournament, state, request.after, services.limits.record_page)
    connection.send(replace(page, id=request.id))


async def past(connection: Connection, request: m.PastTournaments) -> None:
    """Those that are over, as far as the archive has them."""
    if connection.services.archive is None:
        raise Refused(ErrorCode.NO_ARCHIVE, "this server keeps no tournaments that are over")
    found, more = await connection.services.tournaments.keeper.past(request.after)
    connection.send(m.Held(id=request.id, tournaments=found, next=more))


ENTRIES = RequestRate("entries", Rate(1.0, 20.0), by_player, "you come and go too often")

ROUTES: Routes = {
    m.CreateTournament: Route(create),
    m.EnterTournament: Route(enter, ENTRIES),
    m.LeaveTournament: Route(leave, ENTRIES),
    m.DirectTournament: Route(direct, ENTRIES),
    m.TournamentRecord: Route(record, PAGES, is_open=True),
    m.PastTournaments: Route(past, PAGES, is_open=True),
}
