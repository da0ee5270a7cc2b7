"""The server: sessions, the journal, the lobby and the gateway. All I/O of the game is here."""

from tavla_protocol import __version__

__all__ = ["__version__"]
