"""Check the dice of an exported match, with Python and no library of ours: python verify.py MATCH.json"""

import hashlib
import hmac
import json
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
faults = [] if is_kept(match["seed"], match["commitment"]) else ["the server's seed is another one"]
for colour, seed, commitment in zip(("white", "black"), match["seeds"], match["commitments"], strict=True):
    if not commitment:
        print(f"{colour} committed to no seed")
    elif not is_kept(seed, commitment):
        faults.append(f"{colour}'s seed is another one")
for expected, (number, *dice) in enumerate(match["rolls"], start=1):
    if number != expected or dice[:2] != rolled(match, expected):
        faults.append(f"roll {expected} is another one")
print("\n".join(faults) or f"all {len(match['rolls'])} rolls follow from the seeds")
sys.exit(bool(faults))
