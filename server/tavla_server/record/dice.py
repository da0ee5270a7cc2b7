"""The dice of a match that is played here."""

from tavla_engine.chain import Chain
from tavla_engine.dice import LinkDice, Roller
from tavla_engine.match import OVER, READY

from tavla_server.record.events import Revealed
from tavla_server.record.state import Record


class MatchDice:
    """The dice of one match, kept as long as its game, seeds and terms stay: asked for with every action."""

    __slots__ = ("_binding", "_chain", "_kept", "_seed", "_seeds")

    def __init__(self) -> None:
        self._chain: Chain | None = None
        self._kept: LinkDice | None = None
        self._seed, self._binding, self._seeds = b"", "", ("", "")  # those that are kept are made of

    def roller(self, record: Record) -> Roller:
        """The dice of the game in hand, or of the next one. The server's seed and both players' must be known."""
        match, kept = record.match, self._kept
        link = match.game + match.burnt  # holds bench/ceilings.toml: `match.link` is another call
        if match.phase is READY:
            link += 1
        if (
            kept is None
            or kept.link != link
            or self._seeds is not record.seeds
            or self._seed is not record.seed
            or self._binding is not record.binding
        ):
            kept = self._kept = LinkDice(self._link(record.seed, link), record.binding, record.seeds, link)
            self._seed, self._binding, self._seeds = record.seed, record.binding, record.seeds
        return kept.roll

    def seed(self, record: Record, link: int) -> bytes:
        """The server's seed of a link. Its last seed must be known."""
        kept = self._kept
        if kept is not None and kept.link == link and self._seed == record.seed:
            return kept.seed
        return self._link(record.seed, link)

    def _link(self, last: bytes, link: int) -> bytes:
        if self._chain is None or self._chain.last != last:
            self._chain = Chain(last)
        return self._chain.link(link)

    def seeds_to_show(self, before: Record, after: Record) -> list[Revealed]:
        """The server's seed of a game that has just ended. A match that is void shows none for the game in hand."""
        has_ended = before.match.phase not in (READY, OVER) and after.match.phase in (READY, OVER)
        if not has_ended or not after.seed or after.voided:
            return []
        return [Revealed(None, self.seed(after, after.match.game + after.match.burnt).hex())]
