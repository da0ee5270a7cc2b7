"""Rules that two players agree on before the first roll: one frozen value, and the presets people know by name."""

import enum
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tavla_engine.position import Position, row

MAX_LENGTH = 64
MAX_CUBE_CAP = 2**32  # ends a cube without a cap too: sums of points stay exact numbers on the wire
MAX_AUTOMATIC_DOUBLES = 12
MAX_BEAVERS = 12
MAX_FORFEIT_MULTIPLIER = 12
MAX_DELAY_S = 60
MAX_RESERVE_S = 600


class Variant(enum.StrEnum):
    """Variants: games that differ in their start alone."""

    STANDARD = "standard"
    NACKGAMMON = "nackgammon"
    HYPERGAMMON = "hypergammon"
    LONGGAMMON = "longgammon"


class Opening(enum.StrEnum):
    """Opening: which seat plays first, and with which dice."""

    ROLL_OFF = "roll_off"  # one die each, the higher plays both
    SEAT_0 = "seat_0"  # seat 0 starts and rolls two dice
    SEAT_0_CUBE = "seat_0_cube"  # the same, and it may double before it rolls them
    WINNER = "winner"  # the first game as roll_off; then the winner of the last one starts, as in seat_0_cube


# Sources: bkgm.com/rules.html (standard), bkgm.com/variants (Nackgammon, Hyper-Backgammon, LongGammon).
STARTS: dict[Variant, bytes] = {
    Variant.STANDARD: row(p24=2, p13=5, p8=3, p6=5),
    Variant.NACKGAMMON: row(p24=2, p23=2, p13=4, p8=3, p6=4),
    Variant.HYPERGAMMON: row(p24=1, p23=1, p22=1),
    Variant.LONGGAMMON: row(p24=15),
}


# Names for delay_s and reserve_s. Source: the US Backgammon Federation's clock rules, which are `normal`.
CLOCKS: dict[str, tuple[int, int]] = {"none": (0, 0), "fast": (8, 20), "normal": (12, 120), "slow": (15, 180)}
USUAL_CLOCK = "normal"  # of rated and of quick matches: no player may keep a stranger waiting for ever
MONEY_POINTS = 3  # a game of money play has the reserve of so many points


class BadRules(ValueError):
    """Rules whose options cannot stand together. str(error) says which, and what to change."""


class Rules(NamedTuple):
    """Rules of a match. Build it with `preset` or check it with `valid_rules`.

    length: points to win, 1-64; 0 = money play, games until someone leaves.
    cube_cap: the highest value the cube may reach, a power of two; 0 = none (MAX_CUBE_CAP, far beyond any game).
        At its cap the cube is out of play, and goes back to the middle unless `cap_kept`.
    beavers: how many immediate redoubles may follow one double: 0 none, 1 beaver, 2 beaver and raccoon, ...
    automatic_doubles: how many opening ties may turn the cube in one game; later ties are rolled again, and so
        are all ties of a Crawford game.
    forfeit_multiplier: a forfeit costs the current game at so many times the cube; 0 = it costs the match, and
        so does any forfeit of a match between two games.
    resignations: a player may offer to resign a game, for the opponent to accept.
    hints: players may be shown their legal plays.
    delay_s, reserve_s: the clock. Seconds of each turn that are free, and seconds a player has beyond them, for each
        point of the match, or for each game of money play as if it were MONEY_POINTS long; both 0 = no clock.
    rated: the result counts for the players' ratings.
    backgammons: a backgammon counts three times the cube; else it is a gammon, and counts twice.
    cap_kept: a cube that is taken at its cap stays with the taker. There is no double then, either way.
    hit_and_run: a checker that has hit on one of its owner's points 1-6 may move on in the same turn.
    """

    variant: Variant = Variant.STANDARD
    length: int = 7
    cube: bool = True
    cube_cap: int = 0
    crawford: bool = True
    jacoby: bool = False
    beavers: int = 0
    automatic_doubles: int = 0
    opening: Opening = Opening.ROLL_OFF
    forfeit_multiplier: int = 0
    resignations: bool = True
    hints: bool = False
    delay_s: int = 0
    reserve_s: int = 0
    rated: bool = False
    backgammons: bool = True
    cap_kept: bool = False
    hit_and_run: bool = True

    @property
    def start(self) -> Position:
        """Both players start alike."""
        return Position(STARTS[self.variant], STARTS[self.variant])

    @property
    def clocked(self) -> bool:
        """True if the players' time runs."""
        return bool(self.delay_s or self.reserve_s)

    @property
    def cube_limit(self) -> int:
        """The highest value the cube may reach."""
        return self.cube_cap or MAX_CUBE_CAP


