"""The lobby as text. Pure: rows in, lines out, for any size of the screen; nothing of others is shown as it came.

Tavla lobby                                            ada at localhost:8765
open tables: 1
> sofa           grace 1723                  match to 5 points, hints
live matches: 1
  cup            ada 1500 - bob 1600         2-1    match to 5 points
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from tavla_engine.rules import Rules
from tavla_protocol import messages as m

from tavla_cli.words import clean, rules_text

Line: TypeAlias = list[tuple[str, str]]  # (style, text), as prompt_toolkit takes them

NAME_COLUMNS = 14  # of a table, on 80 columns; a wider screen shows more of everything
MAKER_COLUMNS = 26
PLAYERS_COLUMNS = 37
SCORE_COLUMNS = 6
USUAL_COLUMNS = 80
PEOPLE_LINES = 3
PEOPLE_FROM_ROWS = 14  # a lower screen has room for tables alone
KEYS = "up/down: choose   c: open a table   q: leave"


class Choice(NamedTuple):
    """A row that can be chosen, and stays chosen wherever it moves to in its list."""

    what: Literal["tables", "matches"]
    id: str


@dataclass(frozen=True, slots=True)
class Lobby:
    """What a player sees of a lobby. people: those shown; people_total: how many there are. notice: news for them."""

    you: str
    server: str
    tables: Mapping[str, m.Table]
    matches: Mapping[str, m.Table]
    people: Mapping[str, m.Person]
    people_total: int = 0
    chosen: Choice | None = None
    notice: str = ""

    @property
    def choices(self) -> list[Choice]:
        """Every row from top to bottom: one's own first; then tables that have waited longest, and best matches."""
        tables = sorted(self.tables, key=lambda id_: (not self.mine(self.tables[id_]), self.tables[id_].since, id_))
        matches = sorted(self.matches, key=lambda id_: (not self.mine(self.matches[id_]), *_rank(self.matches[id_])))
        return [Choice("tables", id_) for id_ in tables] + [Choice("matches", id_) for id_ in matches]

    def table(self, choice: Choice) -> m.Table | None:
        """The row that is chosen, if it is still there."""
        return (self.tables if choice.what == "tables" else self.matches).get(choice.id)

    def mine(self, table: m.Table) -> bool:
        """Whether one sits there."""
        return self.you in table.players


