"""The text of an SGF file taken apart into games and cells; what they mean is said in `sgf`."""

import re
from collections.abc import Iterator

from tavla_engine.actions import Seat
from tavla_engine.errors import BadText
from tavla_engine.mat_text import MAX_DIGITS, MAX_LINE, WHOLE_MATCH, Cell, Game, Kind, Sheet
from tavla_engine.position import BAR, OFF
from tavla_engine.rules import Variant
from tavla_engine.setup import MIDDLE, Setup, row_of

MAX_TEXT = 10_000_000  # characters; a match to 7 points that was analysed at two plies takes 400,000 to 550,000
COLOURS = "WB"  # by seat
OWNERS = "wbc"  # of the cube
LETTERS = "abcdefghijklmnopqrstuvwx"
BAR_LETTER, OFF_LETTER = "y", "z"
BACKGAMMON = "6"  # among the games of SGF
VARIANTS = {Variant.NACKGAMMON: "Nackgammon", Variant.HYPERGAMMON: "Hypergammon3"}
FACTS = {
    "PC": "Site",
    "EV": "Event",
    "RO": "Round",
    "DT": "EventDate",
    "AN": "Transcriber",
}  # as a `.mat` file has them
_UNKNOWN_GAMES = ("Hypergammon1", "Hypergammon2")
_BOARD = ("AE", "AW", "AB")
_CUBE = ("CV", "CP")
_READ = {"GM", "MI", "PW", "PB", "RU", "RE", "TAVLA", "PL", "DI", *COLOURS, *FACTS, *_BOARD, *_CUBE}
_TOKEN = re.compile(r"\s*(?:([(;)])|([A-Za-z]+)(?=\s*\[)|\[([^\]\\]*(?:\\.[^\]\\]*)*)\])", re.DOTALL)
_TURN = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,4})")
_POINTS = re.compile(r"([a-z])(?::([a-z]))?")
_RESULT = re.compile(rf"([WB])\+(?:([0-9]{{1,{MAX_DIGITS}}})R?|F(?:orfeit)?)")
_WORDS = {"double": Kind.DOUBLE, "take": Kind.TAKE, "drop": Kind.DROP}

_ASIDE = ""  # the mark of a game with variations, among the properties of its first node

Node = dict[str, list[str]]


def parse_sgf(text: str) -> Sheet:
    """The games of an SGF file. Raises: BadText."""
    if len(text) > MAX_TEXT:
        raise BadText(f"a match has no more than {MAX_TEXT} characters, this file has {len(text)}")
    trees = list(_trees(text))
    if not trees or not all(trees):
        raise BadText("this is no SGF file: a game stands between ( and ), its moves after ;")
    if (other := trees[0][0].get("GM", [BACKGAMMON])[0].strip()) != BACKGAMMON:
        raise BadText(f"this SGF file is of another game than backgammon: it has GM[{other[:10]}], not GM[6]")
    trees, notes = _first_match(trees)
    if any(_ASIDE in nodes[0] for nodes in trees):
        notes = (*notes, "this file has variations: only the first one of each is read")
    games = [_game(number, nodes) for number, nodes in enumerate(trees, 1)]
    return Sheet(_fields(trees[0][0]).get("length", 0), _tags(trees), games, notes, unit="move")


def _first_match(trees: list[list[Node]]) -> tuple[list[list[Node]], tuple[str, ...]]:
    """The games before a second match begins, and what is said of it."""
    length = _fields(trees[0][0]).get("length", 0)
    for place, nodes in enumerate(trees[1:], 1):
        fields = _fields(nodes[0])
        if fields.get("length", length) != length or fields.get("game", place) == 0:
            return trees[:place], (f"a second match begins with game {place + 1} of this file: only the first is read",)
    return trees, ()


def _trees(text: str) -> Iterator[list[Node]]:
    """The nodes of each game; a property's values by its name, of those that are read. Variations are passed over."""
    nodes: list[Node] = []
    name, depth, place, is_aside = "", 0, 0, False
    text = text.removeprefix("\ufeff").rstrip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise BadText(f"cannot read {text[place : place + 40]!r}")
        place = token.end()
        mark, word, value = token.groups()
        if mark:
            depth += {"(": 1, ")": -1}.get(mark, 0)
            if depth < 0 or (depth == 0 and mark == ";"):
                raise BadText("this is no SGF file: a game stands between ( and ), its moves after ;")
            if mark == ")" and depth:  # the row of moves has come to its end; other variations may follow
                is_aside = True
            elif mark == ")":
                yield nodes
                nodes, is_aside = [], False
            elif mark == ";" and is_aside:
                nodes[0][_ASIDE] = []
            elif mark == ";":
                nodes.append({})
        elif is_aside:
            continue
        elif word:
            name = word
        elif not nodes or not name:
            raise BadText(f"no property has the value {value[:40]!r}")
        elif name in _READ:
            nodes[-1].setdefault(name, []).append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
    if depth:
        raise BadText("the last game has no end: a ) is missing")


def _fields(root: Node) -> dict[str, int]:
    """The numbers of MI."""
    pairs = (value.partition(":") for value in root.get("MI", []))
    return {name: int(number) for name, _, number in pairs if re.fullmatch(f"[0-9]{{1,{MAX_DIGITS}}}", number)}


