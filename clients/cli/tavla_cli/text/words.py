"""What happens in a match, in words. Pure: views in, sentences out; `you` is the reader's seat, None for a watcher."""

import math
from collections.abc import Mapping

from tavla_engine.rules import MONEY_POINTS, Opening, Rules
from tavla_protocol import messages as m
from tavla_protocol.view import View

WATCHERS_NAMED = 4  # on one line
KINDS = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


def clean(text: str) -> str:
    """Text from elsewhere, safe for a terminal: no control characters, nothing that turns the line around."""
    return "".join(char if char.isprintable() else "?" for char in text)


def challenge_text(challenged: m.Challenged) -> str:
    """Who wants to play, and what."""
    if challenged.rematch:
        return f"{clean(challenged.by)} wants a rematch"
    return f"{clean(challenged.by)} challenges you: {rules_text({**Rules()._asdict(), **challenged.rules})}"


def unchallenged_text(challenged: m.Challenged, why: str) -> str:
    """What has become of a challenge, if that was not the reader's own doing."""
    what = "rematch" if challenged.rematch else "challenge"
    ends = {"withdrawn": f"has taken the {what} back", "expired": f"waits no longer for an answer to the {what}"}
    return f"{clean(challenged.by)} {ends[why]}" if why in ends else ""


def plural(count: int, word: str) -> str:
    """`1 point`, `2 points`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def name(view: View, seat: int) -> str:
    """A player's name."""
    return clean(view.players[seat] or "the opponent")


def rating_text(rating: float) -> str:
    """`1517.32`: with the places that one match moves."""
    return f"{rating:.2f}"


def career_text(career: m.Career, server: str) -> str:
    """Who someone is at a server."""
    kind = {"guest": "a guest", "account": "a player with an account", "bot": "a program"}.get(career.kind, career.kind)
    standing = "not rated" if career.rating is None else f"rating {rating_text(career.rating)}"
    return f"{career.name}, {kind} at {server}: {standing}, experience {career.experience}"


def says(view: View, seat: int, you: int | None, verb: str) -> str:
    """`you roll` or `ada rolls`."""
    if seat == you:
        return f"you {verb}"
    ending = "es" if verb.endswith(("s", "sh")) else "s"
    return f"{name(view, seat)} {verb}{ending}"


def dice_text(dice: tuple[int, ...]) -> str:
    """`5-3`."""
    return "-".join(map(str, dice))


def score(view: View) -> str:
    """`ada 2, grace 1, match to 3 points`."""
    length = int(view.rules.get("length", 0))
    return f"{name(view, 0)} {view.score[0]}, {name(view, 1)} {view.score[1]}" + (
        f", match to {plural(length, 'point')}" if length else ""
    )


def result(view: View, you: int | None) -> str:
    """How a match ended, in one sentence."""
    if view.outcome is None:
        return "the table was closed before a match began"
    winner, points, _, ending = view.outcome
    high, low = max(view.score), min(view.score)
    if ending == "left":
        verdict = "level" if winner is None else f"{says(view, winner, you, 'lead')}"
        return f"the session is over, {verdict} at {high} to {low}"
    assert winner is not None, "a match has a winner"
    if not points:
        verb, _, rest = _GIVEN_UP.get(ending, "lose").partition(" ")
        how = f"{says(view, 1 - winner, you, verb)} {rest}".strip()
        return f"{how} at {score(view)}: {says(view, winner, you, 'win')}"
    return f"{says(view, winner, you, 'win')} the match {high} to {low}"


_GIVEN_UP = {"forfeit": "forfeit the match", "time": "run out of time", "abandoned": "stay away"}  # by ending


def question(view: View, you: int | None, away: bool = False, claim_s: int | None = None) -> str:
    """What the match waits for, as the reader's prompt.

    away: the opponent's connection is lost. claim_s: then the match may be claimed in so many seconds; None = never.
    """
    if view.phase == "open":
        return f"waiting for an opponent at table {clean(view.name)}"
    if you is not None and you in view.to_act:
        return _your_decision(view, you)
    if you is None:
        return "watching: " + " and ".join(f"{name(view, seat)} {_decision(view)}" for seat in view.to_act)
    claim = "" if claim_s is None else f", claim in {claim_s} s" if claim_s else ": claim wins"
    opponent = name(view, 1 - you) + (f" (away{claim})" if away else "")
    return f"waiting for {opponent} {_decision(view)}"


