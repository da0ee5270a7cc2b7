"""Terms, seeds and dice of matches that tests make up, and what a server shows of them."""

from msgspec.structs import replace
from tavla_engine.chain import LINKS, ChainDice, chain_commitment, earlier
from tavla_engine.dice import commitment
from tavla_engine.terms import player_hash, terms_text
from tavla_protocol.claims import binding_of
from tavla_protocol.view import View

NAMES, KINDS, SALTS = ("ada", "bob"), ("guest", "guest"), ("5a" * 16, "c3" * 16)


def committed(seed: str) -> str:
    """The commitment to a player's seed, in hex."""
    return commitment(bytes.fromhex(seed)) if seed else ""


def revealing(*commitments: str) -> View:
    """A match of ada and bob that waits for both seeds. commitments: white's and black's."""
    white, black = commitments
    return View(
        rules={"length": 1},
        players=NAMES,
        kinds=KINDS,
        salts=SALTS,
        phase="reveal",
        commitment=commitment(bytes(32)),
        commitments=(white, black),
        unrevealed=(0, 1),
    )


def agreed(view: View, secret: bytes, seeds: tuple[str, str]) -> View:
    """A view with names, salts, and all commitments. secret: the last link of the server's chain."""
    return replace(
        view,
        players=NAMES,
        kinds=KINDS,
        salts=SALTS,
        commitment=chain_commitment(secret),
        commitments=(committed(seeds[0]), committed(seeds[1])),
    )


def revealed(view: View, secret: bytes, seeds: tuple[str, str]) -> View:
    """The same with the players' seeds, and the server's of the last game that is over."""
    ended = view.game if view.phase in ("ready", "over") else max(0, view.game - 1)
    return replace(agreed(view, secret, seeds), seeds=seeds, seed=link(secret, ended) if ended else "")


def link(secret: bytes, game: int) -> str:
    """The server's seed of a game, in hex."""
    return earlier(secret, LINKS - game).hex()


def terms(match: str, view: View) -> str:
    """The terms that a view shows."""
    told = zip(view.salts, view.kinds, view.players, strict=True)
    players = [player_hash(salt, str(kind), str(name)) for salt, kind, name in told]
    return terms_text(match, view.rules, players, (view.commitment, *view.commitments))


def dice_of(match: str, view: View, secret: bytes, seeds: tuple[str, str]) -> ChainDice:
    """The dice of a match with the rules of a view."""
    return ChainDice(secret, LINKS, binding_of(match, agreed(view, secret, seeds)), seeds)