_ALWAYS = Rules._fields.index("hit_and_run")  # so many options are told in any case; later ones where they matter


def compact(rules: Rules) -> tuple[Any, ...]:
    """The options by their places, as they are stored and sent: without the last ones, where they are as usual."""
    told, usual = len(rules), tuple(rules._field_defaults.values())
    while told > _ALWAYS and rules[told - 1] == usual[told - 1]:
        told -= 1
    return rules[:told]


class Preset(NamedTuple):
    """A preset: rules with a name. source: the texts or servers that play so."""

    rules: Rules
    text: str
    source: str


PRESETS: dict[str, Preset] = {
    "tournament": Preset(
        Rules(),
        "Match play as in tournaments: Crawford game, a cube without limit, no Jacoby rule.",
        "US Backgammon Federation tournament rules; bkgm.com/rules.html#match_play",
    ),
    "money": Preset(
        Rules(length=0, crawford=False, jacoby=True, beavers=1, forfeit_multiplier=3),
        "Single games for points until someone leaves, with the Jacoby rule and beavers. A forfeit costs a backgammon.",
        "bkgm.com/rules.html#optional_rules",
    ),
    "club": Preset(
        Rules(length=0, crawford=False, cube_cap=64, forfeit_multiplier=3),
        "The plain rules: the cube is optional and goes to 64 at most, neither Crawford nor Jacoby. After three doubles"
        " a gammon costs 16 and a backgammon 24.",
        "The rules as course texts give them: cube times one, two or three",
    ),
    "mpgn": Preset(
        Rules(
            length=0,
            crawford=False,
            cube_cap=128,
            automatic_doubles=2,
            forfeit_multiplier=2,
            resignations=False,
            hints=True,
        ),
        "Opening ties turn the cube, twice at most; at 128 it goes back to the middle and nobody may double. A game"
        " ends by bearing off, a dropped double or a forfeit, which costs twice the cube. Hints are on.",
        "The Multi-Player Game Network's backgammon",
    ),
    "seats": Preset(
        Rules(length=0, crawford=False, cube_cap=64, opening=Opening.SEAT_0_CUBE, forfeit_multiplier=2, cap_kept=True),
        "Seat 0 starts with two dice, and may double before it rolls them. The cube goes to 64 at most, and stays with"
        " whoever took it there. A double is answered at once.",
        "Table servers that number their seats",
    ),
    "tavla": Preset(
        Rules(length=5, cube=False, crawford=False, opening=Opening.WINNER, backgammons=False, hit_and_run=False),
        "As it is played in Turkey: to five points, without the cube. A mars counts two points and nothing counts"
        " three; whoever wins a game starts the next one. No hit-and-run: a checker that has hit on one's own points"
        " 1 to 6 does not move on in that turn.",
        "Traditional tavla (en.wikipedia.org/wiki/Tavla; bkgm.com/variants/Tavla.html)",
    ),
    "portes": Preset(
        Rules(length=7, cube=False, crawford=False, opening=Opening.WINNER, backgammons=False),
        "The first game of Greek tavli, to seven points: no cube, a gammon counts two points and nothing counts three;"
        " whoever wins a game starts the next one.",
        "bkgm.com/variants/Tavli.html",
    ),
}


def preset(name: str, changes: Mapping[str, Any] | None = None, quick: bool = False) -> Rules:
    """The rules of a preset, with some fields changed.

    quick: they are of a quick match. That one, and any rated match, has USUAL_CLOCK if the changes name no time.

    A change between match and money play, or to no cube, also turns off what cannot stay with it, so that one
    change is enough to switch; what the changes name stays as they say. Enumerations may be given as plain text,
    and `clock` names both times of the clock.

    Raises: BadRules for an unknown name or options that cannot stand together.
    """
    if name not in PRESETS:
        raise BadRules(f"there is no preset {name!r:.40}: choose one of {', '.join(PRESETS)}")
    rules, changes = PRESETS[name].rules, dict(changes or {})
    if (quick or changes.get("rated") is True) and not changes.keys() & _TIMES:
        changes["clock"] = USUAL_CLOCK
    if "clock" in changes:
        clock = changes.pop("clock")
        if clock not in CLOCKS:
            raise BadRules(f"there is no clock {clock!r:.40}: choose one of {', '.join(CLOCKS)}")
        rules = rules._replace(delay_s=CLOCKS[clock][0], reserve_s=CLOCKS[clock][1])
    unknown = changes.keys() - set(Rules._fields)
    if unknown:
        options = ", ".join(["preset", "clock", *Rules._fields])
        raise BadRules(f"there is no option {min(unknown, key=str)!r:.40}: the options are {options}")
    if rules.length == 0 and changes.get("length", 0):
        rules = rules._replace(jacoby=False, beavers=0)
    elif rules.length and changes.get("length", rules.length) == 0:
        rules = rules._replace(crawford=False, forfeit_multiplier=3)
    if changes.get("cube", rules.cube) is False:
        rules = rules._replace(jacoby=False, beavers=0, automatic_doubles=0)
    if changes.get("cube_cap", rules.cube_cap) == 0:
        rules = rules._replace(cap_kept=False)
    return valid_rules(rules._replace(**changes))


