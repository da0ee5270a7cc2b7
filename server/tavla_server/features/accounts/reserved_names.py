"""Names that are reserved: for the house, for programs, for code."""

import re

from tavla_server.features.accounts.skeletons import latin, skeleton

# They would pass for those who run the place; TITLES at the end of a word, too: theadmin. (An observer is no server.)
HOUSE = ("admin", "moderator", "official", "server", "support", "system", "tavla")
TITLES = ("admin", "moderator", "support")
GUEST = "guest"  # what clients call people who gave no name: no account may have it
NOBODY = "someone"  # stands in a match for a player whose account was closed
BOT = ("bot-", "bot_")  # a program that says what it is; no other player may look like one

# Properties of every object in JavaScript, and words that stand for no name at all: as a key, or in a text that
# a program writes, they would be taken for something else. Names with two underscores in front are of the same kind.
CODE = (
    *("constructor", "prototype", "hasownproperty", "isprototypeof", "propertyisenumerable"),
    *("tolocalestring", "tostring", "valueof", "undefined", "null", "none", "true", "false", "nan"),
)

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a name: TheAdmin, the-admin, the ADMIN
DIGITS = str.maketrans("013457", "oieast")  # as which letters digits are read: adm1n


def reservation_reason(name: str, bot: bool, account: bool) -> str | None:
    """The reason why a name is reserved; None if it is free."""
    lower = name.lower()
    if reason := impersonation_reason(name):
        return reason
    if lower == NOBODY:
        return f"{NOBODY} stands for those who have gone: choose another name"
    if lower.startswith(BOT) and not bot:
        return f"names with {lower[: len(BOT[0])]} in front are for programs: choose another"
    if account and lower.startswith(GUEST):
        return f"names with {GUEST} in front stay with guests: come as a guest of another name, and register that"
    return None


def impersonation_reason(name: str) -> str | None:
    """The reason why no player, table or tournament is called so; None if one may be."""
    if name.startswith("__") or name.lower() in CODE:
        return "programs would take this name for a part of themselves: choose another"
    if _passes_for_house(name):
        return "this name would pass for those who run the server: choose another"
    return None


def _passes_for_house(name: str) -> bool:
    name = latin(name)
    spelt = name.translate(DIGITS)
    words = [name, spelt, *WORDS.findall(name), *WORDS.findall(spelt)]
    looks = [look for word in words for look in (word.lower(), skeleton(word))]
    return any(look.startswith(_HOUSE) or look.endswith(_TITLES) for look in looks)


_HOUSE, _TITLES = (words + tuple(map(skeleton, words)) for words in (HOUSE, TITLES))
