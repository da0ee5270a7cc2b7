"""Positions as programs write them: XGID, GNU Backgammon's IDs, OpenGammon's OGID; alone, or in a text that has one."""

import re

from tavla_engine.errors import BadText
from tavla_engine.gnuid import parse_gnu_id
from tavla_engine.match import Cube, Match
from tavla_engine.midgame import game_in_progress, rules_of, with_offer
from tavla_engine.position import BAR, Position
from tavla_engine.rules import MAX_LENGTH, Variant
from tavla_engine.setup import CHECKERS, with_off
from tavla_engine.xgid import parse_xgid

_MOST_TEXT = 20_000  # characters; what eXtreme Gammon copies has 3,000
_XGID = re.compile(r"XGID=\S{1,100}|(?<!\S)[-A-Oa-o]{26}(?::-?\w{1,9}){9}(?!\S)")
_GNU = re.compile(r"(?<![\w+/])([A-Za-z0-9+/]{14}):([A-Za-z0-9+/]{12})(?![\w+/])")
_GNU_WORDS = re.compile(r"Position ID\s*:\s*([A-Za-z0-9+/]{14})\s.*?Match ID\s*:\s*([A-Za-z0-9+/]{12})", re.DOTALL)
_OGID = re.compile(r"(?:OGID[=:])?((?<![\w:])[0-9a-p]+:[0-9a-p]+:[BWND?]\d[OTPN]:[^\s]{1,60})")


def position_in(text: str) -> Match | None:
    """The first position in a text; None where there is none. Raises: BadText, for one that cannot be."""
    text = text[:_MOST_TEXT]
    if found := _XGID.search(text):
        return parse_xgid(found[0])
    if found := _GNU.search(text) or _GNU_WORDS.search(text):
        return parse_gnu_id(f"{found[1]}:{found[2]}")
    if found := _OGID.search(text):
        return _of_ogid(found[1])
    return None


def _of_ogid(text: str) -> Match:
    try:
        import gvformat  # takes 0.1 s

        told = gvformat.parse_ogid(text)
    except ImportError:
        raise BadText("to read an OGID, pip install gammonview") from None
    except ValueError as error:
        raise BadText(f"OGID: {error}") from None
    turn = 0 if told.mover_is_white else 1
    score = (told.score_white, told.score_black)
    is_over = told.match_length and max(score) >= told.match_length
    if is_over or told.match_length > MAX_LENGTH or told.nrof_checkers != CHECKERS or told.cube_action == "P":
        raise BadText("OGID: no game that is played here can stand so")
    mine = bytes([0, *(max(told.board[point], 0) for point in range(1, BAR)), told.board[BAR]])
    theirs = bytes([0, *(max(-told.board[BAR - point], 0) for point in range(1, BAR)), told.board[0]])
    owner = {"player": turn, "opponent": 1 - turn}.get(told.cube_owner)
    is_offered = told.cube_action == "O"
    match = game_in_progress(
        rules_of(told.match_length, True, Variant.STANDARD),
        Position(*with_off((mine, theirs), CHECKERS)),
        turn,
        score,
        Cube(told.cube_value, owner),
        told.crawford,
        (told.die1, told.die2) if told.die1 and not is_offered else None,
    )
    return with_offer(match, 0) if is_offered else match
