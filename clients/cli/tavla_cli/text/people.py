"""Other players: they challenge, talk, watch, go away; and who they are."""

from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural, rating_text, told_score, wait_text
from tavla_cli.text.rules import rules_text

WATCHERS_NAMED = 4  # on one line


def challenge_text(challenged: m.Challenged) -> str:
    """Sentence about a challenge: its player and rules."""
    if challenged.rematch:
        return f"{clean(challenged.by)} wants a rematch"
    return f"{clean(challenged.by)} challenges you: {rules_text(challenged.rules)}"


def unchallenged_text(challenged: m.Challenged, why: str) -> str:
    """End of a challenge, if that was not the reader's own doing."""
    what = "rematch" if challenged.rematch else "challenge"
    ends = {"withdrawn": f"has taken the {what} back", "expired": f"waits no longer for an answer to the {what}"}
    return f"{clean(challenged.by)} {ends[why]}" if why in ends else ""


def friend_text(friend: m.Friend) -> str:
    """`bob plays eve: f watches`: what a friend does, and the key of the lobby that leads there."""
    opponent = clean(friend.opponent or "somebody")
    does = {"came": "is here", "plays": f"plays {opponent}: f watches", "opened": "has opened a table: f shows it"}
    return f"{clean(friend.name)} {does[friend.what]}" if friend.what in does else ""


def career_text(career: m.Career, server: str) -> str:
    """Description of a person at a server."""
    kind = {"guest": "a guest", "account": "a player with an account", "bot": "a program"}.get(career.kind, career.kind)
    standing = "not rated" if career.rating is None else f"rating {rating_text(career.rating)}"
    puzzles = "" if career.puzzles is None else f", {career.puzzles} at puzzles"
    void, of = career.unrevealed
    late = f"; did not reveal a seed in {void:,} of {of:,} matches" if void else ""
    left, begun = career.left
    gone = f"; left {left:,} of {begun:,} matches, or let the time run out" if left else ""
    return f"{career.name}, {kind} at {server}: {standing}, experience {career.experience}{puzzles}{late}{gone}"


def voids_text(voids: tuple[int, int]) -> str:
    """Share of void matches at a server: `12 of 9,000 matches here are void`, and why."""
    void, of = voids
    return (
        f"{void:,} of {of:,} matches here are void: a player's seed for the dice did not come, or a moderator said so"
    )


def person_text(person: m.Person) -> str:
    """Rating, kind and level of a person who is here: `1723`, `bot, 1800, expert`."""
    rating = None if person.rating is None else str(person.rating)
    return ", ".join(
        filter(None, (clean(person.kind) if person.kind != "account" else "", rating, clean(person.level or "")))
    )


def my_match_text(table: m.Table, you: str) -> str:
    """`against bob, 2-1, match to 5 points: waits for you`, own points first."""
    seat = table.players.index(you)
    opponent = table.players[1 - seat]
    if opponent is None:
        return f"nobody yet, {rules_text(table.rules)}"
    state = "waits for you" if seat in table.to_act else f"waits for {clean(opponent)}"
    points = told_score(table.score, table.rules)
    score = f"{points[seat]}-{points[1 - seat]}"
    return f"against {clean(opponent)}, {score}, {rules_text(table.rules)}: {state}"


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


def away_text(view: View, claim_after: int | None) -> str:
    """Consequence of an opponent's absence."""
    if view.phase == "over":
        return "has gone"
    if claim_after is None:
        return "is away: the match waits" if view.clock is None else "is away"
    when = f" in {wait_text(claim_after)}" if claim_after else ""
    return f"is away: you may claim the match{when}, when it is their turn"
