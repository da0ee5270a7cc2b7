"""Account of the player that we are: its password, its tokens, its end."""

from tavla_protocol import messages as m

from tavla_client.channel import Channel
from tavla_client.identity import Identity


class Account:
    """Our account at the server; a guest makes one with `register`. Raises, each request: Refused, ConnectionFailed."""

    def __init__(self, channel: Channel, identity: Identity) -> None:
        self._channel, self._identity = channel, identity

    async def register(self, password: str) -> None:
        """Turn the guest that we are into an account, with the same name, id, token and matches."""
        await self._channel.request(m.Register(id=self._channel.new_id(), password=password))
        career = await self._channel.ask(m.Profile(id=self._channel.new_id(), name=self._identity.name or ""), m.Career)
        self._identity.kind, self._identity.rating = career.kind, career.rating

    async def rename(self, name: str) -> None:
        """Be called otherwise, as a guest, with the same id, token, matches and places in tournaments."""
        await self._channel.request(m.Rename(id=self._channel.new_id(), name=name))
        self._identity.name = name

    async def change_password(self, old: str, new: str) -> None:
        """Another password for our account; all other sessions that logged in with the old one end."""
        await self._channel.request(m.Password(id=self._channel.new_id(), old=old, new=new))

    async def logout(self, everywhere: bool = False) -> None:
        """Revoke our token, or all of our account's. A guest is forgotten. The client is of no more use then."""
        await self._channel.request(m.Logout(id=self._channel.new_id(), everywhere=everywhere))
        self._identity.token = None

    async def close(self, password: str) -> None:
        """Close our account for good; in others' matches we become `someone`. The client is of no more use then."""
        await self._channel.request(m.CloseAccount(id=self._channel.new_id(), password=password))
        self._identity.token = None
