"""The dice of matches that are played here."""

from tavla_engine.dice import KeptDice, Roller

from tavla_server.record.state import Record

_dice: dict[str, KeptDice] = {}  # of each match: asked for with every action


def roller(record: Record) -> Roller:
    """The dice of a match, kept until `forget_dice`. The server's seed and both players' must be known."""
    kept = _dice.get(record.id)
    if kept is None or kept.seed != record.seed or kept.seeds != record.seeds:
        kept = _dice[record.id] = KeptDice(record.seed, record.id, record.seeds)
    return kept.roll


def forget_dice(match: str) -> None:
    """A match is not played any more, at least not here."""
    _dice.pop(match, None)
