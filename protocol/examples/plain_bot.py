"""A bot with no library of ours: a WebSocket, msgpack, and the protocol's README.

    python plain_bot.py ws://localhost:8765 bot-plain sofa

It sits down at the table, or opens it, and plays to 3 points: at random, from the legal plays that the server sends
(the table has hints). It comes back when the connection is lost. It adds a seed to the dice, and leaves the
checks of them to other programs: see protocol/checking.md.
"""

import hashlib
import json
import random
import secrets
import sys
import time
from typing import Any

import msgpack
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

FIELDS = {1: "rules", 2: "players", 3: "phase", 4: "turn", 13: "score", 20: "commitment", 24: "kinds"}
FIELDS |= {29: "commitments", 30: "unrevealed", 33: "salts"}  # of the view, by code: all that this bot looks at
EMPTY = {"phase": "open", "turn": 0, "score": [0, 0], "unrevealed": []}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class PlainBot:
    def __init__(self, name: str, table: str) -> None:
        self.table, self.hello = table, {"name": name}
        self.id = random.randrange(2**48)  # ids never repeat, also in the next run
        self.seen: dict[str, Any] = {"match": "", "epoch": 1, "seq": 0}
        self.seat, self.view = 0, dict[str, Any](EMPTY)
        self.seed, self.terms = secrets.token_bytes(32), ""

    def play(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.hello = {"token": self.ask("hello", **self.hello, bot=True)["token"]}  # from now on this is who we are
        ours = {"commitment": sha256(self.seed)}
        while not self.seen["match"] and self.ask("join", table=self.table, **ours)["type"] == "error":
            self.ask("create", name=self.table, rules={"length": 3, "hints": True}, **ours)
            time.sleep(random.uniform(0, 0.2))  # of two who come at once, one is refused both, and joins then
        self.act(self.ask("attach", table=self.seen["match"], plays=True))  # without a seq: a snapshot comes
        while self.view["phase"] != "over":
            self.act(self.receive())

    def ask(self, type_: str, **fields: Any) -> dict[str, Any]:
        id_ = self.send(type_, **fields)
        while not (isinstance(message := self.receive(), dict) and message.get("id") == id_):
            pass
        if type_ == "hello" and message["type"] == "error":
            sys.exit(message["text"])  # our name is taken, perhaps by a copy of this program
        return message

    def send(self, type_: str, **fields: Any) -> int:
        self.id += 1
        self.socket.send(msgpack.packb({"type": type_, "id": self.id, **fields}))
        return self.id

    def receive(self) -> Any:
        """Read one frame, and keep what it says of the match."""
        message = msgpack.unpackb(self.socket.recv())
        if isinstance(message, list):  # an update: match, seq, [code, value, code, value, ...]
            _, self.seen["seq"], diff = message[:3]
            self.view |= {FIELDS[diff[i]]: diff[i + 1] for i in range(0, len(diff), 2) if diff[i] in FIELDS}
        elif message["type"] == "snapshot":
            self.seen, self.seat = {key: message[key] for key in self.seen}, message["seat"]
            self.view = {**EMPTY, **message["view"]}
        return message

    def act(self, message: Any) -> None:
        """Do what the match waits for. Answers are not awaited: what comes of it is in the updates."""
        if isinstance(message, dict) and message["type"] == "plays" and message["seq"] == self.seen["seq"]:
            self.send("move", **self.seen, moves=random.choice(message["plays"]))
        elif isinstance(message, list) or message["type"] == "snapshot":
            if self.seat in self.view["unrevealed"]:
                self.reveal()
            ours = self.view["turn"] == self.seat
            todo = {"ready": "ready", "roll": "roll" * ours, "cube": "take" * (not ours), "resign": "accept"}
            if action := todo.get(self.view["phase"]):
                self.send(action, **self.seen)

    def reveal(self) -> None:
        """Show our seed, for this match by these terms and for no other."""
        view, names = self.view, zip(self.view["salts"], self.view["kinds"], self.view["players"], strict=True)
        rules = json.dumps(view["rules"], sort_keys=True, separators=(",", ":"))
        players = [sha256(f"{salt}:{kind}:{name}".encode()) for salt, kind, name in names]
        lines = ["tavla-terms-1", self.seen["match"], rules, *players, view["commitment"], *view["commitments"]]
        terms = "".join(f"{line}\n" for line in lines)
        if self.terms not in ("", terms) or sha256(self.seed) != view["commitments"][self.seat]:
            sys.exit("this is not the match that we sat down for")
        self.terms, bound = terms, {"seed": self.seed.hex(), "binding": sha256(terms.encode())}
        self.send("reveal", **self.seen, **bound)


if __name__ == "__main__":
    bot = PlainBot(*sys.argv[2:])
    while bot.view["phase"] != "over":
        try:
            with connect(sys.argv[1], subprotocols=[Subprotocol("tavla.v1")]) as socket:
                bot.play(socket)
        except (OSError, WebSocketException):
            time.sleep(random.uniform(0, 1))
    print("score:", *bot.view["score"])
