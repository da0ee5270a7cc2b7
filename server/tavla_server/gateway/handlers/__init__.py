"""Handlers of requests: a module for each noun, with its routes."""

from functools import partial

from tavla_server.gateway.connection import Handlers
from tavla_server.gateway.handlers import (
    challenges,
    chat,
    daily,
    friends,
    identity,
    listings,
    matchmaking,
    moderation,
    profiles,
    records,
    tables,
    tournaments,
)
from tavla_server.gateway.handlers.match_actions import act
from tavla_server.gateway.routes import Routes, answer

MODULES = (
    profiles,
    records,
    daily,
    chat,
    challenges,
    friends,
    identity,
    matchmaking,
    moderation,
    listings,
    tables,
    tournaments,
)
ROUTES: Routes = {kind: route for module in MODULES for kind, route in module.ROUTES.items()}
HANDLERS = Handlers(act, partial(answer, ROUTES))
