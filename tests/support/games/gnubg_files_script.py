"""Runs inside GNU Backgammon, in its own Python: plays matches, saves them, reads them again and tells how.

See `gnubg_files.py`. Each line that it writes is JSON: a file, and the IDs of each game in it, record by record.
"""

import json
import os
import random
from typing import Any

import gnubg

MANY_RECORDS = 2000  # of a game


def play(task: dict[str, Any], rng: random.Random) -> None:
    """A match of two players who err, or some games for money."""
    for line in ["set variation standard", "set cube use on", *task["commands"], f"set seed {task['seed']}"]:
        gnubg.command(line)
    gnubg.command(f"set automatic game {'on' if task['length'] else 'off'}")
    if task["length"]:
        gnubg.command(f"new match {task['length']}")
    else:
        gnubg.command("new session")
        for _ in range(task["games"] - 1):
            gnubg.command("new game")
    if task["set_up"]:
        set_up(task["length"], rng)


def set_up(length: int, rng: random.Random) -> None:
    """A position of the last match anew, as a user sets it up, and the rest of that game."""
    boards = [one["board"] for game in gnubg.match(0)["games"] for one in game["game"] if "board" in one]
    for seat in (0, 1):
        gnubg.command(f"set player {seat} human")
    for name in ("roll", "game"):
        gnubg.command(f"set automatic {name} off")
    gnubg.command(f"new match {length}" if length else "new session")
    if length > 1 and rng.random() < 0.6:
        gnubg.command(f"set score {rng.choice((length - 1, rng.randrange(length)))} {rng.randrange(length)}")
    turn = rng.randrange(2)
    gnubg.command(f"set turn {turn}")
    gnubg.command(f"set board {rng.choice(boards)}")
    if length != 1 and rng.random() < 0.7:
        gnubg.command(f"set cube value {rng.choice((2, 4))}")
        gnubg.command(f"set cube owner {rng.randrange(2)}")
    for seat in (0, 1):
        gnubg.command(f"set player {seat} gnubg")
    gnubg.command("set automatic roll on")
    gnubg.command("play")


def reading(file: str) -> dict[str, Any]:
    """The games of a file as GNU Backgammon reads them."""
    gnubg.command("set automatic game off")
    gnubg.command(f"{'load match' if file.endswith('.sgf') else 'import mat'} {file}")
    match = gnubg.match(0)
    games = []
    gnubg.command("first game")
    for game in match["games"]:
        ids = [gnu_id()]
        for _ in range(min(len(game["game"]), MANY_RECORDS)):
            gnubg.command("next")
            ids.append(gnu_id())
        games.append({"ids": ids, **game["info"], "plays": sum(bool(one.get("move")) for one in game["game"])})
        gnubg.command("next game")
    return {"file": file, "variation": match["match-info"]["variation"], "games": games}


def gnu_id() -> str:
    """Both IDs; "" where it shows none."""
    try:
        return str(gnubg.gnubgid())
    except ValueError:
        return ""


def main() -> None:
    """Play, save and read all that the environment names."""
    with open(os.environ["TAVLA_TASKS"]) as file:
        tasks = json.load(file)
    with open(os.environ["TAVLA_ANSWERS"], "w") as answers:
        for task in tasks:
            name, rng = task["name"], random.Random(task["seed"])
            play(task, rng)
            gnubg.command(f"save match {name}.sgf")
            files = [f"{name}.sgf"]
            if not task["set_up"]:  # GNU Backgammon writes none of these rightly
                gnubg.command(f"export match mat {name}.mat")
                files.append(f"{name}.mat")
            gnubg.command("analyse match")
            gnubg.command(f"save match {name}-analysed.sgf")
            for one in [*files, f"{name}-analysed.sgf"]:
                print(json.dumps(reading(one)), file=answers, flush=True)


main()
