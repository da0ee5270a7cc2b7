"""SGF for backgammon (FF[4], GM[6]) as GNU Backgammon 1.07 writes and reads it: out of events, and back into events.

    (;FF[4]GM[6]CA[UTF-8]AP[Tavla]MI[length:7][game:0][ws:0][bs:0]PW[ada]PB[bob]RU[Crawford]RE[B+2]
    ;B[64aggk]
    ;W[double]
    ;B[take]
    ;W[66uooimgmg])

One tree a game. W is seat 0, B seat 1. A turn is its dice, higher first, and pairs of letters, one pair for each single
step: `a` to `x` are the points 1 to 24 as seat 0 counts them, for both players, `y` is the bar, `z` is off. Dice alone
could not be played. A beaver is a double of the one who is asked. `R` in RE says that the game was given up, and
`PL[W]DI[63]` are dice that were not played then; a game that is not over may end with such dice, too.
RU[Crawford:CrawfordGame] marks the Crawford game, CV the cube after ties in the opening roll. Rules that RU has no word
for stand in the first game as a property of our own, by the names of a `.mat` file's remarks, which others skip:
`TAVLA[Opening:winner][Backgammons:Off]`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.apply import apply
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.mat import MatRecord, record_of
from tavla_engine.mat_rules import rule_tags
from tavla_engine.mat_text import MAX_DIGITS, MAX_TEXT, Cell, Game, Kind, Sheet
from tavla_engine.match import Match
from tavla_engine.position import BAR, OFF
from tavla_engine.rules import Rules, Variant, preset

COLOURS = "WB"  # by seat
_LETTERS = "abcdefghijklmnopqrstuvwx"
_BAR, _OFF = "y", "z"
_VARIANTS = {Variant.NACKGAMMON: "Nackgammon", Variant.HYPERGAMMON: "Hypergammon3"}
_REPEATED = ("MI", "RU")
_TOKEN = re.compile(r"\s*(?:([(;)])|([A-Za-z]+)(?=\s*\[)|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
_TURN = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,4})")
_RESULT = re.compile(rf"([WB])\+([0-9]{{1,{MAX_DIGITS}}})R?")
_WORDS = {"double": Kind.DOUBLE, "take": Kind.TAKE, "drop": Kind.DROP}

Node = dict[str, list[str]]


def export_sgf(
    names: tuple[str, str],
    start: Match,
    events: Iterable[Event],
    tags: Mapping[str, str] | None = None,
    remarks: Mapping[int, Sequence[tuple[str, str]]] | None = None,
) -> str:
    """A match as SGF text; the last game may be unfinished.

    start: the match before the first event, as in `export_mat`. tags: more properties of the first game, as {"DT":
    "2026-11-20", "GC": "a remark"}. remarks: properties of single turns, by the place of the event, as ("C", "a word").
    Raises: ValueError for a variant that the format does not know.
    """
    if start.rules.variant not in (Variant.STANDARD, *_VARIANTS):
        raise ValueError(f"SGF knows no {start.rules.variant}")
    trees: list[_Tree] = []
    match = start
    for place, event in enumerate(events):
        if isinstance(event, e.GameStarted):
            more = (tags or {}) if not trees else {}
            trees.append(_Tree(match.rules, match.game, match.score, names, event.crawford, more))
        elif trees:
            trees[-1].write(match, event)
            trees[-1].remark((remarks or {}).get(place, ()))
        match = apply(match, event)
    if trees:
        trees[-1].unplayed(match)
        if not _is_told(start.rules):
            told = rule_tags(start.rules, [tree.ties for tree in trees])
            trees[0].head += "TAVLA" + "".join(f"[{name}:{_escaped(value)}]" for name, value in told.items())
    return "".join(tree.text() for tree in trees)


def import_sgf(text: str) -> MatRecord:
    """The match of an SGF file: each turn is decided by the rules, as `import_mat` does it.

    Raises: BadText, where the file cannot be read or breaks the rules.
    """
    if len(text) > MAX_TEXT:
        raise BadText(f"a match has no more than {MAX_TEXT} characters, this file has {len(text)}")
    trees = list(_trees(text))
    if not trees or not all(trees):
        raise BadText("this is no SGF file: a game stands between ( and ), its moves after ;")
    games = [_game(number, nodes) for number, nodes in enumerate(trees, 1)]
    return record_of(Sheet(_fields(trees[0][0]).get("length", 0), _tags(trees), games))


# --- Export -------------------------------------------------------------------------------------------------------


class _Tree:
    """A game."""

    def __init__(
        self,
        rules: Rules,
        number: int,
        score: tuple[int, int],
        names: tuple[str, str],
        crawford: bool,
        tags: Mapping[str, str],
    ) -> None:
        about = {"length": rules.length, "game": number, "ws": score[0], "bs": score[1]}
        self.head = "FF[4]GM[6]CA[UTF-8]AP[Tavla]MI" + "".join(f"[{name}:{value}]" for name, value in about.items())
        self.head += f"PW[{_escaped(names[0])}]PB[{_escaped(names[1])}]"
        self.head += "".join(f"{name}[{_escaped(value)}]" for name, value in tags.items())
        if words := _rule_words(rules, crawford):
            self.head += f"RU[{':'.join(words)}]"
        self.cube = 1
        self.ties = 0
        self.result = ""
        self.nodes: list[str] = []

    def write(self, match: Match, event: Event) -> None:
        """Add what an event shows; match: the state before it."""
        match event:
            case e.OpeningRolled(die_0, die_1) if die_0 == die_1:
                self.cube = apply(match, event).cube.value
                self.ties += 1
            case e.Moved(seat, moves):
                assert match.dice is not None, "a turn has dice"
                points = [point for move in moves for point in move]
                self.add(seat, "{}{}".format(*match.dice) + "".join(_letter(seat, point) for point in points))
            case e.Doubled(seat) | e.Beavered(seat):
                self.add(seat, "double")
            case e.Taken(seat):
                self.add(seat, "take")
            case e.GameEnded(winner, points, _, ending):
                self.end(match, winner, points, ending)
            case e.MatchEnded():
                self.unplayed(match)

    def add(self, seat: Seat, value: str) -> None:
        self.nodes.append(f";{COLOURS[seat]}[{value}]")

    def remark(self, properties: Iterable[tuple[str, str]]) -> None:
        """Add properties to what was written last."""
        for name, value in properties:
            self.nodes[-1] += f"{name}[{_escaped(value)}]"

    def end(self, match: Match, winner: Seat, points: int, ending: Ending) -> None:
        if ending is Ending.DROP:
            self.add(1 - winner, "drop")
        self.unplayed(match)
        given_up = ending in (Ending.RESIGNATION, Ending.FORFEIT)
        self.result = f"RE[{COLOURS[winner]}+{points}{'R' * given_up}]"

    def unplayed(self, match: Match) -> None:
        if match.dice:
            self.nodes.append(f";PL[{COLOURS[match.turn]}]DI[{match.dice[0]}{match.dice[1]}]")

    def text(self) -> str:
        cube = f"CV[{self.cube}]" if self.cube > 1 else ""
        return "\n".join([f"(;{self.head}{cube}{self.result}", *self.nodes]) + ")\n"


def _is_told(rules: Rules) -> bool:
    """True if RU, MI and CV tell all that the game is played by."""
    usual = preset("tournament" if rules.length else "money", {"length": rules.length, "cube": rules.cube})
    of_ru = usual._replace(variant=rules.variant, crawford=rules.crawford, jacoby=rules.jacoby)
    return of_ru == rules._replace(hints=False, rated=False, delay_s=0, reserve_s=0)


def _rule_words(rules: Rules, crawford: bool) -> list[str]:
    said = {
        "NoCube": not rules.cube,
        "Crawford": rules.length and rules.crawford,
        "CrawfordGame": crawford,
        "Jacoby": rules.jacoby,
        _VARIANTS.get(rules.variant, ""): rules.variant in _VARIANTS,
    }
    return [word for word, is_so in said.items() if is_so]


def _letter(seat: Seat, point: int) -> str:
    if point in (BAR, OFF):
        return _BAR if point == BAR else _OFF
    return _LETTERS[point - 1] if seat == 0 else _LETTERS[BAR - point - 1]


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\:])", r"\\\1", " ".join(text.split())) or "?"


# --- Import -------------------------------------------------------------------------------------------------------


def _trees(text: str) -> Iterator[list[Node]]:
    """The nodes of each game; a property's values by its name."""
    nodes: list[Node] = []
    name, depth, place = "", 0, 0
    text = text.removeprefix("\ufeff").rstrip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise BadText(f"cannot read {text[place : place + 40]!r}")
        place = token.end()
        mark, word, value = token.groups()
        if mark:
            depth += {"(": 1, ")": -1}.get(mark, 0)
            if depth not in (0, 1) or (depth == 0 and mark != ")"):
                raise BadText("a game is one row of moves between ( and ), without variations")
            if mark == ")":
                yield nodes
                nodes = []
            elif mark == ";":
                nodes.append({})
        elif word:
            name = word
        elif not nodes or not name:
            raise BadText(f"no property has the value {value[:40]!r}")
        else:
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
    names = (root.get("PW", ["?"])[0], root.get("PB", ["?"])[0])
    score, number = (fields.get("ws", 0), fields.get("bs", 0)), fields.get("game", 0) + 1
    cells: list[Cell] = []
    for at, node in enumerate(nodes[1:], 1):
        cells += _cells(at, node, offered=bool(cells) and cells[-1].kind in (Kind.DOUBLE, Kind.BEAVER))
    if result := _RESULT.fullmatch(nodes[0].get("RE", [""])[0]):
        cells.append(Cell(len(nodes), COLOURS.index(result[1]), Kind.WIN, number=int(result[2])))
    return Game(place, number, names, score, cells)


