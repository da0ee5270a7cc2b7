"""Claim about a match, by a server or a file: its terms and its seeds, and what is wrong with them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from tavla_engine import events as e
from tavla_engine.chain import ChainDice, link_number
from tavla_engine.dice import commitment
from tavla_engine.errors import BadText
from tavla_engine.event_texts import SIDES
from tavla_engine.server_events import ServerEvent
from tavla_engine.terms import LINES, SOMEONE, binding, player_hash, terms_fault, terms_text

SEED_BYTES = 32  # of the server's
_HASH_LENGTH = 64
_HEX = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_PLAYER_LINES = 3, 4  # of the terms, from 0


class Claim(msgspec.Struct, frozen=True):
    """Claims of a server, or a file, about a match. Pairs are indexed by seat; seeds and commitments are hex.

    seed: the server's newest, "" while all are hidden. over: the match is said to be over. events: [seq, time in ms,
    type, ...]. salts: of the players in the terms, "" for one whose account was closed.
    """

    match: str
    rules: dict[str, bool | int | str]
    commitment: str
    commitments: tuple[str, str]
    seeds: tuple[str, str]
    seed: str
    over: bool
    events: list[list[Any]]
    players: tuple[str | None, str | None]
    kinds: tuple[str | None, str | None]
    salts: tuple[str, str]


def terms_of(claim: Claim, known: tuple[str, str] = ("", "")) -> str:
    """Terms of a claim. known: the hash of each player whose salt has gone."""
    told = zip(claim.salts, claim.kinds, claim.players, known, strict=True)
    players = [player_hash(salt, str(kind), str(name)) if salt else hash_ for salt, kind, name, hash_ in told]
    return terms_text(claim.match, claim.rules, players, (claim.commitment, *claim.commitments))


def agreed_text(told: Sequence[ServerEvent]) -> str:
    """The terms that some events tell of; "" = none."""
    return next((str(one.facts[0]) for one in told if one.type == "agreed" and one.facts), "")


def wrong_terms(claim: Claim, told: Sequence[ServerEvent]) -> Iterator[str]:
    """Faults of the terms in a record, as sentences."""
    places = [place for place, one in enumerate(told) if one.type == "agreed"]
    begun = _begun(told)
    if not places and begun is None:
        return
    if len(places) != 1 or (begun is not None and places[0] > begun):
        yield "the match began without terms" if not places else "the terms of the match were changed"
        return
    text = agreed_text(told)
    lines = [*text.split("\n"), *[""] * LINES]
    first, second = (lines[line] for line in _PLAYER_LINES)
    if fault := terms_fault(text, terms_of(claim, (first, second))):
        yield fault
    for seat in (0, 1):
        if not claim.salts[seat] and claim.players[seat] != SOMEONE:
            yield f"nothing shows that {SIDES[seat]}'s name is the one in the terms"


# --- seeds ---


def is_commitment(text: str) -> bool:
    """True if this can be the SHA-256 of a seed, in hex."""
    return len(text) == _HASH_LENGTH and _HEX.fullmatch(text) is not None


def equal_commitments(server: str, players: tuple[str, str]) -> str:
    """Fault of two commitments to the same seed, as a sentence, or "": who copies one can repeat the other's seed."""
    shown = [one for one in (server, *players) if is_commitment(one)]
    return "two of the commitments are the same" if len({*shown}) < len(shown) else ""


def seed_fault(seed: str, committed: str, whose: str) -> str:
    """Fault of a player's seed that was committed to, as a sentence, or ""."""
    if not seed:
        return f"{whose} seed is missing"
    if _HEX.fullmatch(seed) is None:
        return f"{whose} seed is none: it should be bytes in hex"
    return "" if commitment(bytes.fromhex(seed)) == committed else f"{whose} seed is not the one it committed to"


def link_fault(seed: str, committed: str, due: int) -> str:
    """Fault of the server's newest seed, as a sentence, or "". due: the number of the link to be shown, 0 = none: that
    of the last game that is over.
    """
    if not seed:
        return "the server does not show its seed" if due else ""
    if _HEX.fullmatch(seed) is None or len(seed) != 2 * SEED_BYTES:
        return "the server's seed is none: it should be bytes in hex"
    if (number := link_number(bytes.fromhex(seed), committed)) is None:
        return "the server's seed is not the one it committed to"
    return "" if number == due else f"the server shows the seed of game {number}, where game {due} was the last"


def wrong_seeds(claim: Claim, told: Sequence[ServerEvent]) -> Iterator[str]:
    """Faults of the seeds in a record, as sentences."""
    begun = _begun(told)
    newest = 0
    for one, before, newest in _links(claim, told):
        if one.type == "forked" and newest <= before:
            yield "the match was put back, and what is shown then is no newer seed of the server"
    if claim.over and (fault := link_fault(claim.seed, claim.commitment, newest)):
        yield fault
    if fault := equal_commitments(claim.commitment, claim.commitments):
        yield fault
    for seat, seed, committed in zip((0, 1), claim.seeds, claim.commitments, strict=True):
        revealed = [place for place, one in enumerate(told) if one.type == "revealed" and one.facts == (seat, seed)]
        if not committed and (seed or begun is not None):
            yield f"{SIDES[seat]} has committed to no seed for the dice"
        elif begun is not None:
            if fault := seed_fault(seed, committed, f"{SIDES[seat]}'s"):
                yield fault
            elif not revealed or revealed[0] > begun:
                yield f"there were dice before {SIDES[seat]} had revealed a seed"


def proven_dice(claim: Claim, told: Sequence[ServerEvent]) -> ChainDice | None:
    """The dice that follow from the seeds, up to the newest; None while none is known. Raises: BadText."""
    if not claim.seed or _HEX.fullmatch(claim.seed) is None:
        return None
    newest = bytes.fromhex(claim.seed)
    number = link_number(newest, claim.commitment) or max((link for *_, link in _links(claim, told)), default=0)
    try:
        return ChainDice(newest, number, binding(agreed_text(told)), claim.seeds)
    except ValueError as error:  # a colon
        raise BadText(str(error)) from None


def fork_link(event: ServerEvent, committed: str) -> int | None:
    """The number of the link that a fork shows, 0 where it shows none of the chain; None = it shows no seed."""
    seed = event.facts[0] if event.type == "forked" and event.facts else ""
    if not seed:
        return None
    if not isinstance(seed, str) or not is_commitment(seed):  # of as many digits
        return 0
    return link_number(bytes.fromhex(seed), committed) or 0


def _begun(told: Sequence[ServerEvent]) -> int | None:
    """The place of the first dice."""
    return next((place for place, one in enumerate(told) if one.type in ("opening_rolled", "rolled")), None)


def _links(claim: Claim, told: Sequence[ServerEvent]) -> Iterator[tuple[ServerEvent, int, int]]:
    """Each event with which another link is the newest that is shown: a fork, or the end of a game. The link before it
    and its own; a match that is void shows none for the game in hand.
    """
    newest, is_on = 0, False
    for one in told:
        before, event = newest, one.event
        if isinstance(event, e.GameStarted):
            is_on = True
        elif (shown := fork_link(one, claim.commitment)) is not None:
            newest = shown
            yield one, before, newest
        elif isinstance(event, e.GameEnded) or (
            isinstance(event, e.MatchEnded) and is_on and event.ending is not e.Ending.VOIDED
        ):
            newest, is_on = newest + 1, False
            yield one, before, newest
