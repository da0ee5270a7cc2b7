"""The specification says what the code does: its examples are read and checked, its tables compared."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from tavla_engine.chain import LINKS, ChainDice, chain_commitment
from tavla_engine.dice import commitment
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_engine.match import ACCEPTS, Phase
from tavla_engine.rules import PRESETS, STARTS, Opening, Rules, Variant
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.claims import binding_of
from tavla_protocol.codec import MAX_FRAME_BYTES, MAX_ITEMS, decode_reply, decode_request, encode, pack
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_protocol.view import CHECKED, EMPTY, FIELDS, checksum, from_fields, patch

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import Player, unique
from tests.support.servers.processes import ServerProcess

PAGES = sorted((Path(__file__).parents[2] / "protocol").glob("*.md"))
README = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


class Example(NamedTuple):
    """A frame. sender: `client` or `server`. value: what its text says. frame: its bytes."""

    sender: str
    value: Any
    frame: bytes


def read_examples(text: str) -> list[Example]:
    """Each block holds JSON, in which h'0a0b' is bytes, then lines of hex, if its bytes are shown."""
    hex_lines = r"(?:^[0-9a-f]{2}(?: [0-9a-f]{2})*\n)*"
    found = re.findall(rf"^```frame (\w+)\n(.*?)({hex_lines})```$", text, re.MULTILINE | re.DOTALL)
    values = [(sender, _parse(json_), bytes.fromhex(hex_)) for sender, json_, hex_ in found]
    return [Example(sender, value, frame or pack(value)) for sender, value, frame in values]


def _parse(text: str) -> Any:
    return json.loads(re.sub(r"h'([0-9a-f]*)'", r'{"bytes": "\1"}', text), object_hook=_bytes)


def _bytes(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value["bytes"]) if value.keys() == {"bytes"} else value


EXAMPLES = read_examples(README)
MATCH = "k3v7q2xa"
SEEDS = (
    "b32acd7bdaff3574f5b2d305fc38f8646c1f4e0b92d857a3e4c7016f5b8d29ae",
    "81b637d8fcd2c6da6359e6963113a11777b662005169a0b590b94ee4edf81d57",
)
SEED = bytes.fromhex("a5c042eccc6842ebc5cf8dacca0cc67647bc19f40101b570dedeb21bb3b741d2")


def block(kind: str, after: str) -> str:
    """The first fenced block of a kind after some text."""
    found = re.search(rf"^```{kind}\n(.*?)^```$", README[README.index(after) :], re.MULTILINE | re.DOTALL)
    assert found, f"a block of {kind} after {after!r}"
    return found[1]


def section(title: str) -> str:
    """Text under a heading, up to the next one."""
    return re.split(r"^##", README.partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(title: str, head: str) -> list[list[str]]:
    """The cells of the tables under a heading whose first line begins so, without their heads."""
    tables = re.findall(rf"^\| {head}.*\n\|[-|]+\n((?:\|.*\n)+)", section(title), re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for table in tables for line in table.splitlines()]


def words(*cells: str) -> list[str]:
    """Words in backticks."""
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


# --- examples ---


def test_every_example_is_read() -> None:
    assert len(EXAMPLES) == README.count("```frame ") > 15


def test_each_example_is_byte_exact() -> None:
    for example in EXAMPLES:
        message = decode_request(example.frame) if example.sender == "client" else decode_reply(example.frame)
        assert pack(example.value) == example.frame
        if not isinstance(message, m.Update):
            assert encode(message) == example.frame, "no field is there that could be left out"


def test_the_conversation_can_be_followed() -> None:
    """As a client is told to: patch update by update, check the dice, and agree with the heartbeat."""
    view, seq, dice = EMPTY, 0, []
    for example in read_examples(section("A conversation")):
        reply = decode_reply(example.frame) if example.sender == "server" else None
        if isinstance(reply, m.Snapshot):
            view, seq = from_fields(reply.view), reply.seq
        elif isinstance(reply, m.Update):
            assert (reply.match, reply.seq) == (MATCH, seq + 1)
            view, seq = patch(view, reply.diff), reply.seq
            dice += [view.dice] if view.dice else []
        elif isinstance(reply, m.Heartbeat):
            assert reply.matches == [(MATCH, 1, seq, checksum(view))]
    assert (view.phase, view.turn, seq) == ("roll", 0, 7)
    roll = ChainDice(SEED, LINKS, binding_of(MATCH, view), SEEDS).of_link(1).roll
    assert view.commitment == chain_commitment(SEED)
    assert view.seeds == SEEDS
    assert view.commitments == tuple(commitment(bytes.fromhex(seed)) for seed in SEEDS)
    assert dice == [roll(1), roll(2)]


async def test_the_conversation_begins_as_with_a_server(server: ServerProcess) -> None:
    """The first snapshot and update have the fields and options that a server sends, no more and no less."""
    create, snapshot, joined = [example.value for example in read_examples(section("A conversation"))[:3]]
    async with Player(server.url) as ada, Player(server.url) as bob:
        welcome = ada.log[0]
        asked = {key: value for key, value in create.items() if key not in ("type", "id", "name")}
        sent = await ada.get(m.Snapshot, m.Create, name=unique("t"), **asked)
        await bob.ask(m.Join, table=sent.match, commitment="10" * 32)
        update = await ada.next(m.Update)
    assert [*sent.view] == [*snapshot["view"]]
    assert [*sent.view["rules"]] == [*snapshot["view"]["rules"]]
    assert update.diff[::2] == joined[2][::2]
    greeted = next(decode_reply(example.frame) for example in EXAMPLES if example.sender == "server")
    assert isinstance(welcome, m.Welcome)
    assert isinstance(greeted, m.Welcome)
    assert welcome.server == greeted.server


def test_the_standard_start_is_as_shown() -> None:
    row = STARTS[Variant.STANDARD]
    assert bytes.fromhex(block("points", "### Points")) == row + row


def test_the_dice_can_be_checked_with_openssl() -> None:
    missing = [tool for tool in ("bash", "openssl") if shutil.which(tool) is None]
    if missing:
        assert not os.environ.get("CI"), f"CI needs {' and '.join(missing)}"
        pytest.skip(f"needs {' and '.join(missing)}")
    script, printed = block("sh", "# Checking the dice"), block("text", "# Checking the dice")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.stdout, done.stderr) == (printed, "")
    _, binding, *pairs = printed.splitlines()
    roll = ChainDice(SEED, LINKS, binding, SEEDS).of_link(1).roll
    assert printed.splitlines()[0] == chain_commitment(SEED)
    assert pairs == [" ".join(map(str, roll(k))) for k in (1, 2)]


# --- tables ---


def test_every_field_of_the_view_has_its_code_name_and_empty_value() -> None:
    table = rows("5. The view", "code")
    assert [(int(code), *words(name)) for code, name, *_ in table] == list(enumerate(FIELDS))
    for _, name, _, empty, _ in table:
        if name != "`points`":
            assert words(empty) == [json.dumps(msgspec.to_builtins(getattr(EMPTY, *words(name))))]
    assert f"fields 0 to {CHECKED - 1} as one array" in " ".join(section("Checksum").split())


def test_an_update_is_told_by_its_parts() -> None:
    assert ", ".join(f"`{name}`" for name in m.Update.__struct_fields__) in section("Messages and errors")


def test_each_answer_that_is_named_is_a_reply() -> None:
    told = " ".join(str(cls.__doc__) for cls in m.REQUESTS.values())
    named = {*re.findall(r"Answer:\s+(\w+)", told)} - {"the"}
    assert len(named) > 10
    assert named <= m.REPLIES.keys()


def test_every_phrase_is_in_the_table() -> None:
    assert {words(phrase)[0]: text for phrase, text in rows("Talking", "phrase")} == m.PHRASES


def test_every_error_code_is_in_the_table() -> None:
    assert [word for row in rows("Errors", "code") for word in words(row[0])] == [*ErrorCode, *Reason]


def test_every_error_says_whether_it_helps_to_ask_again() -> None:
    assert {row[3] for row in rows("Errors", "code")} == {"no", "later", "yes"}


def test_every_close_code_is_in_the_table() -> None:
    assert [int(row[0]) for row in rows("1. Connecting", "code")] == [*CloseCode]


def test_every_phase_accepts_what_the_engine_accepts() -> None:
    tags = {"acceptresignation": "accept", "refuseresignation": "refuse", "setauto": "auto"}
    accepts = {
        phase.value: {tags.get(cls.__name__.lower(), cls.__name__.lower()) for cls in classes}
        for phase, classes in ACCEPTS.items()
        if phase is not Phase.OPENING  # no client sees it
    }
    accepts["resign"].remove("resign")  # the one that waits, sent again
    table = {words(phase)[0]: set(words(own, either)) for phase, _, own, either in rows("6. Playing", "phase")}
    assert table == {"open": {"cancel"}, "reveal": {"reveal"}, **accepts}


def test_the_diagram_leads_through_every_phase() -> None:
    diagram = block("text", "## 6. Playing")
    ends = {*re.findall(r"▶ (\w+)", diagram), *re.findall(r"(\w+) [─◀]", diagram)}
    phases = {words(row[0])[0] for row in rows("6. Playing", "phase")}
    assert ends == phases - {"over", "resign"}  # which the last line and the line below tell of


def test_every_ending_that_the_view_shows_is_in_the_table() -> None:
    shown = [ending for ending in Ending if ending is not Ending.SCORE]
    assert [word for row in rows("Outcome", "ending") for word in words(row[0])] == shown


def test_every_option_of_the_rules_is_in_the_table() -> None:
    table = rows("7. Rules of a table", "option")
    assert {words(row[0])[0]: json.loads(*words(row[2])) for row in table} == Rules()._asdict()
    values = {words(row[0])[0]: words(row[1]) for row in table}
    assert (values["variant"], values["opening"]) == ([*Variant], [*Opening])


def test_every_preset_is_in_the_table() -> None:
    table = {words(name)[0]: options for name, options in rows("7. Rules of a table", "preset")}
    assert table == {
        name: ", ".join(
            f"`{option}` {json.dumps(value)}"
            for option, value in preset.rules._asdict().items()
            if value != getattr(Rules(), option)
        )
        or "none"
        for name, preset in PRESETS.items()
    }


def test_the_limits_are_stated() -> None:
    text = section("1. Connecting")
    for limit in (f"at most {MAX_FRAME_BYTES} bytes", f"{MAX_ITEMS} items", f"`{SUBPROTOCOL}`"):
        assert limit in text
