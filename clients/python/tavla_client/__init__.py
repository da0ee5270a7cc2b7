"""The client library: a connection that keeps itself alive, and matches that are always in step with the server.

    async with Client("ws://localhost:8765", name="ada") as client:
        match = await client.join("grace")
        async for change in match.changes():
            ...

Imports the protocol alone. Everything here runs in one event loop; only `connection` knows about sockets.
"""

from tavla_client.client import Client
from tavla_client.connection import Link
from tavla_client.errors import ClientError, ConnectionFailed, Refused
from tavla_client.match import Change, Match

__all__ = ["Change", "Client", "ClientError", "ConnectionFailed", "Link", "Match", "Refused"]
