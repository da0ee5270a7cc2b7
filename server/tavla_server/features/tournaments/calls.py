"""Calls of players to their next round, and what was decided without them: told on every connection they have here."""

from tavla_protocol import messages as m

from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import Pair, Tournament
from tavla_server.gateway.core import Core
from tavla_server.gateway.recipient import Recipient


class Calls:
    """Calls players of tournaments with rounds. Each node tells those who are connected to it."""

    def __init__(self, core: Core) -> None:
        self._presence, self._now_ms, self._outage = core.presence, core.clock.now_ms, core.liveness.credit_ms
        self._open: dict[str, tuple[TournamentSession, dict[str, int]]] = {}  # until when, in ms, by player

    def look_at(self, session: TournamentSession) -> None:
        """Call those who are to come now; call the others no longer."""
        now_ms = self._now_ms()
        _, before = self._open.pop(session.id, (session, {}))
        left = decider.calls(session.state, now_ms, self._outage)
        if left:
            self._open[session.id] = session, {player: now_ms + left_ms for player, left_ms in left.items()}
        for player in left.keys() - before.keys():
            self._tell(player, _call(session, left[player]))
        for player in before.keys() - left.keys():
            self._tell(player, _message(session, "came"))

    def greet(self, recipient: Recipient) -> None:
        """Call a player on a new connection."""
        for session, until_ms in self._open.values():
            left_ms = until_ms.get(recipient.player.id, 0) - self._now_ms()
            if left_ms > 0:
                recipient.send(_call(session, left_ms))

    def tell_decided_without_match(self, session: TournamentSession, before: Tournament) -> None:
        """Tell both players of each pair of which one did not come, and those who have a bye."""
        after = session.state
        new = {*range(len(before.pairs), len(after.pairs))}
        for number in before.playing | before.again | new if before.opened else ():
            pair = after.pairs[number]
            if not pair.players[1]:
                self._tell(pair.players[0], _message(session, "bye", round_=pair.round))
            for seat, won in enumerate(walkover(pair)):
                other = after.entrants.get(pair.players[1 - seat])
                if other is not None:
                    what = "won" if won else "lost"
                    told = _message(session, what, round_=pair.round, opponent=other.player.name)
                    self._tell(pair.players[seat], told)

    def _tell(self, player: str, message: m.Called) -> None:
        for recipient in self._presence.connections_of(player):
            recipient.send(message)


def walkover(pair: Pair) -> tuple[bool, ...]:
    """By seat, the winner of a pair in which a player did not come; () for a bye, for all else, and in an arena."""
    scored = pair.scored
    if scored is None or not pair.round or not scored.absent or not all(pair.players) or scored.winner is None:
        return ()
    return scored.winner == 0, scored.winner == 1


def _call(session: TournamentSession, left_ms: int) -> m.Called:
    state = session.state
    return _message(session, "come", round_=state.round + (not state.again), left=max(1, left_ms // 1000))


def _message(session: TournamentSession, what: str, *, round_: int = 0, left: int = 0, opponent: str = "") -> m.Called:
    state = session.state
    return m.Called(
        tournament=session.id,
        name=state.plan.name,
        what=what,
        left=left,
        round=round_,
        rounds=state.rounds or state.plan.rounds,
        opponent=opponent,
    )
