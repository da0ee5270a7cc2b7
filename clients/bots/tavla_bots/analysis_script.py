"""Runs inside GNU Backgammon, in its own Python: analyses a match and tells of it, a line of JSON a game.

See `analysis.py`. Standard output is full of boards, so the answers go to a file descriptor of their own.
"""

import json
import os
from typing import Any

import gnubg

CENTRED = -1
SEATS = {"X": 0, "O": 1}
SIGNS = {"doubtful": "?!", "bad": "?", "very bad": "??"}  # of its skills, which it names where they are no good


def as_equity(value: float, info: Any) -> float:
    """gnubg gives match winning chances in matches: as equity of this game at this cube, 1 = won, -1 = lost."""
    return float(gnubg.mwc2eq(value, info)) if info["matchto"] else value


def decisions(game: dict[str, Any], length: int, crawford: bool) -> list[dict[str, Any]]:
    """Decisions of each player, in order, with gnubg's judgement."""
    score = (game["info"]["score-X"], game["info"]["score-O"])
    cube, owner = 1, CENTRED
    told = []
    for record in game["game"]:
        if record["action"] == "set":  # a position that was set up
            cube = record.get("cube", cube)
            owner = SEATS.get(record["cube-owner"], CENTRED) if "cube-owner" in record else owner
            continue
        seat = SEATS.get(record.get("player"), 1)
        analysis = record.get("analysis", {})
        info = gnubg.cubeinfo(cube, owner, seat, length, score, int(crawford), 0)
        one: dict[str, Any] = {"what": record["action"], "seat": seat, "cube": cube, "owner": owner}
        one |= {name: record[name] for name in ("board", "dice", "move") if name in record}
        one["mark"] = SIGNS.get(analysis.get("skill"), "")
        if "nd-cubeful-eq" in analysis:
            equities = [as_equity(analysis[name], info) for name in ("nd-cubeful-eq", "dt-cubeful-eq")]
            skill = analysis.get("cube-skill" if record["action"] == "move" else "skill")
            one["cubes"] = [*equities, SIGNS.get(skill, "")]
        if "moves" in analysis:
            one["plays"] = [[play["move"], play["score"]] for play in analysis["moves"]]
        if "luck-value" in analysis:
            one["luck"] = analysis["luck-value"]
        if record["action"] == "take":
            cube, owner = 2 * cube, seat
        told.append(one)
    return told


def main() -> None:
    """Analyse the match of the file that the environment names."""
    with os.fdopen(int(os.environ["TAVLA_ANSWERS"]), "w") as answers:
        gnubg.command("set threads " + os.environ["TAVLA_THREADS"])
        gnubg.command("load match " + os.environ["TAVLA_MATCH"])
        games = len(gnubg.match(0)["games"])
        print(json.dumps({"games": games}), file=answers, flush=True)
        gnubg.command("first game")
        for number in range(games):
            gnubg.command("analyse game")
            match = gnubg.match(1)
            length = match["match-info"]["match-length"]
            game = match["games"][number]
            crawford = length > 0 and is_crawford(match["games"], number, length)
            print(json.dumps(decisions(game, length, crawford)), file=answers, flush=True)
            gnubg.command("next game")


def is_crawford(games: list[dict[str, Any]], number: int, length: int) -> bool:
    """True if this is the first game in which a player is a point away."""
    near = [max(game["info"]["score-X"], game["info"]["score-O"]) == length - 1 for game in games]
    return near[number] and not any(near[:number])


main()
