"""Rulings: a match that is ended, or does not count, by a decision of a moderator or an operator."""

from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Verdict

from tavla_server.errors import Refused
from tavla_server.features.tables.tables import Tables
from tavla_server.match.lifecycle import ruling, submit_and_wait
from tavla_server.match.registry import Registry
from tavla_server.record.state import Record

SAID: dict[Verdict, str] = {"void": "does not count", "white": "is won by white", "black": "is won by black"}


class Rulings:
    """Rulings, carried out for a match, on any node. All raise Refused and StoreUnavailable."""

    def __init__(self, tables: Tables, registry: Registry) -> None:
        self._tables, self._registry = tables, registry

    async def find(self, table: str) -> Record:
        """A match that the store has, by its id or by the name of its table."""
        for match in (table, await self._tables.names.find(table)):
            if match and (session := await self._registry.current(match)) is not None:
                return session.record
        text = f"the store has no match {table}: one that has left it for the archive stays as it is"
        raise Refused(ErrorCode.NO_SUCH_MATCH, text)

    async def carry_out(self, match: str, verdict: Verdict, judge: str, why: str) -> Record:
        """Write it into the match's journal, and wait for that; the match then."""
        session = await self._registry.current(match)
        if session is None:
            raise Refused(ErrorCode.NO_SUCH_MATCH, f"there is no match {match}")
        await submit_and_wait(session, ruling(verdict, judge, why))
        return session.record


def notice_text(record: Record, verdict: Verdict, judge: str, why: str) -> str:
    """The notice to the players."""
    names = " and ".join(player.name for player in record.players if player)
    who = "the director of the tournament" if judge == "director" else f"a {judge}"
    return f"{who} has decided: the match of {names} {SAID[verdict]}" + (why and f": {why}")
