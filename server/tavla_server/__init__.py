"""The server: sessions, the journal, the lobby and the gateway. All I/O of the game is here."""
