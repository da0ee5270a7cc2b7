"""Filter of texts that players write: the result is safe to show anywhere. Pure."""

import re
import unicodedata

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused

# A terminal's escape sequences, with 7 bit (ESC and a letter) or 8 bit introducers.
ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, the cursor, the screen
    r"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f]).*?(?:\x07|\x1b\\|\x9c|\Z)"  # OSC and its like: titles, links, the clipboard
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
# Control, format (bidi, zero width), surrogate, private and unassigned characters.
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")
# Characters of other categories that look like nothing: joiners, fillers, blanks, variation selectors.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")

MARKS = 2  # combining ones on a character; more of them reach into other lines


def clean(text: str) -> str:
    """Remove from one line of text what steers a terminal, turns the line around or cannot be seen.

    Returns: "" when nothing is left.
    """
    seen = " ".join(BLANK.sub("", ESCAPES.sub("", text)).split())
    return " ".join("".join(char for char in seen if unicodedata.category(char) not in HIDDEN).split())


def clean_reason(text: str) -> str:
    """A reason as it can be shown. Raises: Refused if nothing of it can."""
    if reason := clean(text):
        return reason
    raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this reason that can be shown")


def clean_title(text: str) -> str:
    """The name of a table or a tournament as it can be shown, composed (NFC). Raises: Refused."""
    from tavla_protocol.messages import TITLE_LENGTH  # takes 0.1 s, and the command's help needs this module

    whole = unicodedata.normalize("NFC", clean(text))
    title = "".join(
        char for place, char in enumerate(whole) if not _all_marks(whole[max(0, place - MARKS) : place + 1])
    )
    if not title:
        raise Refused(ErrorCode.NOTHING_SAID, "there is nothing in this name that can be shown")
    if len(title) > TITLE_LENGTH:
        raise Refused(ErrorCode.BAD_MESSAGE, f"a name has up to {TITLE_LENGTH} characters: this one has {len(title)}")
    return title


def _all_marks(text: str) -> bool:
    return all(unicodedata.category(char) in ("Mn", "Me") for char in text)
