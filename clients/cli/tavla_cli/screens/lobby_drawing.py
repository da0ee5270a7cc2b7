"""The lobby as text. Pure: rows in, lines out, for any size of the screen; nothing of others is shown as it came.

Tavla lobby                                            ada at localhost:8765
open tables: 1
> sofa           grace 1723                  match to 5 points, hints
live matches: 1
  cup            ada 1500 - bob 1600         2-1    match to 5 points
"""

import textwrap
from datetime import datetime
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size
from tavla_protocol import messages as m

from tavla_cli.screens import table_form
from tavla_cli.screens.lobby_state import Choice, Lobby
from tavla_cli.screens.table_form import TableForm
from tavla_cli.text.absence import paused_text
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import challenge_text
from tavla_cli.text.phrases import player_text, told_score
from tavla_cli.text.rules import rules_text
from tavla_cli.text.seeking import seeker_text

Line: TypeAlias = list[tuple[str, str]]  # (style, text), as prompt_toolkit takes them

NAME_COLUMNS = 14  # of a table, on 80 columns; a wider screen shows more of everything
MAKER_COLUMNS = 26
PLAYERS_COLUMNS = 37
SCORE_COLUMNS = 6
USUAL_COLUMNS = 80
PEOPLE_LINES = 3
PEOPLE_FROM_ROWS = 14  # a lower screen has room for tables alone
OLD = "-- the above was said while you were away --"
LEAST_IMPORTANT = ("r", "h", "p", "/", "s", "c", "m", "Tab", "Enter")  # keys that a narrow screen leaves out, in turn


def draw(lobby: Lobby, columns: int, rows: int, ascii_only: bool = False, form: TableForm | None = None) -> list[Line]:
    """The screen, from its first line to its last. form: what is filled in now."""
    if form is not None:
        return _form_page(lobby, form, columns, rows, ascii_only)
    people = _people(lobby, columns, ascii_only) if rows >= PEOPLE_FROM_ROWS and lobby.page == "tables" else []
    below = [
        *people,
        *_whole_rules(lobby, columns, ascii_only),
        [("bold", _cut(_notice_line(lobby), columns, ascii_only))],
        _keys(lobby, columns),
    ]
    body, chosen = _BODIES[lobby.page](lobby, columns, ascii_only)
    return _page(_head(lobby, columns), body, chosen, below, rows)


