"""Pairing of two players: challenges, and quick matches that are sought. No I/O."""

from collections.abc import Mapping

from msgspec.structs import replace
from tavla_protocol import messages as m

from tavla_client.errors import ClientError, NoSeed, PlayStopped, Refused
from tavla_client.identity import Identity
from tavla_client.match import Match
from tavla_client.pledges import Pledges
from tavla_client.requests import Requests

_VERDICTS = {
    "declined": "{} does not want to play now",
    "withdrawn": "you took your challenge back",
    "expired": "{} has not answered",
}


_VOID = {  # by ending
    "voided": "it was decided by a ruling",
    "put_back": "the server was brought back from an older backup",
}
SOUGHT = m.Seek | m.EnterTournament  # requests that wait for a match, and go on when it came to nothing


ENDED_KEPT = 100  # matches


class GoneMatch(ClientError):
    """A match that was sought is gone, and the server has our seed for it. str(error): its id."""


class Pairing:
    """The pairing of our requests with the challenges and matches that the server made of them.

    challenges: those that are open, by us and to us, by their ids.
    made: seeks and challenges, by the ids of the requests -> the match made of each, which waits for its opponent.
    ended: the last matches that we have played -> their rules and the opponent's name: a rematch has the same.
    """

    def __init__(self, requests: Requests, identity: Identity, pledges: Pledges) -> None:
        self.challenges: dict[str, m.Challenged] = {}
        self.made: dict[int, str] = {}
        self.ended: dict[str, tuple[dict[str, bool | int | str], str]] = {}
        self._ours: dict[int, str] = {}  # requests -> our challenges, which wait for an answer; two may share one
        self._requests, self._identity, self._pledges = requests, identity, pledges

    def challenge_of(self, request: m.RequestBase) -> str | None:
        """The challenge that a request of ours alone has made, if it still waits for an answer."""
        challenge = self._ours.pop(request.id, None)
        return None if challenge is None or self._is_wanted(challenge) else challenge

    def _is_wanted(self, challenge: str) -> bool:
        """True if a request of ours waits for the answer to a challenge."""
        return any(made == challenge and request in self._requests.pending for request, made in self._ours.items())

    def reset(self, followed: Mapping[str, Match]) -> None:
        """The connection is another one. The server tells again of challenges that are open, and has told of some."""
        self.challenges.clear()
        self._ours.clear()
        self.made = {request: match for request, match in self.made.items() if match in followed}

    def on_matched(self, matched: m.Matched) -> None:
        """A match was made, for a seek or a challenge of ours."""
        self.challenges.pop(matched.match, None)
        if matched.match not in self._identity.matches:
            self._identity.matches.append(matched.match)
        requests = [matched.seek] if matched.seek is not None else self._take_ours(matched.match)
        self.made.update((request, matched.match) for request in requests if request in self._requests.pending)
        if matched.seek is not None:
            self.seek_again()

    def requests_of(self, match: str) -> list[int]:
        """The requests that wait for the opponent of a match, the first of them first."""
        return [request for request, made in self.made.items() if made == match]

    def _take_ours(self, challenge: str) -> list[int]:
        """The requests that a challenge of ours came of: it waits no longer."""
        requests = [request for request, made in self._ours.items() if made == challenge]
        for request in requests:
            del self._ours[request]
        return requests

    def on_challenged(self, challenged: m.Challenged) -> bool:
        """Take in a challenge, by us or to us. Returns: whether it is one to us that we had not heard of."""
        is_new = challenged.challenge not in self.challenges
        self.challenges[challenged.challenge] = challenged
        if challenged.id in self._requests.pending:
            self._ours[challenged.id] = challenged.challenge
        elif challenged.id is not None:
            if self._is_wanted(challenged.challenge):
                return False
            # We gave up before the answer came.
            self._requests.issue(m.Withdraw(id=self._requests.new_id(), challenge=challenged.challenge))
        else:
            return is_new and challenged.by != self._identity.name
        return False

    def on_unchallenged(self, unchallenged: m.Unchallenged) -> m.Challenged | None:
        """A challenge is open no longer. Returns: the challenge, if it was one to us."""
        challenged = self.challenges.pop(unchallenged.challenge, None)
        for request in self._take_ours(unchallenged.challenge):
            if unchallenged.why == "accepted":  # as another connection of ours has asked: this one comes, too
                self._attach(request, unchallenged.challenge)
            elif challenged is not None:
                text = _VERDICTS.get(unchallenged.why, unchallenged.why).format(challenged.to)
                self._requests.resolve(request, Refused(unchallenged.why, text))
        return challenged if challenged is not None and challenged.by != self._identity.name else None

    def _attach(self, request: int, match: str) -> None:
        """Attach to a match instead of waiting for it."""
        pending = self._requests.pending.get(request)
        if pending is not None:
            attach = m.Attach(id=request, match=match)
            self._requests.pending[request] = pending._replace(request=attach)
            self._requests.enqueue(attach)

    def on_begun(self, match: Match) -> None:
        """The opponent of a match is there: who waited for it gets it."""
        for request in self.requests_of(match.id):
            del self.made[request]
            self._requests.resolve(request, match)

    def on_over(self, match: Match) -> None:
        """A match of ours is over, and there may be a rematch."""
        if match.seat is not None and (opponent := match.view.players[1 - match.seat]) is not None:
            self.ended[match.id] = (match.view.rules, opponent)
            if len(self.ended) > ENDED_KEPT:
                del self.ended[next(iter(self.ended))]

    def on_dropped(self, match: Match, error: ClientError | None) -> bool:
        """A match is followed no longer. A seek that waited for it goes on; other requests are told why they do not.

        error: why, if the server does not show it any more: a seek that has revealed a seed for it does not go on.

        Returns: whether the match is void for want of a seed, and was sought.
        """
        is_void = False
        for request in self.requests_of(match.id):
            del self.made[request]
            pending = self._requests.pending.get(request)
            is_sought = pending is not None and isinstance(pending.request, m.Seek)
            if error is not None and match.has_our_seed and is_sought:
                self._requests.resolve(request, GoneMatch(match.id))
            is_void = self._is_void(request, match) or is_void
            self.seek_again(request)
        return is_void

    def _is_void(self, request: int, match: Match) -> bool:
        pending = self._requests.pending.get(request)
        if match.dice.fault:  # to seek on would be to give the dice another try
            self._requests.resolve(request, PlayStopped(f"{match.dice.fault}. {match.doubt}".removesuffix(". ")))
        elif pending is None or match.view.phase != "over":
            return False
        elif not isinstance(pending.request, SOUGHT):
            ending = "" if match.view.outcome is None else match.view.outcome[3]
            why = _VOID.get(ending) or _late(match)
            text = f"the match is void: {why}. {match.doubt}".removesuffix(". ")
            self._requests.resolve(request, Refused("void", text))
        elif isinstance(pending.request, m.Seek) and match.reveal.end == "A" and self._pledges.has_failed_again():
            text = f"{_late(match)}, and it is not the first time within an hour. {match.doubt}"
            self._requests.resolve(request, NoSeed(text))
        else:
            return bool(match.view.unrevealed)
        return False

    def seek_again(self, dropped: int | None = None) -> None:
        """The server has ended all that we seek: each seek that still waits is sent again, and the request `dropped`.

        A seed that was revealed for a match that came to nothing is known: another one takes its place.
        """
        for id_, pending in list(self._requests.pending.items()):
            ended = isinstance(pending.request, m.Seek) or id_ == dropped
            if isinstance(pending.request, SOUGHT) and ended and id_ not in self.made:
                request: m.RequestBase = replace(
                    pending.request, commitment=self._pledges.renew(pending.request.commitment)
                )
                self._requests.pending[id_] = pending._replace(request=request)
                self._requests.enqueue(request)


def _late(match: Match) -> str:
    late = " and ".join(match.view.players[seat] or "" for seat in match.view.unrevealed)
    return f"no seed for the dice came from {late}"