def after_question(view: View, you: int | None, wants_another: bool) -> str:
    """What is asked when a match is over."""
    if you is None:
        return "Enter leaves; if they play another match, you see it"
    if wants_another:
        return f"waiting for {name(view, 1 - you)} to want another match, too: no takes it back"
    return "another match? yes or no"


def _your_decision(view: View, you: int) -> str:
    opponent = name(view, 1 - you)
    match view.phase:
        case "ready":
            return f"Enter starts game {view.game + 1}"
        case "roll":
            return "roll or double"
        case "cube":
            beaver = ", beaver" if view.rules.get("beavers") else ""
            return f"{opponent} doubles to {2 * view.cube}: take{beaver} or drop"
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


def rules_text(rules: Mapping[str, bool | int | str]) -> str:
    """What is played, in a few words: all that is not as usual."""
    length = int(rules.get("length", 0))
    parts = [f"match to {plural(length, 'point')}" if length else "money play"]
    if rules.get("variant", "standard") != "standard":
        parts.append(str(rules["variant"]))
    if not rules.get("cube", True):
        parts.append("no cube")
    elif rules.get("cube_cap"):
        parts.append(f"cube to {rules['cube_cap']}")
    if length > 1 and rules.get("cube", True) and not rules.get("crawford", True):
        parts.append("no Crawford game")
    if rules.get("opening", Opening.ROLL_OFF) != Opening.ROLL_OFF:
        parts.append("white starts")
    if reserve_s := int(rules.get("reserve_s", 0)):
        reserve = f"{reserve_s} s a point" if length else f"{MONEY_POINTS * reserve_s} s a game"
        parts.append(f"clock {rules['delay_s']} s + {reserve}")
    parts += [
        text + (f" ({most})" if (most := int(rules[option])) > 1 else "")
        for option, text in _OPTIONS.items()
        if rules.get(option)
    ]
    if not rules.get("resignations", True):
        parts.append("no resignations")
    usual = 0 if length else MONEY_FORFEIT
    if (price := int(rules.get("forfeit_multiplier", usual))) != usual:
        parts.append(f"a forfeit costs {plural(price, 'cube')}")
    return ", ".join(parts)


MONEY_FORFEIT = 3  # cubes: the price of a forfeit where nothing else was agreed
_OPTIONS = {  # with the number, where there may be more than one
    "jacoby": "Jacoby rule",
    "beavers": "beavers",
    "automatic_doubles": "automatic doubles",
    "hints": "hints",
    "rated": "rated",
}


def table_text(view: View) -> str:
    """What is played at a table, and who may come there."""
    private = ", private" if view.code else ""
    return rules_text(view.rules) + private + ("" if view.spectators else ", nobody may watch")


def time_text(free: float, reserve: float) -> str:
    """A running time: `7 s, then 2:00`, and when the free time is used up `1:59`."""
    minutes, seconds = divmod(math.ceil(reserve), 60)
    left = f"{minutes}:{seconds:02}"
    return f"{math.ceil(free)} s, then {left}" if free > 0 else left


def away_text(view: View, claim_after: int | None) -> str:
    """What the absence of an opponent means."""
    if view.phase == "over":
        return "has gone"
    if claim_after is None:
        return "is away: the match waits" if view.clock is None else "is away"
    return f"is away: you may claim the match in {claim_after} s" if claim_after else "is away: you may claim the match"


def said_text(said: m.Said) -> str:
    """`ada: good luck`, and whether that is a watcher, or a player who talks to the watchers."""
    aside = " (watching)" if said.seat is None else " (to those who watch)" if said.to == "watchers" else ""
    return f"{clean(said.name)}{aside}: {clean(said.text)}"


def watchers_text(watchers: m.Watchers) -> str:
    """`eve and bob watch`."""
    if not watchers.count:
        return "nobody watches any more"
    names = [clean(name) for name in watchers.names[:WATCHERS_NAMED]]
    if rest := watchers.count - len(names):
        names.append(plural(rest, "other"))
    verb = "watches" if watchers.count == 1 else "watch"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) + f" {verb}"


def forfeit_price(view: View) -> str:
    """What giving up costs by the rules of this match."""
    multiplier = int(view.rules.get("forfeit_multiplier", 0))
    if not multiplier or view.phase == "ready":
        return "you lose the match"
    points = plural(multiplier * view.cube, "point")
    return f"you lose this game at {multiplier} times the cube, {points}"
