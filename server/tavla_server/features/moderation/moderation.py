"""Moderation: reports of players, and requests of moderators, whose role is looked at each time."""

from collections.abc import Callable

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.feature import Feature
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.chat.chat import Chat
from tavla_server.features.moderation.powers import Actor, Powers
from tavla_server.features.moderation.reports import Report, Reports, complaints_of
from tavla_server.features.moderation.rulings import Rulings, notice_text
from tavla_server.features.sanctions.orders import Tell
from tavla_server.features.sanctions.sanctions import Sanctions
from tavla_server.features.tables.tables import Tables
from tavla_server.features.tournaments.tournaments import Tournaments
from tavla_server.gateway import costs
from tavla_server.gateway.connection import Connection
from tavla_server.gateway.core import Core
from tavla_server.gateway.routes import Route, by_account_or_address
from tavla_server.gateway.text_filter import clean, clean_reason
from tavla_server.record.state import Record

SHOWN = 50  # matches of one player in an answer


class Moderation(Feature):
    """The moderation of a server: what players report, and what moderators decide."""

    def __init__(
        self, core: Core, sanctions: Sanctions, accounts: Accounts, tables: Tables, chat: Chat, tournaments: Tournaments
    ) -> None:
        self._core, self._sanctions, self.accounts = core, sanctions, accounts
        self.tables, self._chat, self._tournaments = tables, chat, tournaments
        self.reports, self.rulings = Reports(core.redis, core.limits), Rulings(tables, core.registry)
        self.powers = Powers(accounts, sanctions.ledger, sanctions.audit, self.reports, core.clock)
        self.routes = (
            Route(m.Report, self.report, cost=costs.A_CHANGE),
            Route(m.Reports, self.reports_page),
            Route(m.Resolve, self.resolve),
            Route(m.Inspect, self.inspect),
            Route(m.Sanction, self.sanction),
            Route(m.Pardon, self.pardon),
            Route(m.Adjudicate, self.adjudicate),
        )

    async def report(self, connection: Connection, request: m.Report) -> None:
        """Tell the moderators of someone. Guests of one address share their allowance."""
        by = connection.player
        about, why = await self.accounts.player_of_name(request.player), clean_reason(request.reason)
        if about.id == by.id:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "that is you: report somebody else")
        await self._core.quotas.take(
            "reports", by_account_or_address(connection, request), self._core.limits.new_reports
        )
        complaint = m.Complaint(
            by=by.name,
            about=about.name,
            reason=why,
            time=self._core.clock.now_ms(),
            match=clean(request.match),
            lines=self._chat.quotation(connection, request.match, about.id),
        )
        await self.reports.add(complaint, by.id, about.id, connection.address)
        connection.send(m.Ok(id=request.id))

    async def reports_page(self, connection: Connection, request: m.Reports) -> None:
        """A page of reports. A moderator sees none about himself."""
        own = await self.accounts.heirs.ids_of(self._actor(connection).id)
        about, by = await self._meant(request.about), await self._meant(request.by)

        def is_wanted(row: Report) -> bool:
            names = row.complaint
            return row.about not in own and about(row.about, names.about) and by(row.by, names.by)

        page = await self.reports.page(is_wanted, request.after, request.closed)
        rows = await complaints_of(page.rows, self.accounts)
        connection.send(m.Reported(id=request.id, rows=rows, next=page.next))

    async def _meant(self, name: str | None) -> Callable[[str, str], bool]:
        """Tells if a player, by id and the name of then, is the one of this name now; of then, if there is none."""
        if name is None:
            return lambda _id, _name: True
        player = await self.accounts.find(name)
        if player is None:
            return lambda _id, then: then.lower() == name.lower()
        ids = await self.accounts.heirs.ids_of(player.id)
        return lambda id_, _name: id_ in ids

    async def resolve(self, connection: Connection, request: m.Resolve) -> None:
        """Close a report."""
        by, why = self._actor(connection), clean_reason(request.reason)
        await self.powers.close_report(by, request.report, why)
        connection.send(m.Ok(id=request.id))

    async def inspect(self, connection: Connection, request: m.Inspect) -> None:
        """Facts that a moderator may know of a player; of himself, not how often he was reported."""
        by = self._actor(connection)
        player = await self.accounts.player_of_name(request.player)
        shown = [(match, note.table) for match, note in await self.tables.of(player.id) if note.table is not None]
        reports = 0 if player.id == by.id else await self.reports.about(await self.accounts.heirs.ids_of(player.id))
        connection.send(
            m.Inspected(
                id=request.id,
                name=player.name,
                kind=player.kind,
                rating=player.rating if player.rating is None else round(player.rating, 2),
                experience=player.experience,
                online=await self._core.presence.is_anywhere(player.id),
                role=self._sanctions.role_of(player),
                matches=dict(shown[:SHOWN]),
                penalties=[
                    m.Penalty(
                        what=known.what, reason=known.why, by=known.by, since=known.since_ms, until=known.until_ms
                    )
                    for known in self._sanctions.ledger.penalties(player.name)
                ],
                tournaments=self._tournaments.registry.made_by(player.id),
                reports=reports,
            )
        )

    async def sanction(self, connection: Connection, request: m.Sanction) -> None:
        """Kick, mute or ban someone."""
        by, why, powers = self._actor(connection), clean_reason(request.reason), self.powers
        await self._check_no_stake(by, request.what, request.player, why)
        if request.what == "kick":
            await powers.kick(by, request.player, why)
        else:
            await powers.penalize(by, request.what, request.player, why, request.minutes, request.addresses)
        connection.send(m.Ok(id=request.id))

    async def _check_no_stake(self, by: Actor, what: str, name: str, why: str) -> None:
        """Raises: Refused to keep away, or silence, whom the moderator plays now, or who has reported the moderator."""
        player = await self.accounts.player_of_name(name)
        plays = any(player.id in note.players for _, note in await self.tables.of(by.id))
        both = [await self.accounts.heirs.ids_of(id_) for id_ in (player.id, by.id)]
        if plays or await self.reports.has_reported(*both):
            await self.powers.audit.note(by.name, what, f"{player.name}, refused as an own affair", why)
            how = "plays against you now" if plays else "has reported you"
            raise Refused(ErrorCode.NOT_ALLOWED, f"{player.name} {how}: ask another moderator, or the operator")

    async def pardon(self, connection: Connection, request: m.Pardon) -> None:
        """End a mute or a ban."""
        by, why = self._actor(connection), clean_reason(request.reason)
        await self.powers.pardon(by, request.what, request.player, why)
        connection.send(m.Ok(id=request.id))

    async def adjudicate(self, connection: Connection, request: m.Adjudicate) -> None:
        """End a match, or take back what it counted for. In a tournament, who has made it may do so, too."""
        why, by = clean_reason(request.reason), connection.player
        record = await self._record(connection, request.match)
        tournament = await self._tournaments.of_match(record)
        directs = tournament is not None and tournament.plan.by.id == by.id
        actor = Actor(by.name, by.id) if directs else self._actor(connection)
        if directs and record.match.rules.rated:
            text = "the matches of this tournament are rated: a moderator rules on them, and no director"
            raise Refused(ErrorCode.NOT_ALLOWED, text)
        players = [player for player in record.players if player]
        others = [] if tournament is None else [tournament.entrants[id_].player.id for id_ in tournament.playing_ids()]
        names = " and ".join(player.name for player in players)
        whom = f"{record.id} {request.verdict}, of {names}"
        await self.powers.use(actor, "adjudicate", whom, why, [*(player.id for player in players), *others])
        shown = "" if self._sanctions.mute_of(connection) else why
        judge = "director" if directs else "moderator"
        record = await self.rulings.carry_out(record.id, request.verdict, judge, shown)
        text = notice_text(record, request.verdict, judge, shown)
        await self._sanctions.ledger.order(Tell(tuple(player.id for player in players), text))
        connection.send(m.Ok(id=request.id))

    async def _record(self, connection: Connection, match: str) -> Record:
        """A match to rule on. Raises: Refused; who is no moderator is not told which there are."""
        try:
            return await self.rulings.find(match)
        except Refused:
            if self._sanctions.role_of(connection.player):
                raise
            text = "this is for moderators, and in a tournament for its director: name the match by its id"
            raise Refused(ErrorCode.NOT_ALLOWED, text) from None

    def _actor(self, connection: Connection) -> Actor:
        """Raises: Refused if the player is no moderator."""
        if not self._sanctions.role_of(connection.player):
            raise Refused(ErrorCode.NOT_ALLOWED, "this is for moderators: report what you have seen, and one will look")
        return Actor(connection.player.name, connection.player.id)