@lru_cache(maxsize=256)  # few rules are in use at a time
def shared_rules(rules: Rules) -> Rules:
    """Rules that are equal to these: the same object for all who ask."""
    return rules


_TIMES = {"clock", "delay_s", "reserve_s"}


def valid_rules(rules: Rules) -> Rules:
    """The same rules, when they can be played. Enumerations may come as plain text, as they do from a file.

    Raises: BadRules, with a sentence that says what to change.
    """
    rules = Rules(*map(_typed, Rules._fields, rules))
    for ok, text in _conditions(rules):
        if not ok:
            raise BadRules(text)
    return rules


def _typed(name: str, value: object) -> Any:
    """The value of one option in the type of its default."""
    kind = type(Rules._field_defaults[name])
    if issubclass(kind, enum.Enum):
        try:
            return kind(value)
        except ValueError:
            raise BadRules(f"{name} is one of {', '.join(kind)}, not {value!r:.40}") from None
    if type(value) is not kind:
        raise BadRules(f"{name} is {'true or false' if kind is bool else 'a whole number'}, not {value!r:.40}")
    return value


def _conditions(r: Rules) -> list[tuple[bool, str]]:
    money = r.length == 0
    return [
        (0 <= r.length <= MAX_LENGTH, f"a match has 1 to {MAX_LENGTH} points, or 0 for money play"),
        (
            r.cube_cap == 0 or (2 <= r.cube_cap <= MAX_CUBE_CAP and r.cube_cap & (r.cube_cap - 1) == 0),
            f"the cube's cap is a power of two from 2 to {MAX_CUBE_CAP}, or 0 for none",
        ),
        (0 <= r.beavers <= MAX_BEAVERS, f"beavers are 0 to {MAX_BEAVERS} redoubles after one double"),
        (
            0 <= r.automatic_doubles <= MAX_AUTOMATIC_DOUBLES,
            f"automatic doubles are 0 to {MAX_AUTOMATIC_DOUBLES} a game",
        ),
        (
            0 <= r.forfeit_multiplier <= MAX_FORFEIT_MULTIPLIER,
            f"the forfeit multiplier is 0 (the match) to {MAX_FORFEIT_MULTIPLIER}",
        ),
        (0 <= r.delay_s <= MAX_DELAY_S, f"the clock's delay is 0 to {MAX_DELAY_S} seconds a turn"),
        (0 <= r.reserve_s <= MAX_RESERVE_S, f"the clock's reserve is 0 to {MAX_RESERVE_S} seconds a point"),
        (r.delay_s == 0 or r.reserve_s > 0, "a clock needs a reserve: give one, or choose a clock by name"),
        (
            not (money and r.crawford),
            "the Crawford rule belongs to matches: give a length of 1 or more, or turn it off",
        ),
        (money or not r.jacoby, "the Jacoby rule belongs to money play: set the length to 0, or turn it off"),
        (money or not r.beavers, "beavers belong to money play: set the length to 0, or beavers to 0"),
        (r.cube or not r.jacoby, "the Jacoby rule needs the cube, or gammons never count: turn one of them off"),
        (r.cube or not r.beavers, "beavers need the cube: turn it on, or set beavers to 0"),
        (r.cube or not r.automatic_doubles, "automatic doubles need the cube: turn it on, or set them to 0"),
        (
            not (r.cube_cap and r.automatic_doubles >= r.cube_cap.bit_length()),
            "automatic doubles would pass the cube's cap: allow fewer, or raise the cap",
        ),
        (
            r.opening is Opening.ROLL_OFF or not r.automatic_doubles,
            "automatic doubles come from ties of the opening roll: use the roll_off opening, or set them to 0",
        ),
        (
            not r.cap_kept or bool(r.cube_cap),
            "a cube can stay with its taker at a cap alone: give a cap, or turn it off",
        ),
        (
            not (money and r.forfeit_multiplier == 0),
            "in money play a forfeit needs a price: set the forfeit multiplier to 1 or more",
        ),
    ]
