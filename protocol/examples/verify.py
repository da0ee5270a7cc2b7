"""Check the dice of an exported match, with Python and no library of ours: python verify.py MATCH.json"""

import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

BEHIND_THE_END = {"ruled", "match_ended", "forked", "revealed"}
TABLE = "created seated agreed met cancelled"
PLAYED = "readied game_started opening_rolled rolled moved doubled taken beavered game_ended auto_set abort_asked"
EVENTS = {*BEHIND_THE_END, *TABLE.split(), *PLAYED.split(), "resignation_offered", "resignation_refused"}


def rolled(match: dict[str, Any], key: bytes, game: int, number: int) -> list[int]:
    binding, dice, block = hashlib.sha256(match["terms"].encode()).hexdigest(), list[int](), 0
    while len(dice) < 2:
        text = ":".join([binding, *match["seeds"], str(game), str(number), str(block)])
        dice += [byte % 6 + 1 for byte in hmac.digest(key, text.encode(), "sha256") if byte < 252]
        block += 1
    return dice[:2]


def keys_of(match: dict[str, Any]) -> list[bytes]:
    """The server's seed of each game, the last one first, down to what it committed to."""
    keys = [bytes.fromhex(match["seed"])]
    while keys[-1].hex() != match["commitment"] and len(keys) <= 256:
        keys.append(hashlib.sha256(keys[-1]).digest())
    return keys


def wrong_seeds(match: dict[str, Any], keys: list[bytes]) -> Iterator[str]:
    if keys[-1].hex() != match["commitment"]:
        yield "the server's seed is another one"
    for colour, seed, commitment in zip(("white", "black"), match["seeds"], match["commitments"], strict=True):
        if not commitment:
            yield f"{colour} committed to no seed"
        elif hashlib.sha256(bytes.fromhex(seed)).hexdigest() != commitment:
            yield f"{colour}'s seed is another one"
    if len({match["commitment"], *match["commitments"]}) < 3:
        yield "two of the commitments are the same"
    lines = match["terms"].split("\n")
    if [lines[1], *lines[5:]] != [match["match"], match["commitment"], *match["commitments"], ""]:
        yield "the terms are those of another match"


def wrong_events(match: dict[str, Any], keys: list[bytes]) -> Iterator[str]:
    number, dice, rolls, waits = 0, [0], [], False  # waits: to play the roll
    plays: int | None = 3  # whose turn it is
    shown, newest = keys[::-1], 0  # the number of the newest seed that was shown: the next one is of the game in hand
    for _, _, kind, *facts in match["events"]:
        if plays == 2 and kind not in BEHIND_THE_END:
            yield f"{kind} stands behind the end"
        elif kind in ("opening_rolled", "rolled"):
            number, dice = number + 1, facts[-2:]
            if waits or (kind == "rolled" and plays not in (None, facts[0])):
                yield f"roll {number} is drawn out of turn"
            link = newest + 1
            if link >= len(shown) or dice != rolled(match, shown[link], link, number):
                yield f"roll {number} is another one, or no seed is shown for it"
            rolls.append([number, *dice, *([True] if kind == "opening_rolled" else [])])
            waits = kind == "rolled" or dice[0] != dice[1]
            plays = facts[0] if kind == "rolled" else int(dice[1] > dice[0])
        elif kind == "moved":
            fits = all(source - target in dice or (target == 0 and source < max(dice)) for source, target in facts[1])
            if not (waits and facts[0] == plays and fits):
                yield f"after roll {number} something else is played"
            waits, plays = False, 1 - facts[0]
        elif kind == "forked" and facts:  # a seed was known when the match was put back
            seed, before = bytes.fromhex(facts[0]), newest
            newest = shown.index(seed) if seed in shown else 0
            if newest <= before:
                yield "the match was put back, and no newer seed of the server is shown"
        elif kind in ("game_started", "game_ended", "match_ended"):  # nobody's turn
            newest += kind != "game_started" and plays not in (2, 3) and facts[-1] != "voided"
            waits, plays = False, {"game_started": None, "game_ended": 3, "match_ended": 2}[kind]
    if waits or rolls != match["rolls"]:
        yield "the rolls are not those of the events, each followed by its play"
    if plays != 2 or match["events"][-1][0] != match["seq"]:
        yield "the file is cut: it ends before the match does"
    if any(after[0] < before[0] for before, after in pairwise(match["events"])):
        yield "the numbers of the events fall"


def check(text: str) -> tuple[bool | None, list[str]]:
    """Whether the match in a file is sound (None: nobody can say), and what there is to say of it, in sentences."""
    try:
        match = json.loads(text)
        hexes = [match["seed"], match["commitment"], *match["seeds"], *match["commitments"]]
        if not match["seed"] or not all(re.fullmatch("([0-9a-f]{2})*", one, re.ASCII) for one in hexes):
            raise ValueError("a seed or a commitment is not shown, or is none: nobody can check the dice")
        keys = keys_of(match)
        faults = [*wrong_seeds(match, keys), *wrong_events(match, keys)]
        later = {str(kind) for _, _, kind, *_ in match["events"]} - EVENTS
    except json.JSONDecodeError as error:
        cut = not text.rstrip().endswith("}") or error.pos >= len(text.rstrip())
        return None, ["the file is cut: it ends in the middle" if cut else f"this is no exported match: {error}"]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        return None, [f"this is no exported match that is over: {error!s:.200}"]
    if later:
        return None, [f"neither sound nor wrong: this script does not know {', '.join(sorted(later)):.200}"]
    if faults:
        return False, faults
    said = [f"all {len(match['rolls'])} rolls follow from the seeds in this file, and each was played"]
    return True, [*said, "that the match was played, by whom, when and how it was ruled on is the file's word"]


if __name__ == "__main__":
    try:
        is_sound, sentences = check(Path(sys.argv[1]).read_text("utf-8", errors="replace"))
    except (IndexError, OSError) as error:
        is_sound, sentences = None, [f"verify.py reads the file of an exported match: {error}"]
    print("\n".join(sentences))
    sys.exit(2 if is_sound is None else not is_sound)
