"""Dice as a cheating operator looks at them: the true ones of a match, and seeds that are tried until they please."""

from hashlib import sha256
from itertools import count

from tavla_engine.actions import Seat
from tavla_engine.dice import Dice, Roller, committed_dice
from tavla_server.record.sealing import Sealer
from tavla_server.record.state import Record

MARGIN = 40  # pips that a friend is ahead after nine rolls: one seed in some hundreds has that
LIKED, DISLIKED = 9, 6  # pips: a friend gets no roll below the first, a victim none above the second

sealers: list[Sealer] = []  # of this process: noted when it starts


def truth(record: Record) -> Roller:
    """The dice that follow from the seeds, also of a record whose seed is sealed."""
    opened = record if record.seed or not record.sealed else sealers[0].unseal(record)
    return committed_dice(opened.seed, record.id, record.seeds)


def pips(dice: Dice) -> int:
    """As many as the dice move: a double is played four times."""
    one, two = dice
    return 4 * one if one == two else one + two


def pleases(dice: Dice, by_friend: bool) -> bool:
    """True if an operator would keep this roll of the friend, or of the victim."""
    return pips(dice) >= LIKED if by_friend else pips(dice) <= DISLIKED


def margin(roll: Roller, friend: Seat) -> int:
    """By how many pips the friend leads after the first nine rolls; far behind if the opening roll is a tie."""
    white, black = roll(1)
    if white == black:
        return -MARGIN
    starts = int(black > white)
    return sum((1 if (starts + k) % 2 != friend else -1) * pips(roll(k)) for k in range(1, 10))


def liked_seed(match: str, seeds: tuple[str, str], friend: Seat) -> bytes:
    """A seed of the server with which the friend rolls high: one after the other is tried."""
    return next(
        seed
        for number in count()
        if margin(committed_dice(seed := sha256(f"{match}{number}".encode()).digest(), match, seeds), friend) >= MARGIN
    )
