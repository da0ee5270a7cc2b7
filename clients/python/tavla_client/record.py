"""Record of a match, asked for page by page, as fast as the server allows."""

import asyncio
from typing import overload

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.connection import MAX_RETRY_AFTER_S
from tavla_client.errors import ClientError, Refused

MAX_EVENTS = 50_000  # three times those of the longest match that can be played to 64 points


async def fetch(channel: Channel, match: str, after: int = 0, code: str = "") -> m.Recorded:
    """Record of a match, after a seq. Raises: ClientError."""
    page = whole = await patiently(channel, m.Record(id=channel.new_id(), match=match, after=after, code=code))
    while page.next is not None:
        if page.next <= after or len(whole.events) > MAX_EVENTS:
            raise ClientError("the server tells the same page again")
        after = page.next
        page = await patiently(channel, m.Record(id=channel.new_id(), match=match, after=after, code=code))
        whole = replace(whole, seq=page.seq, events=whole.events + page.events, next=None)
    return whole


@overload
async def patiently(channel: Channel, request: m.History) -> m.Played: ...
@overload
async def patiently(channel: Channel, request: m.Record) -> m.Recorded: ...
@overload
async def patiently(channel: Channel, request: m.TournamentRecord) -> m.TournamentRecorded: ...
@overload
async def patiently(channel: Channel, request: m.PastTournaments) -> m.Held: ...
async def patiently(
    channel: Channel, request: m.History | m.Record | m.TournamentRecord | m.PastTournaments
) -> m.Played | m.Recorded | m.TournamentRecorded | m.Held:
    """Ask again, when a limit says how long to wait: there may be many pages."""
    while True:
        try:
            page = await channel.request(request)
        except Refused as refused:
            if not 0 < refused.retry_after <= (channel.patience_s or MAX_RETRY_AFTER_S):
                raise
            await asyncio.sleep(refused.retry_after)
            request = replace(request, id=channel.new_id())
        else:
            assert isinstance(page, m.Played | m.Recorded | m.TournamentRecorded | m.Held), "its answer"
            return page
