"""Texts of files, whatever their encoding; and the names of formats that cannot be read here. Pure."""

import codecs
import re

from tavla_engine.errors import BadText

_HEAD_BYTES = 4096
_GNUBG = "GNU Backgammon can import it and save the match as .sgf"

# What the first bytes are like, and what such a file is.
_BINARY: list[tuple[bytes, str]] = [
    (rb"\xff\xfe|\xfe\xff|(?:[^\x00]\x00){8}|(?:\x00[^\x00]){8}", "text in UTF-16: save it as UTF-8"),
    (rb"[|}~]\x00", f"a position of JellyFish (.pos), not a match: {_GNUBG}"),
    (rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!", "a packed archive: unpack it first"),
    (rb"%PDF", "a PDF document, not a match"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|BM", "a picture, not a match"),
    (rb"SQLite format 3", "a database, not a match"),
]
_TEXT: list[tuple[str, str]] = [
    (r"\d+;[01];\d+;[01];[01];[^;\n]*;[^;\n]*;[01];(?:-?\d+;){20}", f"a position of Snowie, not a match: {_GNUBG}"),
    (r"(?:XGID=)?[-A-Oa-o]{26}:", "a position (an XGID), not a match"),
    (r"(?:OGID[=:])?[0-9a-p]+:[0-9a-p]+:[BWND?]\d[OTPN]:", "a position (an OGID), not a match"),
    (r"[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}\s*$", "a position (a GNU ID), not a match"),
    (r"(?:Score is \d|[XO](?:: \(| is ))", f"a list of moves from FIBS: {_GNUBG}"),
    (r"MatchID:", f"True Money Games' format (.tmg): {_GNUBG}"),
    (r"[^\n]*\bvs\.", f"GamesGrid's format (.sgg): {_GNUBG}"),
    (r"Match Information:", f"GammonEmpire's format: {_GNUBG}"),
    (r"GAME#", f"PartyGammon's format: {_GNUBG}"),
    (r"<(?:!doctype|html|\?xml|head|body)\b", "a web page, not a match: download the match itself"),
]


def text_of(data: bytes) -> str:
    """The text of a file: UTF-8, or else cp1252, the Latin-1 of Windows. Raises: BadText, for what is no text."""
    head = data[:_HEAD_BYTES]
    for pattern, name in _BINARY:
        if re.match(pattern, head):
            raise BadText(f"this is {name}")
    if b"\x00" in head:
        raise BadText("this is no text: a match is a .mat, .sgf or .json file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.removeprefix(codecs.BOM_UTF8).decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(text: str) -> str:
    """The name of a text's format that cannot be read here, as the end of a sentence; "" for others."""
    head = text[:_HEAD_BYTES].lstrip()
    return next((name for pattern, name in _TEXT if re.match(pattern, head, re.IGNORECASE)), "")
