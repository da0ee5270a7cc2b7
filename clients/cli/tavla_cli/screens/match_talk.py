"""Talk at a match: what its users say, hear no more of, and who is there to hear it."""

from collections.abc import Callable

from tavla_client import Client, Match
from tavla_protocol import messages as m

from tavla_cli.input.parsing import BadCommand
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import person_text


class MatchTalk:
    """The commands to talk in a match. show: shows a sentence."""

    def __init__(self, client: Client, match: Match, show: Callable[[str], None]) -> None:
        self._client, self._match, self._show = client, match, show

    async def say(self, text: str) -> None:
        """Say something to those of our kind; a phrase alone is sent as such."""
        self._check_name()
        phrase: m.Phrase | None = next((known for known in m.PHRASES if known == text.lower()), None)
        if len(text) > m.TEXT_LENGTH:
            raise BadCommand(f"this has {len(text)} characters: {m.TEXT_LENGTH} can be said at once")
        await self._match.say("" if phrase else text, phrase=phrase)

    async def tell(self, argument: str) -> None:
        """Say something to one's opponent, or to all who watch: other names are not at this match."""
        self._check_name()
        whom, *rest = argument.split(maxsplit=1)
        view, seat = self._match.view, self._match.seat
        if not rest:
            raise BadCommand(f"tell {clean(whom)} what? type a sentence behind the name")
        opponent = None if seat is None else view.players[1 - seat]
        if whom.lower() == "watchers":
            await self._match.say(rest[0], to="watchers")
        elif opponent is not None and whom.lower() == opponent.lower():
            await self.say(rest[0])
        else:
            raise BadCommand(f"{clean(whom)} does not play against you: in tavla lobby all who are there can be told")

    async def mute(self, whom: str, on: bool = True) -> None:
        """Hear no more of a player, or of the watchers; or hear them again."""
        if whom.lower() == "watchers":
            await self._match.hush(on)
        else:
            await self._match.ignore(whom, on)
        self._show(f"you hear {'no more' if on else 'again'} of {clean(whom)}")

    async def people(self) -> list[tuple[str, str]]:
        """Names of all who are at the server, and what there is to say of each."""
        people = await self._client.lobby.people()
        return [(name, person_text(people[name])) for name in sorted(people, key=str.lower)]

    def _check_name(self) -> None:
        """Refuse watchers without a name: they cannot talk."""
        if not self._client.me.name:
            raise BadCommand("you watch without a name: to say something, watch with --as NAME")
