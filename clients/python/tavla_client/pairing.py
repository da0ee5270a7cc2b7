"""How two come to a match: challenges, and the quick matches that are sought. No I/O."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.errors import PlayStopped, Refused
from tavla_client.identity import Identity
from tavla_client.match import Match
from tavla_client.pledges import Pledges
from tavla_client.requests import Requests

_VERDICTS = {
    "declined": "{} does not want to play now",
    "withdrawn": "you took your challenge back",
    "expired": "{} has not answered",
}


class Pairing:
    """Which request of ours a challenge or a match that the server speaks of belongs to.

    challenges: those that are open, by us and to us, by their ids. tell_challenge, tell_verdict, tell_void:
    `on_challenge`, `on_unchallenged` and `on_void` of `Client`.
    made: matches that wait for their opponent -> the id of the seek or challenge that wants them.
    """

    def __init__(self, requests: Requests, identity: Identity, pledges: Pledges) -> None:
        self.challenges: dict[str, m.Challenged] = {}
        self.tell_challenge: Callable[[m.Challenged], None] | None = None
        self.tell_verdict: Callable[[m.Challenged, str], None] | None = None
        self.tell_void: Callable[[Match], None] | None = None
        self.made: dict[str, int] = {}
        self._ours: dict[str, int] = {}  # our challenges that wait for an answer -> the id of the request
        self._requests, self._identity, self._pledges = requests, identity, pledges

    def challenge_of(self, request: m.RequestBase) -> str | None:
        """The challenge that a request of ours has made, if it still waits for an answer."""
        return next((challenge for challenge, id_ in self._ours.items() if id_ == request.id), None)

    def reset(self, followed: Mapping[str, Match]) -> None:
        """The connection is another one. The server tells again of challenges that are open, and has told of some."""
        self.challenges.clear()
        self._ours.clear()
        self.made = {match: seek for match, seek in self.made.items() if match in followed}

    def on_matched(self, matched: m.Matched) -> None:
        """A match was made, for a seek or a challenge of ours."""
        self.challenges.pop(matched.match, None)
        if matched.match not in self._identity.matches:
            self._identity.matches.append(matched.match)
        request = matched.seek if matched.seek is not None else self._ours.pop(matched.match, None)
        if request in self._requests.pending:
            self.made[matched.match] = request
        if matched.seek is not None:
            self.seek_again()

    def on_challenged(self, challenged: m.Challenged) -> None:
        """Somebody challenges us, or we them."""
        is_new = challenged.challenge not in self.challenges
        self.challenges[challenged.challenge] = challenged
        if challenged.id in self._requests.pending:
            self._ours[challenged.challenge] = challenged.id
        elif challenged.id is not None:  # we gave up before the answer came
            self._requests.issue(m.Withdraw(id=self._requests.new_id(), challenge=challenged.challenge))
        elif is_new and challenged.by != self._identity.name and self.tell_challenge is not None:
            self.tell_challenge(challenged)

    def on_unchallenged(self, unchallenged: m.Unchallenged) -> None:
        """A challenge is open no longer."""
        challenged = self.challenges.pop(unchallenged.challenge, None)
        if unchallenged.why != "accepted" and challenged is not None:
            text = _VERDICTS.get(unchallenged.why, unchallenged.why).format(challenged.to)
            request = self._ours.pop(unchallenged.challenge, None)
            self._requests.resolve(request, Refused(unchallenged.why, text))
        if challenged is not None and challenged.by != self._identity.name and self.tell_verdict is not None:
            self.tell_verdict(challenged, unchallenged.why)

    def on_begun(self, match: Match) -> None:
        """The opponent of a match is there: who waited for it gets it."""
        self._requests.resolve(self.made.pop(match.id, None), match)

    def on_dropped(self, match: Match) -> None:
        """A match is followed no longer. Who still waited for it to begin seeks on, or is told why it does not."""
        request = self.made.pop(match.id, None)
        if request is None:
            return
        pending = self._requests.pending.get(request)
        if match.dice.fault:  # to seek on would be to give the dice another try
            self._requests.resolve(request, PlayStopped(match.dice.fault))
        elif pending is not None and not isinstance(pending.request, m.Seek) and match.view.phase == "over":
            late = " and ".join(match.view.players[seat] or "" for seat in match.view.unrevealed)
            why = (
                f"no seed for the dice came from {late}" if match.view.outcome is None else "a moderator has decided so"
            )
            self._requests.resolve(request, Refused("void", f"the match is void: {why}"))
        elif (
            pending is not None and match.view.unrevealed and match.view.phase == "over" and self.tell_void is not None
        ):
            self.tell_void(match)
        self.seek_again()

    def seek_again(self) -> None:
        """The server has ended all that we seek: whatever is still waited for is sought again.

        A seed that was revealed for a match that came to nothing is known: another one takes its place.
        """
        made = self.made.values()
        for id_, pending in list(self._requests.pending.items()):
            if isinstance(pending.request, m.Seek) and id_ not in made:
                request = replace(pending.request, commitment=self._pledges.renew(pending.request.commitment))
                self._requests.pending[id_] = pending._replace(request=request)
                self._requests.enqueue(request)
