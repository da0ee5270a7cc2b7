"""Record of a match, asked for page by page, as fast as the server allows."""

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.connection import MAX_RETRY_AFTER_S
from tavla_client.errors import ClientError, Refused

ENDLESS = "the server tells the same page again"
MAX_EVENTS = 50_000  # three times those of the longest match that can be played to 64 points

Request = TypeVar("Request", m.Record, m.History, m.Collection, m.TournamentRecord, m.PastTournaments)
Page = TypeVar("Page", m.Recorded, m.Played, m.Collected, m.TournamentRecorded, m.Held)
AnyRequest = TypeVar("AnyRequest", bound=m.RequestBase)
AnyReply = TypeVar("AnyReply", bound=m.Message)


async def fetch(channel: Channel, match: str, after: int = 0, code: str = "") -> m.Recorded:
    """Record of a match, after a seq. Raises: ClientError."""
    whole: m.Recorded | None = None
    request = m.Record(id=channel.new_id(), match=match, after=after, code=code)
    async for page in pages(channel, request, m.Recorded):
        whole = page if whole is None else replace(whole, seq=page.seq, events=whole.events + page.events, next=None)
        if page.next is not None and len(whole.events) > MAX_EVENTS:
            raise ClientError(ENDLESS)
    assert whole is not None, "there is a first page"
    return whole


async def ask_patiently(channel: Channel, request: AnyRequest, kind: type[AnyReply]) -> AnyReply:
    """Ask again what a limit has refused, after as long as it says: there may be much to ask. Raises: ClientError."""
    while True:
        try:
            return await channel.ask(request, kind)
        except Refused as refused:
            if not 0 < refused.retry_after <= (channel.patience_s or MAX_RETRY_AFTER_S):
                raise
            await asyncio.sleep(refused.retry_after)
            request = replace(request, id=channel.new_id())


async def pages(channel: Channel, request: Request, kind: type[Page]) -> AsyncIterator[Page]:
    """Pages from the one that is asked for on, as fast as the server allows. Raises: ClientError, too, for no end."""
    while True:
        page = await ask_patiently(channel, request, kind)
        yield page
        if page.next is None:
            return
        if page.next == request.after or (isinstance(page.next, int) and page.next < int(request.after)):
            raise ClientError(ENDLESS)
        request = replace(request, id=channel.new_id(), after=page.next)
