"""Friends: players whom we follow."""

from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.dispatcher import Dispatcher


class Friends:
    """The players whom we follow, as only we know. What they do is told by `Callbacks.friend`, after `watch`.

    Raises, each request: Refused, ConnectionFailed.
    """

    def __init__(self, channel: Channel, dispatcher: Dispatcher) -> None:
        self._channel, self._dispatcher = channel, dispatcher

    async def follow(self, player: str, on: bool = True) -> None:
        """Follow a player; on=False takes it back."""
        await self._channel.request(m.Follow(id=self._channel.new_id(), player=player, on=on))

    async def list(self) -> m.Following:
        """The players whom we follow, and whether others may follow us."""
        request = m.Friends(id=self._channel.new_id(), notices=self._dispatcher.wants_notices)
        return await self._channel.ask(request, m.Following)

    async def watch(self) -> m.Following:
        """The same, and from now on notices, on later connections, too."""
        self._dispatcher.wants_notices = True
        return await self.list()

    async def allow_followers(self, on: bool) -> None:
        """Let others follow us, or nobody."""
        await self._channel.request(m.Followers(id=self._channel.new_id(), on=on))