def _cells(at: int, node: Node, offered: bool) -> Iterator[Cell]:
    """Cells of a node; none, if it is about something else. at: its place in the game."""
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
    play = " ".join(f"{_point(at, seat, source)}/{_point(at, seat, target)}" for source, target in steps)
    return Cell(at, seat, Kind.ROLL, (int(turn[1]), int(turn[2])), play)


def _point(at: int, seat: Seat, letter: str) -> int:
    point = {_BAR: BAR, _OFF: OFF}.get(letter, _LETTERS.find(letter) + 1)
    return point if seat == 0 or letter in (_BAR, _OFF) else BAR - point


def _tags(trees: list[list[Node]]) -> dict[str, str]:
    """The rules of the first game, as remarks of a `.mat` file tell them."""
    words = trees[0][0].get("RU", [""])[0].split(":")
    tags = {"Crawford": "On" if "Crawford" in words else "Off", "Jacoby": "On" if "Jacoby" in words else "Off"}
    if "NoCube" in words:
        tags["CubeLimit"] = "1"
    for variant, word in _VARIANTS.items():
        if word in words:
            tags["Variation"] = variant.value
    ties = [int(value).bit_length() - 1 for nodes in trees if (value := nodes[0].get("CV", ["1"])[0]).isdecimal()]
    if any(ties):
        tags |= {"AutomaticDoubles": str(max(ties)), "OpeningTies": " ".join(map(str, ties))}
    told = (value.partition(":") for value in trees[0][0].get("TAVLA", []))
    return tags | {name: value for name, _, value in told}
