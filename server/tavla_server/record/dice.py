"""The dice of a match that is played here."""

from tavla_engine.chain import Chain
from tavla_engine.dice import LinkDice, Roller
from tavla_engine.match import OVER, READY

from tavla_server.record.events import Revealed
from tavla_server.record.state import Record


class MatchDice:
    """The dice of one match, kept as long as its game, seeds and terms stay: asked for with every action."""

    __slots__ = ("_chain", "_kept", "_made_of")

    def __init__(self) -> None:
        self._chain: Chain | None = None
        self._kept: LinkDice | None = None
        self._made_of: tuple[object, ...] = ()  # those that are kept

    def roller(self, record: Record) -> Roller:
        """The dice of the game in hand, or of the next one. The server's seed and both players' must be known."""
        match, kept = record.match, self._kept
        game = match.game + 1 if match.phase is READY else match.game
        made_of = (record.seed, record.binding, record.seeds, game)
        if kept is None or made_of != self._made_of:
            kept = self._kept = LinkDice(self._link(record.seed, game), record.binding, record.seeds, game)
            self._made_of = made_of
        return kept.roll

    def seed(self, record: Record, game: int) -> bytes:
        """The server's seed of a game. Its last seed must be known."""
        kept = self._kept
        if kept is not None and kept.link == game and self._made_of[0] == record.seed:
            return kept.seed
        return self._link(record.seed, game)

    def _link(self, last: bytes, game: int) -> bytes:
        if self._chain is None or self._chain.last != last:
            self._chain = Chain(last)
        return self._chain.link(game)

    def seeds_to_show(self, before: Record, after: Record) -> list[Revealed]:
        """The server's seed of a game that has just ended. A match that is void shows none for the game in hand."""
        has_ended = before.match.phase not in (READY, OVER) and after.match.phase in (READY, OVER)
        if not has_ended or not after.seed or after.voided:
            return []
        return [Revealed(None, self.seed(after, after.match.game).hex())]
