"""The notice of the lobby: one line for what has happened to the user, with a bell where they are wanted."""

from contextlib import suppress

from tavla_client import Callbacks, Client, ClientError
from tavla_protocol import messages as m

from tavla_cli.screens.full_screen import FullScreen
from tavla_cli.text.absence import own_end_text
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import friend_text, unchallenged_text
from tavla_cli.text.story import void_while_seeking


class LobbyNotices:
    """The newest notice, from the client's callbacks or from the screen itself. text: as it is shown.

    friend: the newest of a friend.
    """

    def __init__(self, client: Client, screen: FullScreen) -> None:
        self._client, self._screen = client, screen
        self.text = ""
        self.friend: m.Friend | None = None
        self.callbacks = Callbacks(
            seated=self._on_seated,
            ended=self._on_ended,
            notice=lambda notice: self.call(f"the server says: {notice.text}"),
            friend=self._on_friend,
            challenge=lambda _: self.call(""),  # which the lobby shows by itself
            unchallenged=lambda challenged, why: self.tell(unchallenged_text(challenged, why)),
            void=lambda match: self.tell(void_while_seeking(match.view, match.seat, match.doubt)),
        )

    def tell(self, notice: str) -> None:
        """Show a notice, made safe for a terminal, in place of the one before; "" shows none."""
        self.text = f" {clean(notice)}" if notice else ""
        self._screen.redraw()

    def call(self, notice: str) -> None:
        """Show a notice, and ring: the user is wanted."""
        self.tell(notice)
        self._screen.ring()

    def _on_ended(self, ended: m.Ended) -> None:
        """Tell how a match has ended without the user."""

        async def tell() -> None:
            with suppress(ClientError):
                match = await self._client.attach(ended.match)
                if sentence := own_end_text(match.view, self._client.me.name):
                    self.tell(sentence)

        if self._screen.is_shown:
            self._screen.ring()
            self._screen.spawn(tell())

    def _on_seated(self, seated: m.Seated) -> None:
        """Tell of a player who waits at a table of the user."""
        self.call(f"{seated.name} has sat down at your table {seated.table}: choose the match to play")

    def _on_friend(self, friend: m.Friend) -> None:
        """Tell what a friend does, without a bell."""
        if told := friend_text(friend):
            self.friend = friend
            self.tell(told)
