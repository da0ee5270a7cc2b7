"""Terms of a match: the text that both players agree to, and that all of its dice hang on.

Names stand in it as salted hashes: an account that is closed takes its name and salt with it, and the text stays.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

FORMAT = "tavla-terms-1"
LINES = 8
SOMEONE = "someone"  # stands in a match for a player whose account was closed; the hash of the name stays
_NAMES = ("format", "match", "rules", "white player", "black player", "server's commitment", "white's", "black's")


def player_hash(salt: str, kind: str, name: str) -> str:
    """A player in the terms. salt: 32 hex digits, drawn when the player sits down."""
    return hashlib.sha256(f"{salt}:{kind}:{name}".encode()).hexdigest()


def terms_text(
    match: str, rules: Mapping[str, bool | int | str], players: Sequence[str], commitments: Sequence[str]
) -> str:
    """The terms, eight lines, each ended by a line feed.

    rules: the view's. players: by seat, as `player_hash` gives them. commitments: the server's, white's, black's.
    """
    rules_json = json.dumps(rules, sort_keys=True, separators=(",", ":"))
    return "".join(f"{line}\n" for line in (FORMAT, match, rules_json, *players, *commitments))


def binding(text: str) -> str:
    """SHA-256 of some terms, in hex: what binds the dice to them."""
    return hashlib.sha256(text.encode()).hexdigest()


def terms_fault(text: str, expected: str) -> str:
    """Difference of some terms from those that were expected, as a sentence; "" = none."""
    shown, due = text.split("\n"), expected.split("\n")
    if len(shown) != LINES + 1 or shown[-1]:
        return "the terms of the match are not eight lines"
    wrong = [name for name, one, other in zip(_NAMES, shown, due, strict=False) if one != other]
    return f"the terms of the match have another {wrong[0]}" if wrong else ""
