"""Questions to the reader: what a match waits for. `you` is the reader's seat, None for a watcher."""

from tavla_protocol.view import View

from tavla_cli.text.cleaning import clean
from tavla_cli.text.cube import may_beaver
from tavla_cli.text.phrases import KINDS, dice_text, name, wait_text


def question(view: View, you: int | None, away: bool = False, claim_s: int | None = None) -> str:
    """Prompt for the reader: what the match waits for.

    away: the opponent's connection is lost. claim_s: then the match may be claimed in so many seconds; None = never.
    """
    if view.phase == "open":
        return f"waiting for an opponent at table {clean(view.name)}"
    if view.phase == "reveal":
        late = ["your" if seat == you else f"{name(view, seat)}'s" for seat in view.unrevealed]
        return f"waiting for {' and '.join(late)} seed for the dice"
    if you is not None and you in view.to_act:
        return _your_decision(view, you)
    if you is None:
        return "watching: " + waited_for(view)
    claim = "" if claim_s is None else f", claim in {wait_text(claim_s)}" if claim_s else ": claim wins"
    opponent = name(view, 1 - you) + (f" (away{claim})" if away else "")
    return f"waiting for {opponent} {_decision(view)}"


def waited_for(view: View) -> str:
    """Player that a match waits for and why: `ada to play 6-5`. Nothing when it is over."""
    return " and ".join(f"{name(view, seat)} {_decision(view)}" for seat in view.to_act)


def after_question(view: View, you: int | None, wants_another: bool) -> str:
    """Question when a match is over."""
    if you is None:
        return "Enter leaves, save keeps it; if they play another match, you see it"
    if wants_another:
        return f"waiting for {name(view, 1 - you)} to want another match, too: no takes it back"
    return "another match? yes or no; save keeps this one"


def _your_decision(view: View, you: int) -> str:
    opponent = name(view, 1 - you)
    match view.phase:
        case "ready" if not view.rules.get("length") and view.game:
            return f"Enter plays game {view.game + 1}, leave ends it: the session ends within 2 min"
        case "ready":
            return f"Enter starts game {view.game + 1}"
        case "roll":
            return "roll or double"
        case "cube":
            beaver = ", beaver" if may_beaver(view) else ""
            verb = "doubles" if view.offer == view.turn else "beavers"
            return f"{opponent} {verb} to {2 * view.cube}: take{beaver} or drop"
        case "resign" if view.resignation is not None:
            value = view.resignation[1]
            return f"{opponent} offers to resign {KINDS[value]}: accept or refuse"
        case _:
            return f"your {dice_text(view.dice)}"


def _decision(view: View) -> str:
    match view.phase:
        case "ready":
            return f"to be ready for game {view.game + 1}"
        case "roll":
            return "to roll or double"
        case "cube":
            return "to take or drop"
        case "resign":
            return "to accept or refuse"
        case _:
            return f"to play {dice_text(view.dice)}"
