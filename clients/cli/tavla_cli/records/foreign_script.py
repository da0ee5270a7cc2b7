"""`python -m tavla_cli.records.foreign_script`: reads a match of another program's own format, in its own process.

Standard input is the file, standard output a line of JSON: {"error": sentence}, or the match as `foreign.py` has it.
The files are strangers': the reader of the package `gammonview` unpacks what they say without a bound, and ends in any
error.
"""

import json
import math
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import gvformat
from gvformat import bgf

MEMORY_BYTES, CPU_S = 512 << 20, 20
MOST_GAMES, MOST_PLIES = 500, 2000  # of a match, and of a game: more than anybody has played
MOST_LETTERS = 120  # of a name, event or place
MOST_NOTE, MOST_NOTES = 4096, 5000  # letters of a note, and notes of a match
OWN = "x-tavla-"  # before the name of a remark that Tavla has written
ANSWERS = {"pass": "drop", "no_double": "no double", "too_good": "no double"}
BAR = 25
SHORTEST = {3: 33, 4: 2, 5: 34}  # bytes of a text in BGBlitz's files, by the highest bits of its sign
CUBE = {21: "double", 22: "take", 23: "drop"}
SET = 31
SAID = (ValueError, gvformat.GvabError)  # errors with a sentence
WHITE = 1  # as the colour of a player; as that of a winner white is 0
_read_value = bgf._SmileDecoder._read_value


def read_value(decoder: Any) -> object:
    """A value of a tree: the package misreads texts of more than 32 bytes and those outside ASCII. Raises: EOFError."""
    kind, size = divmod(decoder.buf[decoder.pos] if decoder.pos < len(decoder.buf) else 0, 32)
    if kind not in SHORTEST:
        return _read_value(decoder)
    decoder.pos += 1
    return decoder._read(SHORTEST[kind] + size).decode("utf-8", errors="replace")


bgf._SmileDecoder._read_value = read_value


def limit() -> None:
    """Let no file take the machine's memory or time."""
    if sys.platform == "linux":  # elsewhere there is no such limit, or none that holds
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def read(data: bytes) -> dict[str, Any]:
    """The match of a file, as the package has it. Raises: any error."""
    if data.startswith(b"RGMH"):
        found = gvformat.convert_xg(data)
    elif data.lstrip().startswith(b"{"):
        found = gvformat.convert_bgf(data)
        with suppress(Exception):  # of a match that nobody has judged
            found["sums"] = sums_of_bgblitz(data, found["player_white"])
    else:
        found = gvformat.read_gvab(data)
    return dict(found)


def sums_of_bgblitz(data: bytes, white: str) -> list[list[Any]]:
    """BGBlitz's own figures, which the package leaves out. white: a name. Raises: any error, where there are none."""
    tree = bgf.decode_smile(bgf.read_bgf(data)[1])
    sides = ("prGreen", "prRed") if tree["nameGreen"] == white else ("prRed", "prGreen")
    return [
        [int(one["checkerCnt"]) + int(one["cubeCnt"]), -float(one["checkerError"]) - float(one["cubeError"])]
        for one in (tree[side] for side in sides)
    ]


def as_message(match: dict[str, Any]) -> dict[str, Any]:
    """The match as `foreign.py` reads it. Raises: ValueError, and others."""
    games = match["games"]
    if len(games) > MOST_GAMES or any(len(game["plies"]) > MOST_PLIES for game in games):
        raise ValueError("it says that it has more games or turns than anybody has played")
    return {
        "length": int(match["match_length"]),
        "names": [str(match[name] or "?")[:MOST_LETTERS] for name in ("player_white", "player_black")],
        "rules": {name: bool(match.get(name)) for name in ("crawford", "jacoby", "beaver")},
        "variant": int(match.get("variant") or 0),
        "event": str(match.get("event") or "")[:MOST_LETTERS],
        "site": str(match.get("site") or "")[:MOST_LETTERS],
        "judge": judge(match),
        "score": [int(points) for points in match.get("score_start") or (0, 0)],
        "crawford_done": bool(match.get("crawford_before_start")),
        "tags": {
            str(note.get("key"))[len(OWN) : MOST_LETTERS]: str(note.get("value"))[:MOST_NOTE]
            for note in notes(match)
            if str(note.get("key")).startswith(OWN)
        },
        "remarks": [
            str(note.get("value"))[:MOST_NOTE] for game in games for ply in game["plies"] for note in notes(ply)
        ][:MOST_NOTES],
        "verdicts": [one for number, game in enumerate(games, 1) for one in verdicts(number, game)],
        "games": [
            {"winner": one.get("winner"), "points": int(one["points_won"] or 0), "plies": plies(one)} for one in games
        ],
    }


