"""Handlers of requests: a module for each noun, and the tables in which a connection looks them up."""

from tavla_server.gateway.connection import Handlers
from tavla_server.gateway.handlers import (
    challenges,
    chat,
    identity,
    listings,
    matchmaking,
    moderation,
    profiles,
    records,
    tables,
)
from tavla_server.gateway.handlers.match_actions import act

HANDLERS = Handlers(
    act,
    {
        **profiles.HANDLERS,
        **records.HANDLERS,
        **chat.HANDLERS,
        **challenges.HANDLERS,
        **identity.HANDLERS,
        **matchmaking.HANDLERS,
        **moderation.HANDLERS,
        **listings.HANDLERS,
        **tables.HANDLERS,
    },
)
