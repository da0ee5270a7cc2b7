"""Moderators' view: reports, and what is known of a player. Pure."""

from collections.abc import Iterator
from datetime import UTC, datetime

from tavla_engine.analysis import PR_FACTOR, SIZES
from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import plural, rating_text

MEANING = "a figure, no verdict: the best people are at a PR of 3, and take longer over hard plays; programs do not"


def report_lines(id_: str, report: m.Complaint) -> Iterator[str]:
    """A report, and below it earlier reasons, what was said, and who has closed it."""
    where = f" in match {clean(report.match)}" if report.match else ""
    yield f"{clean(id_)}  {_time(report.time)}"
    yield f"  {clean(report.by)} reports {clean(report.about)}{where}: {clean(report.reason)}"
    for reason in report.earlier:
        yield f"    earlier: {clean(reason)}"
    for name, said in report.lines:
        yield f"    {clean(name)}: {clean(said)}"
    if report.closed:
        yield f"    closed {_time(report.closed)} by {clean(report.closed_by)}: {clean(report.closed_why)}"


def inspected_lines(found: m.Inspected) -> Iterator[str]:
    """A player's account, open matches and sanctions."""
    rating = "" if found.rating is None else f", rating {rating_text(found.rating)}, experience {found.experience}"
    role = f", {clean(found.role)}" if found.role else ""
    yield f"{clean(found.name)} ({clean(found.kind)}{rating}{role}), {'online' if found.online else 'not online'}"
    for id_, table in found.matches.items():
        players = " - ".join(clean(name or "?") for name in table.players)
        yield f"  match {clean(id_)}: {players}, {table.score[0]}-{table.score[1]}"
    for id_, name in found.tournaments.items():
        yield f"  has made tournament {clean(id_)}: {clean(name)}"
    for known in found.penalties:
        until = f"until {_time(known.until)}" if known.until else "for good"
        yield f"  {clean(known.what)} {until}: {clean(known.reason)} (by {clean(known.by)})"
    yield f"  {plural(found.reports, 'report')} about {clean(found.name)}"


def figure_lines(found: m.Figures) -> Iterator[str]:
    """Figures of fair play, and what they mean."""
    name = clean(found.name)
    if found.performance is None:
        yield f"{name}: no rated match was judged yet"
        return
    error = "" if found.error is None else f" ± {found.error:.1f}"
    yield (
        f"{name}: PR {found.performance:.1f}{error} in {found.matches} rated match{'es' * (found.matches > 1)}, "
        f"{plural(found.decisions, 'decision')}, by {clean(found.by)}"
    )
    if found.rating is not None:
        yield f"  rating {rating_text(found.rating)}, experience {found.experience}"
    if found.hard and found.hard_s is not None:
        others = "" if found.others_s is None else f", {found.others_s:.1f} s for another"
        yield f"  hard plays: {found.right} of {found.hard} as the judge; {found.hard_s:.1f} s for one{others}"
    if found.opponents:
        yield "  plays most with " + ", ".join(f"{clean(who)} ({count})" for who, count in found.opponents)
    for one in found.errors:
        is_rated = one.decisions and one.what not in SIZES.values()  # of a size alone it would say nothing
        rating = f"PR {PR_FACTOR * one.lost / one.decisions:.1f}, " if is_rated else ""
        worst = f", at most {one.worst:.2f} in match {clean(one.match)}, decision {one.number}" if one.worst else ""
        yield f"  {clean(one.what)}: {plural(one.decisions, 'decision')}, {rating}{one.lost:.1f} lost{worst}"
    for play in found.best:
        where = f"in match {clean(play.match)}, decision {play.number}"
        yield f"  best: {clean(play.done)}, {play.margin:.2f} ahead of the next one {where}"
    yield f"  {MEANING}"


def _time(time_ms: int) -> str:
    """The server's people are in many places: UTC."""
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
