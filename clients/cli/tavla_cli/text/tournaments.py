"""Tournaments: their times, and their standings. Pure."""

from collections.abc import Iterable, Mapping

from tavla_protocol import messages as m

from tavla_cli.text.words import clean, plural

COLUMNS = ("", "player", "points", "won", "performance", "now")
NUMBERS = ("", "points", "won", "performance")


def state_text(tournament: m.Tournament, now_s: int) -> str:
    """`begins in 5 min`, `41 min left, 3 matches`, `over`."""
    if tournament.over:
        return "over"
    if now_s < tournament.starts:
        return f"begins in {_minutes(tournament.starts - now_s)}"
    playing = plural(tournament.playing, "match").replace("matchs", "matches")
    if now_s >= tournament.ends:
        return f"the last {playing}"
    halted = ", halted" if tournament.halted else ""
    return f"{_minutes(tournament.ends - now_s)} left, {playing}{halted}"


def ranked(rows: Mapping[str, m.Standing]) -> list[tuple[str, m.Standing]]:
    """The rows of standings, the first first."""
    return sorted(rows.items(), key=lambda row: (-row[1].points, -(row[1].performance or 0), row[0]))


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
