"""Record of a match, asked for page by page, as fast as the server allows."""

import asyncio
from typing import TypeVar

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.connection import MAX_RETRY_AFTER_S
from tavla_client.errors import ClientError, Refused

MAX_EVENTS = 50_000  # three times those of the longest match that can be played to 64 points

R = TypeVar("R")


async def fetch(channel: Channel, match: str, after: int = 0, code: str = "") -> m.Recorded:
    """Record of a match, after a seq. Raises: ClientError."""

    def request(after: int) -> m.Record:
        return m.Record(id=channel.new_id(), match=match, after=after, code=code)

    page = whole = await patiently(channel, request(after), m.Recorded)
    while page.next is not None:
        if page.next <= after or len(whole.events) > MAX_EVENTS:
            raise ClientError("the server tells the same page again")
        after = page.next
        page = await patiently(channel, request(after), m.Recorded)
        whole = replace(whole, seq=page.seq, events=whole.events + page.events, next=None)
    return whole


async def patiently(channel: Channel, request: m.RequestBase, kind: type[R]) -> R:
    """Ask again, when a limit says how long to wait: there may be many pages."""
    while True:
        try:
            return await channel.ask(request, kind)
        except Refused as refused:
            if not 0 < refused.retry_after <= (channel.patience_s or MAX_RETRY_AFTER_S):
                raise
            await asyncio.sleep(refused.retry_after)
            request = replace(request, id=channel.new_id())
