"""The dice of a server in words: how they have fallen, and how far off chance alone leads."""

from itertools import product

from tavla_engine.fairness import OUTCOMES, expected_face, expected_rolls, face_margin, faces, margin, tables_per_alarm
from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean

PLACES = list(product(range(1, 7), repeat=2))
FEW = 1_000  # rolls: with less, the bounds say little


def dice_table(rolls: m.Rolls) -> list[tuple[str, ...]]:
    """Counts of all 36 outcomes, a line for each first die; `!` behind one that is out of bounds."""
    counts = _all(rolls)
    low, high = _bounds(sum(counts))
    marked = [f"{count:,}{' ' if low <= count <= high else '!'}" for count in counts]
    return [(f"first die {one}", *marked[6 * one - 6 : 6 * one]) for one in range(1, 7)]


def dice_text(rolls: m.Rolls, server: str, when: str) -> list[str]:
    """Lines before the table: the number of rolls, and the time of the count."""
    if not rolls.matches or not is_whole(rolls):
        return [f"{clean(server)} has counted no dice yet: it does so when matches are over, once an hour"]
    number = sum(_all(rolls))
    proved = "all of them" if rolls.proved == rolls.matches else f"{rolls.proved:,} of them"
    return [
        f"The dice of {clean(server)}: {number:,} rolls in {rolls.matches:,} finished matches, {when}",
        f"Recomputed by the server from the seeds, and found the same: {proved}",
    ]


def bounds_text(rolls: m.Rolls) -> list[str]:
    """Lines after the table: expected counts with bounds, doubles, seats and luck."""
    counts = _all(rolls)
    number = sum(counts)
    low, high = _bounds(number)
    out = [f"{one}-{two}" for (one, two), count in zip(PLACES, counts, strict=True) if not low <= count <= high]
    said = f"outside are {', '.join(out)}" if out else "all 36 numbers are within"
    lines = [
        f"Fair dice: each number about {expected_rolls(number):,.1f}, from {max(low, 0):,.1f} to {high:,.1f}; {said}",
        _faces_text(counts, number),
        "(rolls/36 +- 4 sqrt(35 rolls)/36 and rolls/3 +- 4 sqrt(10 rolls)/6; with fair dice something is outside"
        f" in about one of {tables_per_alarm(number):.0f} such tables)",
    ]
    if number < FEW:
        lines.append(f"{number:,} rolls are too few to tell much: look again when there are thousands")
    for whose, cells in (("White", rolls.white), ("Black", rolls.black), ("Opening rolls", rolls.opening)):
        lines.append(f"{whose}: {_doubles_text(cells)}")
    if rolls.judged > 0:
        winners, losers = (luck / rolls.judged for luck in rolls.luck)
        lines.append(
            f"Luck in {rolls.judged:,} judged matches: winners {winners:+.2f}, losers {losers:+.2f} a match;"
            f" the luckier one has won {rolls.luckier / rolls.judged:.0%}"
        )
    return lines


def is_whole(rolls: m.Rolls) -> bool:
    """True if all 36 outcomes are told of everybody."""
    return all(len(cells) == OUTCOMES and min(cells) >= 0 for cells in (rolls.white, rolls.black, rolls.opening))


def _faces_text(counts: list[int], number: int) -> str:
    low, high = expected_face(number) - face_margin(number), expected_face(number) + face_margin(number)
    found = faces(counts)
    out = [str(face) for face, count in enumerate(found, 1) if not low <= count <= high]
    said = f"outside are {', '.join(out)}" if out else "all six are within"
    shown = ", ".join(f"{count:,}" for count in found)
    return f"Dice that show 1 to 6: {shown}; fair dice: {max(low, 0):,.0f} to {high:,.0f}; {said}"


def _doubles_text(cells: list[int]) -> str:
    number, doubles = sum(cells), sum(cells[::7])
    low, high = expected_rolls(number, 6) - margin(number, 6), expected_rolls(number, 6) + margin(number, 6)
    share = f" ({doubles / number:.1%})" if number else ""
    return f"{number:,} rolls, {doubles:,} doubles{share}; fair dice: {max(low, 0):,.0f} to {high:,.0f}"


def _all(rolls: m.Rolls) -> list[int]:
    return [sum(cells) for cells in zip(rolls.white, rolls.black, rolls.opening, strict=True)]


def _bounds(number: int) -> tuple[float, float]:
    return expected_rolls(number) - margin(number), expected_rolls(number) + margin(number)
