"""Tournaments: their times, and their standings. Pure."""

from collections.abc import Iterable, Mapping

from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural

COLUMNS = ("", "player", "points", "won", "performance", "now")
NUMBERS = ("", "points", "won", "performance")


def state_text(tournament: m.Tournament, now_s: int) -> str:
    """`begins in 5 min`, `41 min left, 3 matches`, `round 2 of 5, 9 min left, 3 matches`, `over`."""
    if tournament.ends < tournament.starts:
        return "cancelled"
    if tournament.over:
        return "over"
    if now_s < tournament.starts:
        return f"begins in {_minutes(tournament.starts - now_s)}"
    playing = plural(tournament.playing, "match").replace("matchs", "matches")
    if tournament.format != "arena":
        return _round_text(tournament, playing, now_s)
    if not tournament.players:
        return "under way"  # its time is nobody's yet
    if now_s >= tournament.ends:
        return f"the last {playing}"
    halted = ", halted" if tournament.halted else ""
    return f"{_minutes(tournament.ends - now_s)} left, {playing}{halted}"


def entry_text(tournament: m.Tournament, now_s: int, begins: str) -> str:
    """`begins in 25 min, at 20:00, 3 players are in it`: what whoever enters has to know. begins: the time of day."""
    ahead = now_s < tournament.starts and not tournament.over
    at = f", at {begins}" if ahead else ""
    are = "is" if tournament.players == 1 else "are"
    return f"{state_text(tournament, now_s)}{at}, {plural(tournament.players, 'player')} {are} in it"


def round_text(tournament: m.Tournament, now_s: int) -> str:
    """Until when a match has to be over, and who wins it then; "" = there are no rounds."""
    if not tournament.round:
        return ""
    left = _minutes(max(0, tournament.ends - now_s))
    return f"round {tournament.round} is over in {left}: a match in play is won then by who has used less time in it"


def call_text(called: m.Called, join: str) -> str:
    """The reason for which a tournament calls a player, or what was decided without a match; "" = nothing is to be done
    any more.

    join: the command that enters it.
    """
    name, opponent = clean(called.name), clean(called.opponent)
    of = f" of {called.rounds}" if called.rounds else ""
    said = {
        "come": f"{name}: round {called.round}{of} begins without you in {called.left} s: {join}",
        "won": f"{name}: you have won round {called.round}: {opponent} did not come",
        "lost": f"{name}: you did not come to round {called.round}: {opponent} has won",
        "bye": f"{name}: you have a bye in round {called.round}, which counts as a win",
    }
    return said.get(called.what, "")


def _round_text(tournament: m.Tournament, playing: str, now_s: int) -> str:
    if not tournament.round:
        return "waits for players"
    left_s = tournament.ends - now_s
    is_over = "over" if not tournament.playing else f"{_minutes(left_s)} left, {playing}" if left_s > 0 else playing
    return f"round {tournament.round} of {tournament.rounds}, {is_over}{', halted' if tournament.halted else ''}"


def rows_in_order(rows: Mapping[str, m.Standing]) -> list[tuple[str, m.Standing]]:
    """The rows of standings, the first first."""

    def place(row: tuple[str, m.Standing]) -> tuple[object, ...]:
        name, one = row
        return -one.points, [-tiebreak for tiebreak in one.tiebreaks], -(one.performance or 0), name

    return sorted(rows.items(), key=place)


def standing_rows(rows: Iterable[tuple[str, m.Standing]]) -> list[tuple[str, ...]]:
    """The cells of each row."""
    return [
        (
            str(place),
            clean(name),
            f"{row.points}{'*' if row.streak > 1 else ''}",
            f"{row.wins} of {row.matches}",
            "" if row.performance is None else str(row.performance),
            "plays" if row.match else "waits" if row.waiting else "",
        )
        for place, (name, row) in enumerate(rows, 1)
    ]


def _minutes(seconds: int) -> str:
    return f"{-(-seconds // 60)} min"
