"""Absent players: for how long, and what that means; and what happened while the reader was away. Pure."""

from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import name, wait_text
from tavla_cli.text.story import result


def leaving_text(view: View, you: int, absence_s: int) -> str:
    """Consequence of leaving a match now, in one sentence. absence_s: after so long the opponent may claim it."""
    if view.phase == "open":
        return "nobody has sat down: the table is closed"
    opponent = name(view, 1 - you)
    after = wait_text(absence_s)
    if view.clock is not None:
        return f"your clock runs when it is your turn; after {after} away {opponent} may claim the match then"
    return f"the match waits for you; after {after} away {opponent} may claim it when it is your turn"


def own_end_text(view: View, player: str | None) -> str:
    """Result of a match that ended in the absence of this player; nothing for a table that was closed, or of others."""
    you = next((seat for seat in (0, 1) if view.players[seat] == player), None)
    if you is None or (view.outcome is None and not view.unrevealed):
        return ""
    how = result(view, you).replace("you stay away at", "you stayed away at")
    return f"while you were away, against {name(view, 1 - you)}: {how}"


def paused_text(table: m.Table, now: int) -> str:
    """Players away from a match, and for how long: `ada away 3 min`; nothing where it is played. now: s since 1970."""
    gone = [
        f"{clean(table.players[seat] or '?')} away {wait_text(max(0, now - since))}"
        for seat, since in enumerate(table.away)
        if since and table.players[seat] is not None
    ]
    return ", ".join(gone)