def plies(game: dict[str, Any]) -> list[list[Any]]:
    """Each entry of a game: [seat, kind, dice, moves, text]; a move is a pair of points as the mover counts them.

    text: the play as the file's judge has it, which moves are fitted to. A position that is set up has in place of
    moves [white's checkers, black's] for each point from 1 on, as each counts, and [the cube's power of 2, its owner].
    """
    found = list[list[Any]]()
    for ply in game["plies"]:
        seat = int(ply["color"] != WHITE)
        dice = [int(ply["d1"]), int(ply["d2"])] if "d1" in ply else None
        moves = [move(one, seat) for one in ply.get("moves") or ()]
        if board := ply.get("set_position"):
            moves = [[max(board[BAR - point], 0), max(-board[point], 0)] for point in range(1, BAR + 1)]
        if "cube_value" in ply and found and found[-1][1] == SET:
            found[-1][3].append([int(ply["cube_value"]).bit_length() - 1, int(ply.get("cube_owner", 2))])
            continue
        choices = (ply.get("analysis") or {}).get("alternatives") or ()
        text = next((str(one.get("notation") or "") for one in choices if one.get("is_played")), "")
        found.append([seat, int(ply["action_id"]), dice, moves, text[:60]])
    return found


def notes(of: dict[str, Any]) -> list[dict[str, Any]]:
    """Notes to a match or an entry."""
    return list(of.get("annotations") or ())[:MOST_NOTES]


def verdicts(number: int, game: dict[str, Any]) -> Iterator[list[Any]]:
    """Decisions of a game that have cost something, by the file's judge: [game, turn, seat, done, best, loss]."""
    turn = 0
    for ply in game["plies"]:
        seat, said, kind = int(ply["color"] != WHITE), ply.get("analysis") or {}, int(ply["action_id"])
        turn += "d1" in ply
        found = list[tuple[Any, str, Any]]()  # loss, what was done, what was best
        if "d1" in ply:
            waited = said.get("missed_double") or {}
            found.append((waited.get("equity_loss"), "no double", "double"))
            choices = said.get("alternatives") or [{}]
            played = next((str(one.get("notation") or "") for one in choices if one.get("is_played")), "")
            found.append((said.get("equity_loss"), played, str(choices[0].get("notation") or "")))
        elif kind in CUBE:
            best = str(said.get("correct_action"))
            found.append((said.get("equity_loss"), CUBE[kind], ANSWERS.get(best, best)))
        for loss, done, best in found:
            if isinstance(loss, int | float) and math.isfinite(loss) and loss > 0 and done and best != done:
                yield [number, turn + ("d1" not in ply), seat, done[:60], best[:60], loss]


def move(one: dict[str, Any], seat: int) -> list[int]:
    """A step of one die: points are white's or black's own."""
    start = int(one["from"]) if seat else BAR - int(one["from"])
    return [start, max(start - int(one["pips"]), 0)]


def judge(match: dict[str, Any]) -> dict[str, Any] | None:
    """The figures of the file's own judge: its name, and by seat decisions that count with what they have lost."""
    info, sums = match.get("analysis_info") or {}, match.get("sums") or []
    with suppress(Exception):  # of figures that cannot be: then nobody has judged
        both = {} if sums else gvformat.compute_aggregates(match)["match"]
        sums = sums or [[both[side]["total_decisions"], both[side]["total_error"]] for side in ("white", "black")]
    is_judged = any(count for count, _ in sums) and all(math.isfinite(lost) for _, lost in sums)
    return {"by": str(info.get("model_id") or ""), "sums": sums} if is_judged else None


def answer_to(data: bytes) -> str:
    """The answer to a file."""
    try:
        return json.dumps(as_message(read(data)))
    except Exception as error:  # whatever it ends in, the file is at fault
        is_said = type(error) in SAID and error.__cause__ is None
        return json.dumps({"error": str(error)[:200] if is_said else ""})


def main() -> None:
    """Read the file on standard input."""
    limit()
    print(answer_to(sys.stdin.buffer.read()))


if __name__ == "__main__":
    main()
