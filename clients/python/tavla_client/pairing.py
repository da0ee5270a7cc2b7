"""Pairing of two players: challenges, and quick matches that are sought. No I/O."""

from collections.abc import Mapping

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


SOUGHT = m.Seek | m.EnterTournament  # requests that wait for a match, and go on when it came to nothing


class Pairing:
    """Requests of ours, by the challenges and matches that the server made of them.

    challenges: those that are open, by us and to us, by their ids.
    made: matches that wait for their opponent -> the id of the seek or challenge that wants them.
    """

    def __init__(self, requests: Requests, identity: Identity, pledges: Pledges) -> None:
        self.challenges: dict[str, m.Challenged] = {}
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

    def on_challenged(self, challenged: m.Challenged) -> bool:
        """Take in a challenge, by us or to us. Returns: whether it is one to us that we had not heard of."""
        is_new = challenged.challenge not in self.challenges
        self.challenges[challenged.challenge] = challenged
        if challenged.id in self._requests.pending:
            self._ours[challenged.challenge] = challenged.id
        elif challenged.id is not None:  # we gave up before the answer came
            self._requests.issue(m.Withdraw(id=self._requests.new_id(), challenge=challenged.challenge))
        else:
            return is_new and challenged.by != self._identity.name
        return False

    def on_unchallenged(self, unchallenged: m.Unchallenged) -> m.Challenged | None:
        """A challenge is open no longer. Returns: the challenge, if it was one to us."""
        challenged = self.challenges.pop(unchallenged.challenge, None)
        if unchallenged.why != "accepted" and challenged is not None:
            text = _VERDICTS.get(unchallenged.why, unchallenged.why).format(challenged.to)
            request = self._ours.pop(unchallenged.challenge, None)
            self._requests.resolve(request, Refused(unchallenged.why, text))
        return challenged if challenged is not None and challenged.by != self._identity.name else None

    def on_begun(self, match: Match) -> None:
        """The opponent of a match is there: who waited for it gets it."""
        self._requests.resolve(self.made.pop(match.id, None), match)

    def on_dropped(self, match: Match) -> bool:
        """A match is followed no longer. A seek that waited for it goes on; other requests are told why they do not.

        Returns: whether the match is void for want of a seed, and was sought.
        """
        request = self.made.pop(match.id, None)
        if request is None:
            return False
        is_void = False
        pending = self._requests.pending.get(request)
        if match.dice.fault:  # to seek on would be to give the dice another try
            self._requests.resolve(request, PlayStopped(match.dice.fault))
        elif pending is not None and not isinstance(pending.request, SOUGHT) and match.view.phase == "over":
            late = " and ".join(match.view.players[seat] or "" for seat in match.view.unrevealed)
            why = (
                f"no seed for the dice came from {late}" if match.view.outcome is None else "a moderator has decided so"
            )
            self._requests.resolve(request, Refused("void", f"the match is void: {why}"))
        else:
            is_void = pending is not None and bool(match.view.unrevealed) and match.view.phase == "over"
        self.seek_again(request)
        return is_void

    def seek_again(self, dropped: int | None = None) -> None:
        """The server has ended all that we seek: each seek that still waits is sent again, and the request `dropped`.

        A seed that was revealed for a match that came to nothing is known: another one takes its place.
        """
        made = self.made.values()
        for id_, pending in list(self._requests.pending.items()):
            ended = isinstance(pending.request, m.Seek) or id_ == dropped
            if isinstance(pending.request, SOUGHT) and ended and id_ not in made:
                request: m.RequestBase = replace(
                    pending.request, commitment=self._pledges.renew(pending.request.commitment)
                )
                self._requests.pending[id_] = pending._replace(request=request)
                self._requests.enqueue(request)
