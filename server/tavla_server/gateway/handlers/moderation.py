"""Reports of players, and requests of moderators: the role is looked at each time."""

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.handlers.terms import take
from tavla_server.gateway.routes import Route, Routes, by_account_or_address
from tavla_server.gateway.text_filter import clean
from tavla_server.moderation.orders import Tell
from tavla_server.moderation.powers import Actor
from tavla_server.moderation.rulings import told
from tavla_server.player import Player

SHOWN = 50  # matches of one player in an answer


async def report(connection: Connection, request: m.Report) -> None:
    """Tell the moderators of someone. Guests of one address share their allowance."""
    services, by = connection.services, connection.player
    about, why = await services.accounts.named(request.player), reason_of(request.reason)
    if about.id == by.id:
        raise Refused(ErrorCode.NO_SUCH_PLAYER, "that is you: report somebody else")
    await take(connection, "reports", by_account_or_address(connection, request), services.limits.new_reports)
    session = connection.following.of(request.match)
    lines = services.lobby_chat.said_by(about.id) if session is None else list(session.talk.lines)
    complaint = m.Complaint(
        by=by.name, about=about.name, reason=why, time=services.clock.now_ms(), match=clean(request.match), lines=lines
    )
    await services.reports.add(complaint, connection.address)
    connection.send(m.Ok(id=request.id))


async def reports(connection: Connection, request: m.Reports) -> None:
    """A page of reports. A moderator sees none about himself."""
    by = _actor(connection)

    def is_wanted(complaint: m.Complaint) -> bool:
        return (
            complaint.about != by.name
            and (request.about or complaint.about).lower() == complaint.about.lower()
            and (request.by or complaint.by).lower() == complaint.by.lower()
        )

    page = await connection.services.reports.page(is_wanted, request.after, request.closed)
    connection.send(m.Reported(id=request.id, rows=page.rows, next=page.next))


async def resolve(connection: Connection, request: m.Resolve) -> None:
    """Close a report."""
    by, why = _actor(connection), reason_of(request.reason)
    await connection.services.powers.close_report(by, request.report, why)
    connection.send(m.Ok(id=request.id))


async def inspect(connection: Connection, request: m.Inspect) -> None:
    """Facts that a moderator may know of a player; of himself, not how often he was reported."""
    by, services = _actor(connection), connection.services
    player = await connection.services.accounts.named(request.player)
    shown = [(match, note.table) for match, note in await services.tables.of(player.id) if note.table is not None]
    connection.send(
        m.Inspected(
            id=request.id,
            name=player.name,
            kind=player.kind,
            rating=player.rating if player.rating is None else round(player.rating, 2),
            experience=player.experience,
            online=await services.presence.is_anywhere(player.id),
            role=role_of(connection, player),
            matches=dict(shown[:SHOWN]),
            penalties=[
                m.Penalty(what=known.what, reason=known.why, by=known.by, since=known.since_ms, until=known.until_ms)
                for known in services.ledger.penalties(player.name)
            ],
            reports=0 if player.id == by.id else await services.reports.about(player.name),
        )
    )


async def sanction(connection: Connection, request: m.Sanction) -> None:
    """Kick, mute or ban someone."""
    by, why, powers = _actor(connection), reason_of(request.reason), connection.services.powers
    if request.what == "kick":
        await powers.kick(by, request.player, why)
    else:
        await powers.penalize(by, request.what, request.player, why, request.minutes, request.addresses)
    connection.send(m.Ok(id=request.id))


async def pardon(connection: Connection, request: m.Pardon) -> None:
    """End a mute or a ban."""
    by, why = _actor(connection), reason_of(request.reason)
    await connection.services.powers.pardon(by, request.what, request.player, why)
    connection.send(m.Ok(id=request.id))


async def adjudicate(connection: Connection, request: m.Adjudicate) -> None:
    """End a match, or take back what it counted for. In a tournament, who has made it may do so, too."""
    why, services = reason_of(request.reason), connection.services
    by = await _judge(connection, request.match)
    match = await services.rulings.find(request.match)
    await services.powers.check_impartial(by, await services.rulings.players(match))
    await services.powers.audit.note(by.name, "adjudicate", f"{match} {request.verdict}", why)
    record = await services.rulings.carry_out(match, request.verdict, by.name, why)
    players = tuple(player.id for player in record.players if player)
    await services.ledger.order(Tell(players, told(record, request.verdict, why)))
    connection.send(m.Ok(id=request.id))


def role_of(connection: Connection, player: Player) -> str:
    """`moderator`, or "" for everybody else."""
    return "moderator" if connection.services.ledger.is_moderator(player.id) else ""


async def _judge(connection: Connection, match: str) -> Actor:
    """The one who may rule on a match. Raises: Refused if the player is no moderator, and its tournament another's."""
    session = await connection.services.registry.current(match)
    if session is not None and await connection.services.tournaments.directs(session.record, connection.player.id):
        return Actor(connection.player.name, connection.player.id)
    return _actor(connection)


def _actor(connection: Connection) -> Actor:
    """Raises: Refused if the player is no moderator."""
    if not role_of(connection, connection.player):
        raise Refused(ErrorCode.NOT_ALLOWED, "this is for moderators: report what you have seen, and one will look")
    return Actor(connection.player.name, connection.player.id)


def reason_of(text: str) -> str:
    """A reason as it can be shown. Raises: Refused if nothing of it can."""
    if reason := clean(text):
        return reason
    raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this reason that can be shown")


ROUTES: Routes = {
    m.Report: Route(report),
    m.Reports: Route(reports),
    m.Resolve: Route(resolve),
    m.Inspect: Route(inspect),
    m.Sanction: Route(sanction),
    m.Pardon: Route(pardon),
    m.Adjudicate: Route(adjudicate),
}
