"""The dice of a match that is played here."""

from tavla_engine.dice import KeptDice, Roller

from tavla_server.record.state import Record


class MatchDice:
    """The dice of one match, kept as long as its seeds stay: asked for with every action."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: KeptDice | None = None

    def roller(self, record: Record) -> Roller:
        """The dice of this match. The server's seed and both players' must be known."""
        kept = self._kept
        if kept is None or kept.seed != record.seed or kept.seeds != record.seeds:
            kept = self._kept = KeptDice(record.seed, record.id, record.seeds)
        return kept.roll
