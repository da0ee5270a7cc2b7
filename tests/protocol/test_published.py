"""Files that are published beside the specification for programs: schema.json, tavla.d.ts and vectors.json."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator
from tavla_protocol import messages as m
from tavla_protocol.codec import BadFrame, BadMessage, decode_reply, decode_request, pack
from websockets.exceptions import ConnectionClosed

from tests.support.browser.node import WEB, run_node
from tests.support.patience import PATIENCE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, close_code, within
from tests.support.servers.processes import ServerProcess
from tests.support.wire.messages import REPLIES, REQUESTS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "protocol"
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
VECTORS = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))


def faults(kind: str, message: Any) -> list[str]:
    """Errors of a message by the schema; kind: `Request`, `Reply` or `Update`."""
    validator = Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})
    return [error.message for error in validator.iter_errors(message)]


def in_json(value: Any) -> Any:
    """A msgpack value as the vectors write it."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, list):
        return [in_json(one) for one in value]
    return {key: in_json(one) for key, one in value.items()} if isinstance(value, dict) else value


def frame_of(vector: dict[str, Any]) -> bytes:
    return bytes(vector["zeros"]) if "zeros" in vector else bytes.fromhex(vector["hex"])


def kind_of(message: Any) -> str:
    return "Update" if isinstance(message, list) else "Reply"


# What JSON Schema cannot tell from what is right: a whole number as 1.0, a key that is bytes, and in Python text that
# ends with a line break.
LOOSE = re.compile(rb"\xcb[\x3f\x40].{7}|\xc4\x02id|\n$", re.DOTALL)


# --- they are as the code says ---


def test_all_are_made_from_the_code_as_it_is() -> None:
    command = [sys.executable, "-m", "protocol.generate", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA)))
    assert used <= SCHEMA["$defs"].keys()


@pytest.mark.parametrize("kind", ["requests", "replies"])
def test_there_is_a_vector_of_every_message(kind: str) -> None:
    known = m.REQUESTS if kind == "requests" else m.REPLIES
    assert {vector["message"]["type"] for vector in VECTORS[kind]} == known.keys()


# --- the vectors, the codec and the schema agree ---


@pytest.mark.parametrize("kind", ["requests", "replies", "updates"])
def test_a_message_is_read_and_is_as_the_schema_says(kind: str) -> None:
    for vector in VECTORS[kind]:
        frame, message = frame_of(vector), vector["message"]
        assert in_json(msgspec.msgpack.decode(frame)) == message
        if kind == "requests":
            assert decode_request(frame) in REQUESTS
            assert faults("Request", message) == []
        else:
            reply = decode_reply(frame)
            assert isinstance(reply, m.Update) or reply in REPLIES
            assert faults(kind_of(message), message) == []


def test_what_is_refused_is_so_by_codec_and_schema() -> None:
    for vector in VECTORS["refused"]:
        frame = frame_of(vector)
        with pytest.raises((BadFrame, BadMessage)):
            decode_request(frame)
        if "error" in vector["answer"] and LOOSE.search(frame) is None:
            assert faults("Request", in_json(msgspec.msgpack.decode(frame))), vector["why"]


# --- and so does a server ---


def is_answer(request: int, message: Any) -> bool:
    return getattr(message, "id", None) == request


async def test_a_server_understands_every_request(server: ServerProcess) -> None:
    """Most are refused, since there is no such match; but none as a message that cannot be read."""
    for vector in VECTORS["requests"]:
        asked = vector["message"]
        player = Player(server.url)
        await (player.connect() if asked["type"] == "hello" else player.open())
        await player.socket.send(frame_of(vector))
        answer = await player.find(partial(is_answer, asked["id"]))
        assert not (isinstance(answer, m.Error) and answer.code == "bad_message"), (asked, answer)
        await player.close()


async def test_a_server_refuses_what_is_to_be_refused(server: ServerProcess) -> None:
    for vector in VECTORS["refused"]:
        async with Player(server.url) as player:
            with contextlib.suppress(ConnectionClosed):
                await within(player.socket.send(frame_of(vector)))
            if "close" in vector["answer"]:
                assert await close_code(player) == vector["answer"]["close"], vector["why"]
            else:
                refusal = await player.next(m.Error)
                assert (refusal.code, refusal.id) == (vector["answer"]["error"], vector["answer"]["id"]), vector["why"]


async def test_what_a_server_sends_is_as_the_schema_says(
    server: ServerProcess, rules: dict[str, bool | int | str]
) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        for what in get_args(m.Subject):
            assert what in SCHEMA["$defs"]["Rows"]["properties"]
            await white.ask(m.Subscribe, what=what)
        await white.ask(m.Seek, rules=rules)
        match = await new_match(white, black, {"preset": "money", "hints": True, "clock": "fast"})
        await black.ask(m.Attach, table=match, plays=True)
        await white.ask(m.Say, match=match, to="players", phrase="gl")
        await white.ask(m.Chat, text="hello")
        await white.act(m.Resign, match, value=1)
        await black.reach(match, white.matches[match].seq + 1)
        await black.act(m.Accept, match)
        await white.ask(m.Leave, match=match, seq=0)
        for request, fields in (
            (m.Record, {"match": match}),
            (m.Profile, {"name": white.name}),
            (m.Top, {}),
            (m.Dice, {}),
        ):
            await white.ask(request, **fields)
        await white.ask(m.Rematch, match=match)
        await white.ask(m.List, what="mine")
        await black.sync()
        seen = [msgspec.msgpack.decode(pack(message)) for player in (white, black) for message in player.log]
    assert len({message["type"] for message in seen if isinstance(message, dict)}) > 8
    assert [found for one in seen if (found := faults(kind_of(one), in_json(one)))] == []


USE = """\
import type { Incoming, Request, Rows, Update, View } from "./tavla";

export const asked: Request = { type: "create", id: 1, commitment: "", rules: { preset: "club", clock: "fast" } };
// @ts-expect-error: a required field is missing
export const wrong: Request = { type: "move", id: 1, match: "m", seq: 2 };

export function take(message: Incoming): string {
  if (Array.isArray(message)) {
    const [match, seq, diff]: Update = message;
    return match + seq + diff.length;
  }
  switch (message.type) {
    case "snapshot": {
      const view: View = message.view;
      const bar: number = view.points ? view.points[25] : 0;
      return view.phase === "over" && view.outcome ? view.outcome[3] : String(bar);
    }
    case "listing": {
      const tables = message.rows as { [match: string]: Rows["tables"] };
      return Object.entries(tables).map(([match, table]) => match + table.name).join();
    }
    default:
      return message.type;
  }
}
"""


@pytest.mark.slow
def test_the_types_can_be_used(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "tavla.d.ts", tmp_path)
    (tmp_path / "use.ts").write_text(USE)
    tsc, files = WEB / "node_modules" / "typescript" / "bin" / "tsc", [tmp_path / "use.ts", tmp_path / "tavla.d.ts"]
    options = ["--ignoreConfig", "--strict", "--noEmit", "--target", "es2022", "--module", "esnext"]
    assert run_node(str(tsc), *options, *map(str, files)) == ""
