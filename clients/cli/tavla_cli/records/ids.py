"""A position as other programs read it: GNU Backgammon's Position ID and Match ID, and the XGID. Pure."""

from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Match
from tavla_engine.xgid import xgid


def id_lines(match: Match) -> list[str]:
    """Both as lines that can be pasted: `set gnubgid ...` and `set xgid ...` of GNU Backgammon take what is after the
    words."""
    try:
        gnu = f"GNU ID {gnu_id(match)}"
    except ValueError as error:
        gnu = f"no GNU ID: {error}"
    return [gnu, xgid(match)]
