"""A server that says what a test tells it to, and a client that follows a match there."""

from collections.abc import AsyncIterator

import pytest
from tavla_client import Client

from tests.support.servers.scripted import Following, ScriptedServer, attached, scripted


@pytest.fixture
async def scripted_server() -> AsyncIterator[ScriptedServer]:
    async with scripted() as server:
        yield server


@pytest.fixture
async def following(scripted_server: ScriptedServer) -> AsyncIterator[Following]:
    """Seat 0 is to roll."""
    async with Client(scripted_server.url, name="ada") as client:
        connection = await scripted_server.accept()
        yield Following(client, connection, await attached(client, connection))