def _page(head: Line, body: list[Line], chosen: int, below: list[Line], rows: int) -> list[Line]:
    """The lines that fit: of the body those around the chosen one."""
    space = max(1, rows - 2 - len(below))
    first = max(0, min(chosen - space // 2, len(body) - space))
    shown = body[first : first + space]
    return [head, [], *shown, *[[] for _ in range(space - len(shown))], *below][:rows]


def _form_page(lobby: Lobby, form: TableForm, columns: int, rows: int, ascii_only: bool) -> list[Line]:
    """The form in place of the lists, so that the chosen field is to be seen on any screen."""
    below: list[Line] = [[("bold", _cut(lobby.notice, columns, ascii_only))], [("", table_form.keys(form)[:columns])]]
    body: list[Line] = [
        [(style, _fit(text, columns, ascii_only) if style == "reverse" else _cut(text, columns, ascii_only))]
        for style, text in table_form.lines(form, columns, ascii_only)
    ]
    chosen = next((place for place, line in enumerate(body) if line[0][0] == "reverse"), 0)
    return _page(_head(lobby, columns), body, chosen, below, rows)


def _head(lobby: Lobby, columns: int) -> Line:
    title = " Tavla lobby"
    where = clean(f"{lobby.you} at {lobby.server.partition('://')[2] or lobby.server} ")
    gap = columns - len(title) - cell_len(where)
    return [("reverse", set_cell_size(title + " " * max(1, gap) + where, columns))]


def _tables_page(lobby: Lobby, columns: int, ascii_only: bool) -> tuple[list[Line], int]:
    """Both lists, and in which line the chosen row is."""
    choices, lines, chosen = lobby.choices, [], 0
    for what, paused, title, empty in (
        ("tables", False, "open tables", "none: c opens one, and others see it here"),
        ("seekers", False, "wait for an opponent", ""),
        ("matches", False, "live matches", "nobody plays just now"),
        ("matches", True, "paused matches", ""),
    ):
        mine = [choice for choice in choices if choice.what == what and lobby.paused(choice) == paused]
        if not mine and not empty:
            continue
        lines.append(_title(lobby, f"{title}: {len(mine)}" if mine else title, columns, ascii_only))
        for choice in mine:
            chosen = len(lines) if choice == lobby.chosen else chosen
            lines.append(_row(lobby, choice, columns, ascii_only))
        if not mine:
            lines.append([("", f"   {'none like this: Esc shows all' if lobby.wanted else empty}"[:columns])])
        lines.append([])
    return lines[:-1], chosen


def _people_page(lobby: Lobby, columns: int, ascii_only: bool) -> tuple[list[Line], int]:
    """A row for each player online, and the line of the chosen one."""
    choices = lobby.choices
    lines = [_title(lobby, f"people online: {lobby.people_total}", columns, ascii_only)]
    for choice in choices:
        person, is_chosen = lobby.people[choice.id], choice == lobby.chosen
        text = f" {_mark(is_chosen, ascii_only)} {player_text(choice.id, person.kind, person.rating)}"
        text += " (you)" if choice.id == lobby.you else f", {person.level}" if person.level else ""
        text += ", muted" if choice.id in lobby.muted else ""
        lines.append([("reverse" if is_chosen else "", _fit(text, columns, ascii_only))])
    return lines, choices.index(lobby.chosen) + 1 if lobby.chosen in choices else 0


def _chat_page(lobby: Lobby, columns: int, ascii_only: bool) -> tuple[list[Line], int]:
    """Lines that were said, the newest at the end, which is shown."""
    title: Line = [("bold", " said in the lobby"[:columns])]
    if not lobby.lines:
        text = "nothing yet: s says something" if lobby.lines is not None else "this server has no talk in its lobby"
        return [title, [("", f"   {text}"[:columns])]], 0
    lines = [title]
    keys = sorted(lobby.lines, key=int)
    last_old = max((key for key in keys if int(key) <= lobby.old), key=int, default="")
    for key in keys:
        wrapped = textwrap.wrap(_said(lobby.lines[key]), max(1, columns - 4), subsequent_indent="  ")
        lines += [[("", _cut(f" {part}", columns, ascii_only))] for part in wrapped]
        if key == last_old:
            lines.append([("bold", _cut(f" {OLD}", columns, ascii_only))])
    return lines, len(lines)


def _said(line: m.Line) -> str:
    """`14:02 ada: hello`: a line is kept for less than a day."""
    return clean(f"{datetime.fromtimestamp(line.since):%H:%M} {line.name}: {line.text}")


_BODIES = {"tables": _tables_page, "people": _people_page, "chat": _chat_page}


def _title(lobby: Lobby, title: str, columns: int, ascii_only: bool) -> Line:
    wanted = f', with "{lobby.wanted}"' if lobby.wanted else ""
    return [("bold", _cut(f" {title}{wanted}", columns, ascii_only))]


def _mark(is_chosen: bool, ascii_only: bool) -> str:
    return (">" if ascii_only else "▶") if is_chosen else " "


def _row(lobby: Lobby, choice: Choice, columns: int, ascii_only: bool) -> Line:
    is_chosen = choice == lobby.chosen
    if choice.what == "seekers":
        text = f" {_mark(is_chosen, ascii_only)} {seeker_text(lobby.seekers[choice.id], lobby.now)}"
        return [("reverse" if is_chosen else "", _fit(text, columns, ascii_only))]
    table = lobby.table(choice)
    assert table is not None, "a row of its list"
    style = "reverse" if is_chosen else "bold" if lobby.mine(table) else ""
    text = f" {_mark(is_chosen, ascii_only)} {_cells(lobby, choice, table, columns, ascii_only)}"
    return [(style, _fit(text, columns, ascii_only))]


def _cells(lobby: Lobby, choice: Choice, table: m.Table, columns: int, ascii_only: bool) -> str:
    """A table in columns; its rules come last, however long."""
    spare = max(0, columns - USUAL_COLUMNS)
    cells = [(table.name, NAME_COLUMNS + min(16, spare // 3))]
    if choice.what == "tables":
        cells += [(_who(table, lobby), MAKER_COLUMNS)]
    else:
        players = f"{_player(table, 0)} - {_player(table, 1)}"
        cells += [
            (players, PLAYERS_COLUMNS + min(20, spare // 3)),
            ("{}-{}".format(*told_score(table.score, table.rules)), SCORE_COLUMNS),
        ]
    paused = paused_text(table, lobby.now) if lobby.paused(choice) else ""
    told = f"{paused}; {rules_text(table.rules)}" if paused else rules_text(table.rules)
    return " ".join(_fit(cell, width, ascii_only) for cell, width in cells) + f" {told}"


def _whole_rules(lobby: Lobby, columns: int, ascii_only: bool) -> list[Line]:
    """Rules of the chosen table, if its row has no room for them."""
    chosen = lobby.chosen
    table = lobby.table(chosen) if chosen is not None and chosen in lobby.choices else None
    if chosen is None or table is None or cell_len(_cells(lobby, chosen, table, columns, ascii_only)) + 3 <= columns:
        return [[]]
    lines = textwrap.wrap(rules_text(table.rules), max(1, columns - 2))[:2]
    return [[("", _cut(f" {line}", columns, ascii_only))] for line in lines]


def _who(table: m.Table, lobby: Lobby) -> str:
    """Player who waits at a table, and for whom."""
    if lobby.mine(table):
        return f"you wait: code {table.code}" if table.code else "you wait here"
    seat = 0 if table.players[0] is not None else 1
    return _player(table, seat) + (" wants a bot" if table.opponent == "computer" else "")


def _player(table: m.Table, seat: int) -> str:
    return player_text(table.players[seat] or "?", table.kinds[seat], table.ratings[seat])


def _people(lobby: Lobby, columns: int, ascii_only: bool) -> list[Line]:
    """People online, the best first, as far as there is room."""
    best = ((name, lobby.people[name]) for name in lobby.best_people)
    texts = [player_text(name, one.kind, one.rating) for name, one in best]
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


def _notice_line(lobby: Lobby) -> str:
    """Notice line: the newest that the user should not miss."""
    if lobby.notice:
        return lobby.notice
    if lobby.challenges:
        more = f" (and {len(lobby.challenges) - 1} more)" if len(lobby.challenges) > 1 else ""
        return f" {challenge_text(lobby.challenges[0])}{more}"
    for table in lobby.matches.values():
        if lobby.mine(table) and not table.away[1 - table.players.index(lobby.you)]:
            opponent = table.players[1 - table.players.index(lobby.you)] or "?"
            return f" your match against {opponent} is on: choose it to go on"
    if lobby.lines and lobby.page != "chat":
        last = max(lobby.lines, key=int)
        return f" {'earlier, ' if int(last) <= lobby.old else ''}{_said(lobby.lines[last])}"
    return ""


def _keys(lobby: Lobby, columns: int) -> Line:
    """Keys that can be pressed; where there is little room, the most important."""
    keys = {
        "Enter": _enter(lobby),
        "m": _mute(lobby),
        "Tab": {"tables": "people", "people": "chat", "chat": "tables"}[lobby.page],
        "c": "open",
        "p": "private",
        "/": "find" if lobby.page != "chat" else "",
        "s": "say",
        "h": "history",
        "r": "report",
        "o": "moderate" if lobby.moderates else "",
        "Esc": "",
        "q": "leave",
    }
    if lobby.waiting or lobby.wanted:
        keys["Esc"] = "take it back" if lobby.waiting else "show all"
    if lobby.challenges:
        keys = {"a": "accept", "d": "decline", **keys}
    shown = [f"{key}: {what}" for key, what in keys.items() if what]
    for key in LEAST_IMPORTANT:
        if len("  ".join(shown)) >= columns:
            shown = [text for text in shown if not text.startswith(f"{key}: ")]
    return [("", f" {'  '.join(shown)}"[:columns])]


def _enter(lobby: Lobby) -> str:
    """Meaning of Enter."""
    chosen = lobby.chosen
    if chosen is None or chosen not in lobby.choices:
        return ""
    if chosen.what == "people":
        return "challenge" if lobby.other else ""
    if chosen.what == "seekers":
        return "play"
    table = lobby.table(chosen)
    if table is not None and lobby.mine(table):
        return "go there"
    return "join" if chosen.what == "tables" else "watch"


def _mute(lobby: Lobby) -> str:
    """Meaning of m."""
    if lobby.other is None:
        return ""
    return "hear again" if lobby.other in lobby.muted else "mute"


def _fit(text: str, columns: int, ascii_only: bool) -> str:
    """Exactly so wide."""
    return set_cell_size(_cut(text, columns, ascii_only), columns)


def _cut(text: str, columns: int, ascii_only: bool) -> str:
    """No wider than this; what is cut off is marked."""
    text = clean(text)
    if cell_len(text) <= columns:
        return text
    return set_cell_size(text, columns - 1) + ("~" if ascii_only else "…") if columns > 0 else ""
