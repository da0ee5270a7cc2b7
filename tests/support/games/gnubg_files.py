"""Files that GNU Backgammon writes in all the games it knows, read by us and by itself: the same IDs at every decision.

Matches are played anew, each is read as `.mat`, `.sgf` and analysed `.sgf`.
"""

import base64
import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tavla_bots.gnubg_process import gnubg_path
from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.mat import import_mat
from tavla_engine.sgf import import_sgf
from tavla_engine.transcript import MatRecord

from tests.support.games.gnubg_matches import is_subsequence, positions

SCRIPT = Path(__file__).with_name("gnubg_files_script.py")
PLAYERS = [  # they err, so that games are long, doubles are wrong and much is given up
    line.format(seat)
    for seat in (0, 1)
    for line in (
        "set player {} gnubg",
        "set player {} chequerplay evaluation plies 0",
        "set player {} chequerplay evaluation noise 0.1",
        "set player {} cubedecision evaluation plies 0",
        "set player {} cubedecision evaluation noise 0.4",
    )
]
SETTINGS = [
    *(f"set automatic {name} on" for name in ("roll", "move", "bearoff")),
    *("set display off", "set confirm new off", "set confirm save off", "set rng mersenne"),
    *("set analysis chequerplay evaluation plies 0", "set analysis cubedecision evaluation plies 0"),
]
MONEY = ("set jacoby {}", "set beavers {}", "set automatic doubles {}")
GAMES = 3  # of a session for money
_SCORE_AT, _SCORE_BITS = 36, 30  # in a Match ID


class Kind(NamedTuple):
    """A kind of match. commands: of GNU Backgammon. is_set_up: it begins from a position."""

    name: str
    length: int
    commands: tuple[str, ...] = ()
    is_set_up: bool = False


def _money(name: str, jacoby: str, beavers: int, doubles: int, *more: str) -> Kind:
    chosen = (line.format(value) for line, value in zip(MONEY, (jacoby, beavers, doubles), strict=True))
    return Kind(name, 0, (*chosen, *more))


NACKGAMMON, HYPERGAMMON = "set variation nackgammon", "set variation 3-chequer-hypergammon"
KINDS = [
    *(Kind(f"match to {length}", length) for length in (1, 2, 3, 5, 7, 11, 15, 25)),
    Kind("nackgammon, match to 5", 5, (NACKGAMMON,)),
    Kind("hypergammon, match to 5", 5, (HYPERGAMMON,)),
    Kind("match to 5, no cube", 5, ("set cube use off",)),
    _money("money", "on", 3, 0),
    _money("money, no Jacoby", "off", 0, 0),
    _money("money, automatic doubles", "on", 3, 3),
    _money("money, no Jacoby, automatic doubles", "off", 1, 1),
    _money("nackgammon, money", "on", 3, 0, NACKGAMMON),
    _money("hypergammon, money", "off", 1, 2, HYPERGAMMON),
    Kind("set-up position, match to 5", 5, (), True),
    Kind("set-up position, money", 0, ("set jacoby off",), True),
    Kind("set-up position, nackgammon", 3, (NACKGAMMON,), True),
]


class Compared(NamedTuple):
    """A file that was compared. games: in it. difference: of our reading from GNU Backgammon's; "" = none."""

    kind: Kind
    file: str
    games: int
    difference: str


def compare(many: int, folder: Path, kinds: list[Kind]) -> Iterator[Compared]:
    """Have so many matches of each kind played and saved, and compare each file."""
    program = gnubg_path()
    assert program is not None, "GNU Backgammon is not installed: apt-get install gnubg"
    tasks = [
        {
            "name": f"{place:02}-{seed}",
            "length": kind.length,
            "games": GAMES,
            "seed": 1 + seed + 1000 * place,
            "commands": [*SETTINGS, *PLAYERS, *kind.commands],
            "set_up": kind.is_set_up,
        }
        for place, kind in enumerate(kinds)
        for seed in range(many)
    ]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    own = {"HOME": str(folder), "LC_ALL": "C.UTF-8", "TAVLA_TASKS": "tasks.json", "TAVLA_ANSWERS": "answers.jsonl"}
    command = [program, "-t", "-q", "-p", str(SCRIPT)]
    with (folder / "output").open("w") as output:
        subprocess.run(
            command, cwd=folder, env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=output, check=True
        )
    for line in (folder / "answers.jsonl").read_text().splitlines():
        theirs = json.loads(line)
        file = folder / theirs["file"]
        yield Compared(kinds[int(file.name[:2])], file.name, len(theirs["games"]), difference(file, theirs))


def difference(file: Path, theirs: dict[str, Any]) -> str:
    """How our reading of a file differs, in a few words."""
    try:
        record = (import_sgf if file.suffix == ".sgf" else import_mat)(file.read_text())
    except BadText as error:
        return f"refused: {error}"
    return _difference(record, theirs["games"], file.suffix == ".mat")


def _difference(record: MatRecord, games: list[dict[str, Any]], is_mat: bool) -> str:
    length = record.start.rules.length
    plays, ends = Counter[int](), dict[int, e.GameEnded]()
    game = 0
    for event in record.events:
        game += isinstance(event, e.GameStarted)
        plays[game] += isinstance(event, e.Moved) and bool(event.moves)
        if isinstance(event, e.GameEnded):
            ends[game] = event
    if game != len(games):
        return f"{game} games, not {len(games)}"
    ours = list(positions(record.start, record.events))
    for number, theirs in enumerate(games, 1):
        end = ends.get(number)
        points = theirs.get("points-won") or None
        told = [end and "XO"[end.winner], end and end.points, plays[number]]
        read = [theirs["winner"] if points else None, points, theirs["plays"]]
        if is_mat and not length and end and end.kind > 1:  # with the Jacoby rule it counts otherwise than it writes
            told[1] = read[1] = None
        if told[2] == read[2] == 0 and not points:  # a double that was dropped at once: it tells no result
            told[:2] = read[:2]
        if told != read:
            return f"game {number}: {told}, not {read}"
        if number > len(ours):
            continue
        decisions = ours[number - 1][: -1 if end and end.ending is not Ending.RESIGNATION else None]
        ids = ([_comparable(one, length, is_mat) for one in row if one] for row in (decisions, theirs["ids"]))
        if not is_subsequence(*ids):
            return f"game {number}: the IDs differ"
    return ""


def _comparable(gnu_id: str, length: int, is_mat: bool) -> str:
    """IDs without what a file does not tell. For money: the score, which GNU Backgammon counts in ways of its own.

    In `.mat` the Jacoby rule, too: it takes what its user has chosen last.
    """
    position, _, match = gnu_id.partition(":")
    bits = 0 if length else _SCORE_BITS + is_mat  # the rule's bit is the last one, behind the score
    return f"{position}:{int.from_bytes(base64.b64decode(match), 'little') & ~(((1 << bits) - 1) << _SCORE_AT)}"
