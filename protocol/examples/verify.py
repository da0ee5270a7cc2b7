"""Check the dice of an exported match, with Python and no library of ours: python verify.py MATCH.json"""

import hashlib
import hmac
import json
import re
import sys
from pathlib import Path
from typing import Any


def is_kept(seed: str, commitment: str) -> bool:
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest() == commitment


def rolled(match: dict[str, Any], number: int) -> list[int]:
    dice: list[int] = []
    block = 0
    while len(dice) < 2:
        text = ":".join([match["match"], *match["seeds"], str(number), str(block)])
        digest = hmac.digest(bytes.fromhex(match["seed"]), text.encode(), "sha256")
        dice += [byte % 6 + 1 for byte in digest if byte < 252]
        block += 1
    return dice[:2]


match = json.loads(Path(sys.argv[1]).read_text("utf-8"))
hexes = [match.get("seed"), match.get("commitment"), *match.get("seeds", ()), *match.get("commitments", ())]
if not match.get("seed") or not all(isinstance(one, str) and re.fullmatch("([0-9a-f]{2})*", one) for one in hexes):
    sys.exit("a seed or a commitment is not shown, or is none: nobody can check the dice")
faults = [] if is_kept(match["seed"], match["commitment"]) else ["the server's seed is another one"]
for colour, seed, commitment in zip(("white", "black"), match["seeds"], match["commitments"], strict=True):
    if not commitment:
        print(f"{colour} committed to no seed")
    elif not is_kept(seed, commitment):
        faults.append(f"{colour}'s seed is another one")

number, plays, rolls, waits = 0, None, [], False  # plays: the seat whose turn it is; waits: its roll is to be played
for _, _, kind, *facts in match["events"]:
    if kind in ("opening_rolled", "rolled"):
        number, dice = number + 1, facts[-2:]
        if waits or (kind == "rolled" and plays not in (None, facts[0])):
            faults.append(f"roll {number} is drawn out of turn")
        if dice != rolled(match, number):
            faults.append(f"roll {number} is another one")
        rolls.append([number, *dice, *([True] if kind == "opening_rolled" else [])])
        waits = kind == "rolled" or dice[0] != dice[1]
        plays = facts[0] if kind == "rolled" else int(dice[1] > dice[0])
    elif kind == "moved":
        fits = all(source - target in dice or (target == 0 and source < max(dice)) for source, target in facts[1])
        if not (waits and facts[0] == plays and fits):
            faults.append(f"after roll {number} something else is played")
        waits, plays = False, 1 - facts[0]
    elif kind in ("game_started", "game_ended", "match_ended"):
        waits, plays = False, None if kind == "game_started" else 2  # nobody's turn
if waits or rolls != match["rolls"]:
    faults.append("the rolls are not those of the events, each followed by its play")
print("\n".join(faults) or f"all {number} rolls follow from the seeds, and each was played")
sys.exit(bool(faults))