def draw(lobby: Lobby, columns: int, rows: int, ascii_only: bool = False) -> list[Line]:
    """The screen, from its first line to its last."""
    people = _people(lobby, columns, ascii_only) if rows >= PEOPLE_FROM_ROWS else []
    below = [*people, [], [("bold", _cut(lobby.notice or _news(lobby), columns, ascii_only))], _keys(lobby, columns)]
    head = [_head(lobby, columns), []]
    body, chosen = _body(lobby, columns, ascii_only)
    space = max(1, rows - len(head) - len(below))
    first = max(0, min(chosen - space // 2, len(body) - space))
    shown = body[first : first + space]
    return [*head, *shown, *[[] for _ in range(space - len(shown))], *below][:rows]


def _head(lobby: Lobby, columns: int) -> Line:
    title = " Tavla lobby"
    where = clean(f"{lobby.you} at {lobby.server.partition('://')[2] or lobby.server} ")
    gap = columns - len(title) - cell_len(where)
    return [("reverse", set_cell_size(title + " " * max(1, gap) + where, columns))]


def _body(lobby: Lobby, columns: int, ascii_only: bool) -> tuple[list[Line], int]:
    """Both lists, and in which line the chosen row is."""
    choices, lines, chosen = lobby.choices, [], 0
    for what, title, empty in (
        ("tables", "open tables", "none: c opens one, and others see it here"),
        ("matches", "live matches", "nobody plays just now"),
    ):
        mine = [choice for choice in choices if choice.what == what]
        lines.append([("bold", f" {title}: {len(mine)}"[:columns])] if mine else [("bold", f" {title}"[:columns])])
        for choice in mine:
            chosen = len(lines) if choice == lobby.chosen else chosen
            lines.append(_row(lobby, choice, columns, ascii_only))
        if not mine:
            lines.append([("", f"   {empty}"[:columns])])
        lines.append([])
    return lines[:-1], chosen


def _row(lobby: Lobby, choice: Choice, columns: int, ascii_only: bool) -> Line:
    table = lobby.table(choice)
    assert table is not None, "a row of its list"
    is_chosen = choice == lobby.chosen
    mark = (">" if ascii_only else "▶") if is_chosen else " "
    spare = max(0, columns - USUAL_COLUMNS)
    cells = [(table.name, NAME_COLUMNS + min(16, spare // 3))]
    if choice.what == "tables":
        cells += [(_who(table, lobby), MAKER_COLUMNS)]
    else:
        players = f"{_player(table, 0)} - {_player(table, 1)}"
        cells += [(players, PLAYERS_COLUMNS + min(20, spare // 3)), ("{}-{}".format(*table.score), SCORE_COLUMNS)]
    text = f" {mark} " + " ".join(_fit(cell, width, ascii_only) for cell, width in cells)
    text += " " + rules_text({**Rules()._asdict(), **table.rules})
    style = "reverse" if is_chosen else "bold" if lobby.mine(table) else ""
    return [(style, _fit(text, columns, ascii_only))]


def _who(table: m.Table, lobby: Lobby) -> str:
    """Who waits at a table, and for whom."""
    if lobby.mine(table):
        return "you wait here"
    seat = 0 if table.players[0] is not None else 1
    return _player(table, seat) + (" wants a bot" if table.opponent == "computer" else "")


def _player(table: m.Table, seat: int) -> str:
    """`ada 1500`, or `gnu (bot) 1800`."""
    mark = " (bot)" if table.kinds[seat] == "bot" else ""
    rating = table.ratings[seat]
    return (table.players[seat] or "?") + mark + (f" {rating}" if rating is not None else "")


def _people(lobby: Lobby, columns: int, ascii_only: bool) -> list[Line]:
    """Who is online, the best first, as far as there is room."""
    names = sorted(lobby.people, key=lambda name: (-(lobby.people[name].rating or 0), name.lower()))
    texts = [_person(name, lobby.people[name]) for name in names]
    lines = [""]
    for shown, text in enumerate(texts):
        more = f"and {lobby.people_total - shown} more"
        room = columns - 3 - (len(more) + 2 if len(lines) == PEOPLE_LINES else 0)
        joined = f"{lines[-1]}, {text}" if lines[-1] else text
        if cell_len(joined) <= room or not lines[-1]:
            lines[-1] = joined
        elif len(lines) < PEOPLE_LINES:
            lines.append(text)
        else:
            lines[-1] += f", {more}"
            break
    title: Line = [("bold", f" people online: {lobby.people_total}"[:columns])]
    return [[], title, *([("", _cut(f"   {line}", columns, ascii_only))] for line in lines)]


def _person(name: str, person: m.Person) -> str:
    mark = " (bot)" if person.kind == "bot" else ""
    return clean(name) + mark + (f" {person.rating}" if person.rating is not None else "")


def _news(lobby: Lobby) -> str:
    """What one should not miss."""
    for table in lobby.matches.values():
        if lobby.mine(table):
            opponent = table.players[1 - table.players.index(lobby.you)] or "?"
            return f" your match against {opponent} is on: choose it to go on"
    return ""


def _keys(lobby: Lobby, columns: int) -> Line:
    table = lobby.table(lobby.chosen) if lobby.chosen is not None else None
    if lobby.chosen is None or table is None:
        return [("", f" {KEYS}"[:columns])]
    verb = "go there" if lobby.mine(table) else "join" if lobby.chosen.what == "tables" else "watch"
    return [("", f" Enter: {verb}   {KEYS}"[:columns])]


def move(choices: Sequence[Choice], chosen: Choice | None, last: int, by: int) -> Choice | None:
    """The row so many further down. last: where the chosen one was when it was last seen, in case that it is gone."""
    if not choices:
        return None
    place = choices.index(chosen) if chosen in choices else last - (by > 0)
    return choices[max(0, min(len(choices) - 1, place + by))]


def _rank(table: m.Table) -> Iterable[object]:
    return -sum(rating or 0 for rating in table.ratings), -table.since, table.name


def _fit(text: str, columns: int, ascii_only: bool) -> str:
    """Exactly so wide."""
    return set_cell_size(_cut(text, columns, ascii_only), columns)


def _cut(text: str, columns: int, ascii_only: bool) -> str:
    """No wider than this; what is cut off is marked."""
    text = clean(text)
    if cell_len(text) <= columns:
        return text
    return set_cell_size(text, columns - 1) + ("~" if ascii_only else "…") if columns > 0 else ""
