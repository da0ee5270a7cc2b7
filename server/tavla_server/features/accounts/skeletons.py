"""Skeletons of names: two names with the same one are confusable."""

import hashlib
import re
import unicodedata

# Names have no case: i is I. The first five are the rows of Unicode Technical Standard 39, confusables.txt, whose two
# sides are of A-Z a-z 0-9 - _; the others look alike at a glance, in a list of many.
CONFUSABLE = {"0": "o", "1": "l", "i": "l", "m": "rn", "vv": "w", "5": "s", "8": "b"}
_NN = re.compile("(?<![a-z])nn")  # nnark: no name begins so, and within one it is usual
_RUN = re.compile(r"([a-hjkm-z])\1{2,}")  # annna
# Letters of other alphabets that pass for Latin ones, and Latin ones that no decomposition leads to.
_OTHERS = "аеорсухіјѕһԁԛԝвкмнтгпьαβεζηικμνορτυχγıłøđħ", "aeopcyxijshdqwbkmhtrnbabezhikmvoptyxyilodh"
LATIN = str.maketrans(_OTHERS[0] + _OTHERS[0].upper(), _OTHERS[1] + _OTHERS[1].upper())
_MARKS = re.compile("[\u0300-\u036f]+")  # as on ş, é, ё
_PLAIN = re.compile("[a-z0-9_-]*")
_BETWEEN = re.compile(r"(?<![0-9])-+|-+(?![0-9])")  # but not what parts two numbers
_PAIR = re.compile("vv|.")


def skeleton(name: str) -> str:
    """The skeleton of a name, the same for alice, aIice and alice_, Kış and Kis.

    Of a name of a table or a tournament punctuation and spaces are as little of it as - and _.
    """
    parted = "".join("-" if unicodedata.category(char)[0] in "PZ" else char for char in latin(name).casefold())
    plain = _BETWEEN.sub("", _NN.sub("m", parted))
    return "".join(CONFUSABLE.get(part, part) for part in _PAIR.findall(_RUN.sub(r"\1\1", plain)))


def latin(name: str) -> str:
    """A name as it reads at a glance, in Latin letters as far as it looks so."""
    return _MARKS.sub("", unicodedata.normalize("NFKD", name)).translate(LATIN)


def key_part(text: str) -> str:
    """Text as a part of a key: itself or, if it has other signs than those of players' names, its digest."""
    return text if _PLAIN.fullmatch(text) else f"~{hashlib.sha256(text.encode()).hexdigest()[:32]}"
