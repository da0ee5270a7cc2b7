"""The dice of matches that are played here."""

from tavla_engine.dice import Roller, committed_dice

from tavla_server.match.state import Record


class _Dice:
    """What was made of these seeds."""

    __slots__ = ("roller", "seed", "seeds")

    def __init__(self, record: Record) -> None:
        self.seed, self.seeds = record.seed, record.seeds
        self.roller = committed_dice(record.seed, record.id, record.seeds)


_dice: dict[str, _Dice] = {}  # of each match: asked for with every action


def roller(record: Record) -> Roller:
    """The dice of a match, kept until `forget_dice`. The server's seed and both players' must be known."""
    kept = _dice.get(record.id)
    if kept is None or kept.seed != record.seed or kept.seeds != record.seeds:
        kept = _dice[record.id] = _Dice(record)
    return kept.roller


def forget_dice(match: str) -> None:
    """A match is not played any more, at least not here."""
    _dice.pop(match, None)
