"""The ledger of a browser in Node: what the server sends and the page asks for, step by step, and what came of it."""

import json
from typing import Any

from msgspec import to_builtins
from tavla_cli.records.steps import view_of
from tavla_engine.match import new_match
from tavla_engine.rules import preset
from tavla_protocol.view import fields

from tests.support.browser.node import ask_modules
from tests.support.browser.verdicts import COMMITMENTS, SERVER
from tests.support.games.records import SEEDS

Steps = list[list[Any]]
WELCOME = {"type": "welcome", "id": "hello", "player": "p1", "name": "ada", "token": "t1"}
IN: Steps = [["open"], ["receive", WELCOME]]
ASKED = {"preset": "tournament", "length": 1}
VIEW = {
    **to_builtins(fields(view_of(new_match(preset("tournament", {"length": 1})))), builtin_types=(bytes,)),
    "players": ["ada", "bob"],
    "kinds": ["guest", "guest"],
    "salts": ["5a" * 16, "c3" * 16],
    "commitment": SERVER,
    "commitments": ["ours", COMMITMENTS[1]],
}
VIEW.pop("points")
TWICE = "The server was put back a second time. Somebody may have seen the dice to come."
VOID: dict[str, Any] = {"phase": "over", "game": 0}


def snapshot(match: str, seq: int, epoch: int = 1, **view: Any) -> list[Any]:
    shown = {**VIEW, "phase": "reveal", "unrevealed": [0, 1], **view}
    told = {"type": "snapshot", "match": match, "epoch": epoch, "seq": seq, "seat": 0, "online": [True, True]}
    return ["receive", {**told, "view": shown}]


def revealed(match: str) -> Steps:
    """A quick match was found, and our seed is there."""
    matched = ["receive", {"type": "matched", "match": match, "seek": "seek"}]
    return [matched, snapshot(match, 3), ["receive", {"type": "ok", "id": "reveal"}]]


def sought(*more: list[Any], **end: Any) -> Steps:
    """A quick match is sought, found, and void so, when our seed is there."""
    epoch = end.pop("epoch", 1)
    seek: Steps = [["seek", ASKED], ["receive", {"type": "ok", "id": "seek"}]]
    return [*seek, *revealed("m1"), *more, snapshot("m1", 9, epoch, **VOID, **end), ["pass", 10], ["told", "m1"]]


def run(*steps: list[Any]) -> list[list[Any]]:
    log: list[list[Any]] = ask_modules("reconnecting", [{"kept": {"tavla.token": "t1"}, "steps": list(steps)}])[0]
    return log


def told(log: list[list[Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Of each match that was looked at, what is said, and what the ledger has."""
    return [(more[0], more[2]) for _, what, *more in log if what == "told"]


def seeks(log: list[list[Any]]) -> int:
    """Number of them: on a new connection each is sent again."""
    return len({more[0]["commitment"] for _, what, *more in log if what == "send" and more[0]["type"] == "seek"})


KNOWN = {
    "seed": SEEDS[0], "made": 0, "match": "m1", "seat": 0, "taken": 3, "epoch": 3, "seq": 7, "rolls": 19,
    "player": "p1", "seen": 0, "against": "bob",
}  # fmt: skip
SEEN = {"commitments": COMMITMENTS, "seeds": SEEDS, "unrevealed": [], "phase": "roll", "game": 1}


def alive(ms: int) -> Steps:
    """Time, in which the server speaks."""
    heartbeat = ["receive", {"type": "heartbeat", "matches": []}]
    return [step for left in range(ms, 0, -1000) for step in (["pass", min(left, 1000)], heartbeat)]


def kept(**entry: Any) -> dict[str, str]:
    """The storage of a browser whose ledger has a match."""
    return {"tavla.token": "t1", f"tavla.seed/{COMMITMENTS[0]}": json.dumps({**KNOWN, **entry})}
