"""Handlers of requests: a module for each noun, with its routes."""

from functools import partial

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
from tavla_server.gateway.routes import Routes, answer

ROUTES: Routes = {
    **profiles.ROUTES,
    **records.ROUTES,
    **chat.ROUTES,
    **challenges.ROUTES,
    **identity.ROUTES,
    **matchmaking.ROUTES,
    **moderation.ROUTES,
    **listings.ROUTES,
    **tables.ROUTES,
}
HANDLERS = Handlers(act, partial(answer, ROUTES))
