"""Identity of a player at a server: sent in hello, completed by the welcome. No I/O."""

from collections.abc import Callable

from tavla_protocol import messages as m


class Identity:
    """The identity of a player, as of the last welcome.

    player: the server's id for us. kind: guest, account or bot. rating: None without an account. matches: ids of ours
    that were not over at the last welcome, or were made by a seek since. ended: of those that ended while we were away,
    as of the last welcome. role: `moderator`, or "". voids: how many matches are void at the server, and of how many.
    gone: from when to when matches are gone there, in ms since 1970, since a backup was brought back; None = none.
    server: its version. on_token: called with each new token.
    """

    def __init__(
        self,
        name: str | None,
        password: str | None,
        token: str | None,
        bot: bool,
        on_token: Callable[[str], None] | None,
    ) -> None:
        self.name, self.token = name, token
        self.player: str | None = None
        self.kind = "guest"
        self.rating: float | None = None
        self.matches: list[str] = []
        self.ended: list[str] = []
        self.role = ""
        self.voids = (0, 0)
        self.gone: tuple[int, int] | None = None
        self.server = ""
        self._password, self._bot = password, bot
        self._on_token = on_token

    def hello(self, id_: int) -> m.Hello:
        """First message on a connection."""
        if self.token:
            return m.Hello(id=id_, token=self.token, bot=self._bot)
        if self.name is None:
            return m.Hello(id=id_, watch=True)
        return m.Hello(id=id_, name=self.name, password=self._password, bot=self._bot)

    def on_welcome(self, welcome: m.Welcome) -> None:
        """The server knows us, or lets us look on."""
        self.player, self.name, self.matches = welcome.player, welcome.name or None, welcome.matches
        self.kind, self.rating, self.ended = welcome.kind, welcome.rating, welcome.ended
        self.role, self.voids, self.server = welcome.role, welcome.voids, welcome.server
        self.gone = welcome.gone
        self._password = None  # from now on there is a token
        if welcome.token and welcome.token != self.token:
            self.token = welcome.token
            if self._on_token is not None:
                self._on_token(welcome.token)
