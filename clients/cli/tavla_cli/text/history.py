"""A player's finished matches as lines of a list. Pure."""

from collections.abc import Sequence
from datetime import datetime

from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import player_text, told_score
from tavla_cli.text.rules import rules_text

FOR_NOW = ", for now"  # after the name of a judge before the last one
COLUMNS = ("when", "match", "opponent", "result", "played")
_HOW = {
    "time": "on time",
    "abandoned": "by claim",
    "forfeit": "by forfeit",
    "left": "",
    "aborted": "aborted",
    "adjudicated": "by a ruling",
    "voided": "void",
}  # by ending


def history_line(played: m.Finished) -> tuple[str, ...]:
    """A line of the list, for the one whose history it is: own points first."""
    you = played.seat
    when = datetime.fromtimestamp(played.ended / 1000).strftime("%Y-%m-%d %H:%M")
    verdict = "level" if played.winner is None else "won" if played.winner == you else "lost"
    points = told_score(played.score, played.rules)
    score = f"{points[you]}-{points[1 - you]}"
    result = " ".join(filter(None, (verdict, score, _HOW.get(played.ending, ""))))
    opponent = player_text(played.players[1 - you], played.kinds[1 - you])
    return when, clean(played.match), opponent, result, rules_text(played.rules).removeprefix("match to ")


def analysis_line(played: m.Finished) -> str:
    """Quality of play in a match, own figures first; "" until it is judged."""
    found, you = played.analysis, played.seat
    if found is None:
        return ""
    if found.error:
        return f"  not judged: {clean(found.error)}"
    ratings = [found.ratings[seat] for seat in (you, 1 - you)]
    luck = "/".join(f"{found.luck[seat]:+.2f}" for seat in (you, 1 - you))
    by, *_ = judge_text(found).split(" (")  # lines fit 80 columns
    return f"  PR {_pair(ratings)}  error rate {_pair(ratings, 2)}  luck {luck}  {by}"


def judge_text(found: m.Analysis) -> str:
    """The judge's name, and that a better one will come."""
    return clean(found.by) + (FOR_NOW if found.rough else "")


def _pair(ratings: Sequence[float | None], factor: int = 1) -> str:
    """Performance ratings, or error rates: GNU Backgammon's is twice the rating."""
    return "/".join("-" if rating is None else f"{factor * rating:.1f}" for rating in ratings)


def empty_text(name: str, own: bool) -> str:
    """Sentence for an empty list."""
    return ("you have" if own else f"{clean(name)} has") + " played no match to its end"


def page_end(count: int) -> str:
    """Question below a page of a list that goes on."""
    return f"{count} so far: Enter shows more, q ends"


def widths(lines: Sequence[Sequence[str]], columns: int) -> list[int]:
    """Width of each column; the last takes the rest of a screen."""
    wide = [max(len(cell) for cell in column) for column in zip(COLUMNS, *lines, strict=True)]
    wide[-1] = max(8, columns - sum(wide[:-1]) - 2 * (len(wide) - 1))
    return wide
