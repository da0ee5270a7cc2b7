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
`TAVLA[Opening:winner][Backgammons:Off]`. `RE[W+F]`: the whole match was given up. A set-up position is
`PL[W]AE[a:y]AW[f][f]AB[s]`, with its cube `CV[2]` and who owns it `CP[b]`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.apply import apply
from tavla_engine.events import Ending, Event
from tavla_engine.mat_rules import rule_tags
from tavla_engine.match import Match, Phase
from tavla_engine.position import BAR, OFF
from tavla_engine.rules import Rules, Variant, preset
from tavla_engine.sgf_text import BAR_LETTER, COLOURS, FACTS, LETTERS, OFF_LETTER, OWNERS, VARIANTS, parse_sgf
from tavla_engine.transcript import MatRecord, record_of


def export_sgf(
    names: tuple[str, str],
    start: Match,
    events: Iterable[Event],
    tags: Mapping[str, str] | None = None,
    remarks: Mapping[int, Sequence[tuple[str, str]]] | None = None,
    told: Mapping[str, str] | None = None,
) -> str:
    """A match as SGF text; the last game may be unfinished.

    start: the match before the first event, as in `export_mat`. tags: more properties of the first game, as {"DT":
    "2026-11-20", "GC": "a remark"}. remarks: properties of single turns, by the place of the event, as ("C", "a word").
    told: more of our own property.
    Raises: ValueError for a variant that the format does not know.
    """
    if start.rules.variant not in (Variant.STANDARD, *VARIANTS):
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
        trees[-1].add_unplayed_roll(match)
        rules = {} if _is_told(start.rules) else rule_tags(start.rules, [tree.ties for tree in trees])
        if own := {**rules, **(told or {})}:
            trees[0].head += "TAVLA" + "".join(f"[{name}:{_escaped(value)}]" for name, value in own.items())
    return "".join(tree.text() for tree in trees)


def import_sgf(text: str) -> MatRecord:
    """The match of an SGF file: each turn is decided by the rules, as `import_mat` does it.

    Raises: BadText, where the file cannot be read or breaks the rules.
    """
    return record_of(parse_sgf(text))


def sgf_facts(tags: Mapping[str, str]) -> dict[str, str]:
    """Remarks of a `.mat` file that SGF has a property for."""
    told = {name: tags[tag] for name, tag in FACTS.items() if tags.get(tag)}
    if "DT" in told:
        told["DT"] = told["DT"].replace(".", "-")
    return told


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
            case e.MatchEnded(winner, ending):
                self.add_unplayed_roll(match)
                if ending is Ending.FORFEIT and winner is not None and match.phase is not Phase.READY:
                    self.result = f"RE[{COLOURS[winner]}+F]"
            case e.PositionSet(seat, board, cube, owner):
                self.add_unplayed_roll(match)
                rows = "".join(f"A{COLOURS[one]}{_checkers(one, row)}" for one, row in enumerate(board) if any(row[1:]))
                self.nodes.append(f";PL[{COLOURS[seat]}]AE[a:y]{rows}")
                self.nodes += [f";CV[{cube}]", f";CP[{OWNERS[2 if owner is None else owner]}]"]

    def add(self, seat: Seat, value: str) -> None:
        self.nodes.append(f";{COLOURS[seat]}[{value}]")

    def remark(self, properties: Iterable[tuple[str, str]]) -> None:
        """Add properties to what was written last."""
        for name, value in properties:
            self.nodes[-1] += f"{name}[{_escaped(value)}]"

    def end(self, match: Match, winner: Seat, points: int, ending: Ending) -> None:
        if ending is Ending.DROP:
            self.add(1 - winner, "drop")
        self.add_unplayed_roll(match)
        given_up = ending in (Ending.RESIGNATION, Ending.FORFEIT)
        self.result = f"RE[{COLOURS[winner]}+{points}{'R' * given_up}]"

    def add_unplayed_roll(self, match: Match) -> None:
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
        VARIANTS.get(rules.variant, ""): rules.variant in VARIANTS,
    }
    return [word for word, is_so in said.items() if is_so]


def _letter(seat: Seat, point: int) -> str:
    if point in (BAR, OFF):
        return BAR_LETTER if point == BAR else OFF_LETTER
    return LETTERS[point - 1] if seat == 0 else LETTERS[BAR - point - 1]


def _checkers(seat: Seat, row: Sequence[int]) -> str:
    return "".join(f"[{_letter(seat, point)}]" * row[point] for point in range(1, BAR + 1))


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\:])", r"\\\1", " ".join(text.split())) or "?"
