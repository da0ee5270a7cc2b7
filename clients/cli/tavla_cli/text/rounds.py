"""Tournaments with rounds: the pairs of one, crosstables, brackets. Pure; no line is longer than WIDTH."""

from collections.abc import Iterable, Mapping, Sequence

from tavla_protocol import messages as m

from tavla_cli.text.cleaning import clean

WIDTH = 80
BRACKETS = "main bracket", "consolation", "last chance"
COLUMNS_SHOWN = 5  # of a bracket: its last rounds, and the winner
FULL = "─┐│├┘"
ASCII = "-+|++"

Ranked = Sequence[tuple[str, m.Standing]]


def in_order(rows: Mapping[str, m.Pairing]) -> list[m.Pairing]:
    """Pairings in the order in which they were made."""
    return [row for _, row in sorted(rows.items(), key=lambda row: int(row[0]))]


def pair_text(pairing: m.Pairing) -> str:
    """`ada plays bob`, `ada beats bob`, `ada has a bye`, `ada wins, bob has not come`."""
    names = [clean(name) for name in pairing.players]
    if len(names) == 1:
        return f"{names[0]} has a bye"
    if not pairing.over:
        return f"{names[0]} plays {names[1]}"
    if pairing.winner is None:
        return f"{names[0]} and {names[1]}: nobody has won"
    winner, loser = names[pairing.winner], names[1 - pairing.winner]
    return f"{winner} wins, {loser} has not come" if pairing.absent else f"{winner} beats {loser}"


def match_row(pairing: m.Pairing) -> tuple[str, ...]:
    """A match's id, white, black, and who has won; of a private one the code, too."""
    won = pairing.players[pairing.winner] if pairing.winner is not None else "nobody" if pairing.over else ""
    return (pairing.match, *pairing.players, won, *([pairing.code] if pairing.code else ()))


def round_lines(pairings: Sequence[m.Pairing]) -> list[str]:
    """The pairs of the last round."""
    last = max((pairing.round for pairing in pairings), default=0)
    return [f"  {pair_text(pairing)}" for pairing in pairings if pairing.round == last]


def swiss_rows(ranked: Ranked, pairings: Iterable[m.Pairing]) -> list[tuple[str, ...]]:
    """Place, name, points and tiebreaks of each player; then each round: against which place, won, lost or played."""
    places = {name: place for place, (name, _) in enumerate(ranked, 1)}
    by_round: dict[str, dict[int, str]] = {name: {} for name in places}
    last = 0
    for pairing in pairings:
        last = max(last, pairing.round)
        for seat, name in enumerate(pairing.players):
            if name in by_round:
                other = pairing.players[1 - seat] if len(pairing.players) > 1 else ""
                place = places.get(other, "-") if other else "bye"
                by_round[name][pairing.round] = f"{place}{_sign(pairing, seat) if other else ''}"
    return [
        (
            str(place),
            clean(name),
            str(row.points),
            *map(str, row.tiebreaks),
            *(by_round[name].get(round_, "") for round_ in range(max(1, last - 7), last + 1)),
        )
        for place, (name, row) in enumerate(ranked, 1)
    ]


def swiss_columns(pairings: Iterable[m.Pairing]) -> tuple[str, ...]:
    """The names of their columns: of eight rounds, the last ones."""
    last = max((pairing.round for pairing in pairings), default=0)
    return "", "player", "points", "buchholz", "s-b", *map(str, range(max(1, last - 7), last + 1))


def _sign(pairing: m.Pairing, seat: int) -> str:
    if not pairing.over:
        return "?"
    return "=" if pairing.winner is None else "+" if pairing.winner == seat else "-"


def crosstable(ranked: Ranked, pairings: Iterable[m.Pairing]) -> list[str]:
    """The crosstable of wins: `+`, `-`, `?` = it is played now, `.` = it is to come."""
    names = [name for name, _ in ranked]
    cells = {(one, other): "." for one in names for other in names}
    for pairing in pairings:
        if len(pairing.players) == 2:
            white, black = pairing.players
            cells[white, black], cells[black, white] = _sign(pairing, 0), _sign(pairing, 1)
    each = 3 if len(names) < 17 else 2
    room = min(max(map(len, names), default=0), WIDTH - 8 - each * len(names))
    head = f"{'':{room + 7}}" + "".join(f"{str(place)[-each + 1 :]:>{each}}" for place in range(1, len(names) + 1))
    return [
        head,
        *(
            f"{place:>2} {clean(name)[:room]:{room}}{row.points:>4}"
            + "".join(f"{'x' if other == name else cells[name, other]:>{each}}" for other in names)
            for place, (name, row) in enumerate(ranked, 1)
        ),
    ]


def brackets(pairings: Sequence[m.Pairing], ascii_only: bool = False) -> list[tuple[str, list[str]]]:
    """A knock-out's brackets: the name of each, and its lines."""
    of_each = ([pairing for pairing in pairings if pairing.bracket == number] for number in range(len(BRACKETS)))
    return [(name, bracket(some, ascii_only)) for name, some in zip(BRACKETS, of_each, strict=True) if some]


def bracket(pairings: Sequence[m.Pairing], ascii_only: bool = False) -> list[str]:
    """The last rounds of a bracket: on the left of each player those of the round before."""
    first = min((pairing.round for pairing in pairings), default=1)
    rounds: list[list[m.Pairing]] = []
    for pairing in pairings:
        if pairing.round - first == len(rounds):
            rounds.append([])
        rounds[pairing.round - first].append(pairing)
    if not rounds:
        return []
    columns = [
        [name for one in rounds[0] for name in (*one.players, "")[:2]],
        *([one.players[one.winner] if one.winner is not None else "" for one in one_round] for one_round in rounds),
    ]
    while len(columns[-1]) > 1:  # of rounds that are to come
        columns.append([""] * (len(columns[-1]) // 2))
    columns = columns[-COLUMNS_SHOWN:]
    return _drawn(columns, ASCII if ascii_only else FULL)


def _drawn(columns: list[list[str]], signs: str) -> list[str]:
    width, line, upper, down, middle, lower = WIDTH // len(columns), *signs
    canvas = [[" "] * WIDTH for _ in range(2 * len(columns[0]) - 1)]

    def put(y: int, x: int, text: str) -> None:
        canvas[y][x : x + len(text)] = text

    for at, names in enumerate(columns):
        step, x = 2 << at, at * width
        rows = [(1 << at) - 1 + step * number for number in range(len(names))]
        is_first = at == 0
        for number, (y, name) in enumerate(zip(rows, names, strict=True)):
            shown = clean(name)[: width - 3]
            other = names[number ^ 1] if len(names) > 1 else ""
            if is_first and not (name and other):
                continue  # a bye: it begins with the next round
            put(y, x, f"{shown} " if shown else "")
            if len(names) > 1:
                begin = len(shown) + 1 if shown else 0
                put(y, x + begin, line * (width - 2 - begin) + (lower if number & 1 else upper))
        if len(names) > 1:
            for upper_y, lower_y in zip(rows[::2], rows[1::2], strict=True):
                if canvas[upper_y][x + width - 2] == upper:
                    for y in range(upper_y + 1, lower_y):
                        put(y, x + width - 2, middle if y == (upper_y + lower_y) // 2 else down)
    return [text for row in canvas if (text := "".join(row).rstrip())]
