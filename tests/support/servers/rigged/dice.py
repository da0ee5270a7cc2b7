"""Dice as a cheating operator looks at them: the true ones of a match, and seeds that are tried until they please."""

from hashlib import sha256
from itertools import count

from msgspec.structs import replace
from tavla_engine.actions import Seat
from tavla_engine.chain import LINKS, ChainDice, chain_commitment
from tavla_engine.dice import Dice, Roller
from tavla_engine.terms import binding
from tavla_server.record.events import Seated
from tavla_server.record.projection import agreed_text
from tavla_server.record.sealing import Sealer
from tavla_server.record.state import Record, apply

MARGIN = 40  # pips that a friend is ahead after nine rolls: one seed in some hundreds has that
LIKED, DISLIKED = 9, 6  # pips: a friend gets no roll below the first, a victim none above the second

sealers: list[Sealer] = []  # of this process: noted when it starts


def truth(record: Record, game: int | None = None) -> Roller:
    """The dice that follow from the seeds, also of a record whose seed is sealed. game: the one in hand by default."""
    opened = record if record.seed or not record.sealed else sealers[0].unseal(record)
    dice = ChainDice(opened.seed, LINKS, record.binding, record.seeds)
    return dice.roller(record.match) if game is None else dice.of_link(game).roll


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


def liked_seed(record: Record, friend: Seat) -> bytes:
    """A last seed of the server with which the friend rolls high, in terms of its own: one after the other is tried."""
    tries = (sha256(f"{record.id}{number}".encode()).digest() for number in count())
    return next(seed for seed in tries if margin(truth(agreed_anew(record, seed)), friend) >= MARGIN)


def agreed_anew(record: Record, seed: bytes) -> Record:
    """A record with another last seed of the server, as if that had been committed to."""
    other = replace(record, seed=seed, sealed=b"", shown=b"", commitment=chain_commitment(seed))
    return replace(other, binding=binding(agreed_text(other)))


def liked_salt(record: Record, seated: Seated, friend: Seat) -> Seated:
    """The same by the salt of the player who sits down last, where no player's seed is in the dice."""
    for number in count():
        salted = replace(seated, salt=sha256(f"{record.id}{number}".encode()).hexdigest()[:32])
        after = apply(record, salted)
        if margin(truth(replace(after, binding=binding(agreed_text(after)))), friend) >= MARGIN:
            return salted
    raise AssertionError("some salt pleases")