def _game(place: int, nodes: list[Node]) -> Game:
    """Read a game. place: among the games of the file, for errors."""
    root, fields = nodes[0], _fields(nodes[0])
    names = (root.get("PW", ["?"])[0] or "?", root.get("PB", ["?"])[0] or "?")
    score, number = (fields.get("ws", 0), fields.get("bs", 0)), fields.get("game", 0) + 1
    cells: list[Cell] = []
    for at, node in enumerate(nodes):
        if (setup := _setup(at, node)) is not None:
            if cells and cells[-1].setup is not None:  # board and cube stand in nodes of their own
                known = {name: value for name, value in setup._asdict().items() if value is not None}
                cells[-1] = cells[-1]._replace(setup=cells[-1].setup._replace(**known))
            else:
                cells.append(Cell(at, 0, Kind.SET, setup=setup))
        cells += _cells(at, node, offered=bool(cells) and cells[-1].kind in (Kind.DOUBLE, Kind.BEAVER))
    if result := _RESULT.fullmatch(nodes[0].get("RE", [""])[0]):
        points = int(result[2]) if result[2] else WHOLE_MATCH + fields.get("length", 0)
        cells.append(Cell(len(nodes), COLOURS.index(result[1]), Kind.WIN, number=points))
    return Game(place, number, names, score, cells, "CrawfordGame" in root.get("RU", [""])[0].split(":"))


def _setup(at: int, node: Node) -> Setup | None:
    """A set-up position, or a part of it; None for other nodes. CV of a game's first node is of automatic doubles."""
    has_board = any(name in node for name in _BOARD)
    if not has_board and (at == 0 or not any(name in node for name in _CUBE)):
        return None
    if has_board and at and "a:y" not in node.get("AE", []):
        raise BadText(f"move {at}: a set-up position that changes single points cannot be read")
    turn = node.get("PL", [""])[0][:1].upper()
    cube, owner = node.get("CV", [""])[0], node.get("CP", [""])[0][:1].lower()
    if "CV" in node and not re.fullmatch(f"[0-9]{{1,{MAX_DIGITS}}}", cube):
        raise BadText(f"move {at}: cannot read {cube[:40]!r}, which should be the cube of a set-up position")
    return Setup(
        (_row(at, 0, node.get("AW", [])), _row(at, 1, node.get("AB", []))) if has_board else None,
        COLOURS.index(turn) if turn and turn in COLOURS else None,
        int(cube) if cube else None,
        {"w": 0, "b": 1, "c": MIDDLE}.get(owner),
    )


def _row(at: int, seat: Seat, values: list[str]) -> bytes:
    """A player's checkers on these points, one a letter."""
    letters = ""
    for value in values:
        found = _POINTS.fullmatch(value)
        if found is None:
            raise BadText(f"move {at}: cannot read {value[:40]!r} in a set-up position")
        letters += "".join(map(chr, range(ord(found[1]), ord(found[2] or found[1]) + 1)))
    if len(letters) > BAR:
        raise BadText(f"move {at}: a set-up position has {len(letters)} checkers of one player")
    return row_of(_point(seat, letter) for letter in letters)


def _cells(at: int, node: Node, offered: bool) -> Iterator[Cell]:
    """Cells of a node; none, if it is about something else. at: its place in the game."""
    if not at:
        return
    for seat, colour in enumerate(COLOURS):
        for value in node.get(colour, []):
            if kind := _WORDS.get(value.lower()):
                yield Cell(at, seat, Kind.BEAVER if offered and kind is Kind.DOUBLE else kind)
            else:
                yield _turn(at, seat, value)
    if "DI" in node and "PL" in node and node["PL"][0] in (*COLOURS, "White", "Black"):
        yield _turn(at, COLOURS.index(node["PL"][0][0]), node["DI"][0])


def _turn(at: int, seat: Seat, value: str) -> Cell:
    turn = _TURN.fullmatch(value)
    if turn is None:
        raise BadText(f"move {at}: cannot read {value[:40]!r}")
    steps = re.findall("..", turn[3])
    play = " ".join(f"{_point(seat, source)}/{_point(seat, target)}" for source, target in steps)
    return Cell(at, seat, Kind.ROLL, (int(turn[1]), int(turn[2])), play)


def _point(seat: Seat, letter: str) -> int:
    point = {BAR_LETTER: BAR, OFF_LETTER: OFF}.get(letter, LETTERS.find(letter) + 1)
    return point if seat == 0 or letter in (BAR_LETTER, OFF_LETTER) else BAR - point


def _tags(trees: list[list[Node]]) -> dict[str, str]:
    """The rules of the first game and what is told of the match, as remarks of a `.mat` file tell them."""
    root = trees[0][0]
    words = root.get("RU", [""])[0].split(":")
    if unknown := next((word for word in words if word in _UNKNOWN_GAMES), None):
        raise BadText(f"this is a match of {unknown}, with fewer checkers than the hypergammon that is played here")
    tags = {"Crawford": "On" if "Crawford" in words else "Off", "Jacoby": "On" if "Jacoby" in words else "Off"}
    if "NoCube" in words:
        tags["CubeLimit"] = "1"
    for variant, word in VARIANTS.items():
        if word in words:
            tags["Variation"] = variant.value
    ties = [int(value).bit_length() - 1 for nodes in trees if (value := nodes[0].get("CV", ["1"])[0]).isdecimal()]
    if any(tie > 0 for tie in ties):
        tags |= {"AutomaticDoubles": str(max(ties)), "OpeningTies": " ".join(map(str, ties))}
    tags |= {tag: root[name][0][:MAX_LINE] for name, tag in FACTS.items() if root.get(name, [""])[0].strip()}
    if "EventDate" in tags:
        tags["EventDate"] = tags["EventDate"].replace("-", ".")
    told = (value.partition(":") for value in root.get("TAVLA", []))
    return tags | {name: value[:MAX_LINE] for name, _, value in told}
