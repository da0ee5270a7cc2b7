"""Chain of a server's seeds: one for each game, each of which hashes to the one before.

The commitment is link 0. A game takes the link after the newest that is shown; its own is shown when it is over, and
proves all games before it as well. So link i is game i's, unless a match was put back to before a seed that was shown:
then the dice go on with the link after that one.
"""

import hashlib

from msgspec.structs import replace

from tavla_engine.dice import LinkDice, Roller
from tavla_engine.match import READY, Match

LINKS = 256  # of a chain, and so games of a sitting
MARKED = 16  # links from one that is kept to the next


def earlier(seed: bytes, links: int) -> bytes:
    """The seed so many links before another one."""
    for _ in range(links):
        seed = hashlib.sha256(seed).digest()
    return seed


def chain_commitment(last: bytes) -> str:
    """Commitment to a whole chain, in hex: link 0. last: link 256, 32 random bytes."""
    return earlier(last, LINKS).hex()


class Chain:
    """A chain of seeds, to be kept while its match is played. Every 16th link is in memory, the others are near them.

    Holds bench/ceilings.toml: with the last link alone an action would take 35,000 instructions more.
    """

    __slots__ = ("_marks", "last")

    def __init__(self, last: bytes) -> None:
        """last: link 256."""
        marks = [last]
        while len(marks) <= LINKS // MARKED:
            marks.append(earlier(marks[-1], MARKED))
        self.last, self._marks = last, b"".join(reversed(marks))

    def link(self, number: int) -> bytes:
        """A link, from 0 to 256."""
        mark = -(-number // MARKED)
        size = len(self.last)
        return earlier(self._marks[mark * size : (mark + 1) * size], mark * MARKED - number)


def link_number(seed: bytes, committed: str) -> int | None:
    """The number of a link, counted down to what was committed to, in hex. None = it is no link of that chain."""
    for number in range(LINKS + 1):
        if seed.hex() == committed:
            return number
        seed = hashlib.sha256(seed).digest()
    return None


def link_after(match: Match, shown: int) -> Match:
    """A match that was put back, whose next roll takes the link after the one that was shown."""
    return replace(match, burnt=shown - match.game + (match.phase is not READY))


class ChainDice:
    """The dice of a match from the newest seed of its server that is known: those of the links up to that one."""

    __slots__ = ("_binding", "_kept", "_newest", "_seeds", "number")

    def __init__(self, newest: bytes, number: int, binding: str, seeds: tuple[str, str]) -> None:
        """newest: the server's seed of link `number`. binding, seeds: see `LinkDice`. Raises: ValueError, as there."""
        self._newest, self.number, self._binding, self._seeds = newest, number, binding, seeds
        self._kept = LinkDice(newest, binding, seeds, number)

    def of_link(self, link: int) -> LinkDice:
        """The dice of a link, which is none after the newest; kept until another one is asked for."""
        if self._kept.link != link:
            seed = earlier(self._newest, self.number - link)
            self._kept = LinkDice(seed, self._binding, self._seeds, link)
        return self._kept

    def roller(self, match: Match) -> Roller:
        """The dice of the game that a match is in, or that it begins next."""
        return self.of_link(match.link).roll
