"""Skeletons of names: two names with the same one are confusable. Source: Unicode Technical Standard 39."""

import re

# The rows of confusables.txt whose two sides are of A-Z a-z 0-9 - _. They are 0 and O; 1, I and l; m and rn. Names have
# no case: i is I.
CONFUSABLE = {"0": "o", "1": "l", "i": "l", "m": "rn"}
_BETWEEN = re.compile(r"(?<![0-9])-+|-+(?![0-9])")  # but not what parts two numbers


def skeleton(name: str) -> str:
    """The skeleton of a name, the same for alice, aIice and alice_."""
    plain = _BETWEEN.sub("", name.lower().replace("_", "-"))
    return "".join(CONFUSABLE.get(letter, letter) for letter in plain)
