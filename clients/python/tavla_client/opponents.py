"""Ways to an opponent: challenges, and the quick matches that are sought."""

from typing import TYPE_CHECKING

from tavla_protocol import messages as m

from tavla_client.errors import Refused
from tavla_client.match import Match
from tavla_client.requests import Requests

if TYPE_CHECKING:
    from tavla_client.channel import Channel

_VERDICTS = {
    "declined": "{} does not want to play now",
    "withdrawn": "you took your challenge back",
    "expired": "{} has not answered",
}


class Opponents:
    """Which request of ours a challenge or a match that the server speaks of belongs to.

    challenging: our challenges that wait for an answer -> the id of the request. made: matches that wait for their
    opponent -> the id of the seek that wants them.
    """

    def __init__(self, channel: "Channel", requests: Requests) -> None:
        self.challenging: dict[str, int] = {}
        self.made: dict[str, int] = {}
        self._channel, self._requests = channel, requests

    def begin_again(self, followed: dict[str, Match]) -> None:
        """The connection is another one. The server tells again of challenges that are open, and has told of some."""
        self._channel.challenges.clear()
        self.challenging.clear()
        self.made = {match: seek for match, seek in self.made.items() if match in followed}

    def on_matched(self, matched: m.Matched) -> None:
        """A match was made, for a seek or a challenge of ours."""
        channel = self._channel
        channel.challenges.pop(matched.match, None)
        if matched.match not in channel.matches:
            channel.matches.append(matched.match)
        request = matched.seek if matched.seek is not None else self.challenging.pop(matched.match, None)
        if request in self._requests.waiting:
            self.made[matched.match] = request
        if matched.seek is not None:
            self.seek_on()

    def on_challenged(self, challenged: m.Challenged) -> None:
        """Somebody challenges us, or we them."""
        channel = self._channel
        is_new = challenged.challenge not in channel.challenges
        channel.challenges[challenged.challenge] = challenged
        if challenged.id in self._requests.waiting:
            self.challenging[challenged.challenge] = challenged.id
        elif challenged.id is not None:  # we gave up before the answer came
            self._requests.ask_ourselves(m.Withdraw(id=self._requests.new_id(), challenge=challenged.challenge))
        elif is_new and challenged.by != channel.name and channel.on_challenge is not None:
            channel.on_challenge(challenged)

    def on_unchallenged(self, unchallenged: m.Unchallenged) -> None:
        """A challenge is open no longer."""
        channel = self._channel
        challenged = channel.challenges.pop(unchallenged.challenge, None)
        if unchallenged.why != "accepted" and challenged is not None:
            text = _VERDICTS.get(unchallenged.why, unchallenged.why).format(challenged.to)
            request = self.challenging.pop(unchallenged.challenge, None)
            self._requests.answer(request, Refused(unchallenged.why, text))
        if challenged is not None and challenged.by != channel.name and channel.on_unchallenged is not None:
            channel.on_unchallenged(challenged, unchallenged.why)

    def on_begun(self, match: Match) -> None:
        """The opponent of a match is there: who waited for it gets it."""
        self._requests.answer(self.made.pop(match.id, None), match)

    def on_dropped(self, match: Match) -> None:
        """A match is followed no longer. If a seek still waited for it to begin, nobody came: it goes on."""
        if self.made.pop(match.id, None) is not None:
            self.seek_on()

    def seek_on(self) -> None:
        """The server has ended all that we seek: whatever is still waited for is sought again."""
        made = self.made.values()
        for id_, pending in self._requests.waiting.items():
            if isinstance(pending.request, m.Seek) and id_ not in made:
                self._requests.send(pending.request)
