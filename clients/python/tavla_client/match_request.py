"""Requests that lead to a match, and their end when the caller waits no longer."""

import asyncio
from contextlib import suppress

from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.errors import ClientError, Refused
from tavla_client.match import Match
from tavla_client.pledges import Pledges

GIVE_UP_S = 2.0  # for the server to hear that a seek is given up; a closed connection says so, too


async def request_match(channel: Channel, pledges: Pledges, request: m.RequestBase) -> Match:
    """The match that a request leads to, now or later. Raises: Refused; its pledge is forgotten then."""
    try:
        match = await channel.request(request)
    except Refused:
        pledges.forget(getattr(request, "commitment", ""))
        raise
    assert isinstance(match, Match), f"{request} is answered with a match"
    return match


async def give_up(channel: Channel, request: m.RequestBase) -> None:
    """Tell the server that we wait no longer, if it hears us soon."""
    with suppress(ClientError, TimeoutError):
        async with asyncio.timeout(GIVE_UP_S):
            await channel.request(request)
