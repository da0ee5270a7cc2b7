"""Skeletons of names: two names with the same one are confusable."""

import re

# Names have no case: i is I. The first five are the rows of Unicode Technical Standard 39, confusables.txt, whose two
# sides are of A-Z a-z 0-9 - _; the others look alike at a glance, in a list of many.
CONFUSABLE = {"0": "o", "1": "l", "i": "l", "m": "rn", "vv": "w", "5": "s", "8": "b"}
_NN = re.compile("(?<![a-z])nn")  # nnark: no name begins so, and within one it is usual
_RUN = re.compile(r"([a-hjkm-z])\1{2,}")  # annna
_BETWEEN = re.compile(r"(?<![0-9])-+|-+(?![0-9])")  # but not what parts two numbers
_PAIR = re.compile("vv|.")


def skeleton(name: str) -> str:
    """The skeleton of a name, the same for alice, aIice and alice_."""
    plain = _BETWEEN.sub("", _NN.sub("m", name.lower().replace("_", "-")))
    return "".join(CONFUSABLE.get(part, part) for part in _PAIR.findall(_RUN.sub(r"\1\1", plain)))
