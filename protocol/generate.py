"""`python -m protocol.generate`: what stands beside the specification for programs, made from the code.

schema.json: JSON Schema (draft 2020-12) of every message. tavla.d.ts: the same as types for TypeScript. vectors.json:
messages with their bytes, and frames that are refused. With --check nothing is written: the exit code says whether all
is as it would be.
"""

import enum
import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_engine.match import Phase
from tavla_engine.rules import CLOCKS, PRESETS, Rules
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES, encode, pack
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_protocol.view import FIELDS, View

from tests.support.wire.bad_messages import BAD_REQUESTS, NOT_MSGPACK
from tests.support.wire.messages import REPLIES, REQUESTS, UPDATES

HERE = Path(__file__).parent
Schema = dict[str, Any]


# --- schema.json -----------------------------------------------------------------------------------------------------


def schema() -> Schema:
    """All messages, by the names of their classes; a client's are a `Request`, the server's a `Reply` or `Update`."""
    types = [m.Request, m.Reply, m.Update, *LISTED, View]
    _, found = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    defs = {name: _tidy(found[name]) for name in (type_.__name__ for type_ in _in_order())}
    for (name, field), closer in CLOSER.items():
        target = defs[name]["properties"][field]
        assert name == "View" or not target.keys() & {"$ref", "enum"}, f"{name}.{field} says so itself"
        defs[name]["properties"][field] = {**closer, **{key: target[key] for key in ("default",) if key in target}}
    for code, field in enumerate(FIELDS):
        defs["View"]["properties"][field]["x-code"] = code
    defs["View"]["properties"]["points"]["default"] = {"bytes": "00" * 52}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{SUBPROTOCOL}: what a client sends is a Request, what the server sends a Reply or an Update",
        "description": "Made by protocol/generate.py from tavla_protocol/messages. README.md says what it means."
        " Frames are msgpack; a msgpack bin is written here as Bytes. Later versions add fields, types and values.",
        "anyOf": [_ref("Request"), _ref("Reply"), _ref("Update")],
        "$defs": {
            "Request": {"anyOf": [_ref(cls.__name__) for cls in m.REQUESTS.values()]},
            "Reply": {"anyOf": [_ref(cls.__name__) for cls in m.REPLIES.values()]},
            **defs,
            **_values(),
        },
    }


def _in_order() -> list[type]:
    return [*m.REQUESTS.values(), *m.REPLIES.values(), m.Update, *ROWS, View]


LISTED = (m.Table, m.Seeker, m.Person, m.Line, m.Tournament, m.Standing, m.Pairing)
KEPT = (m.Result, m.Leader, m.Finished, m.Analysis, m.Finding, m.Errors, m.BestPlay, m.Followed, m.ReviewScene)
ROWS = (*LISTED, m.TournamentRuling, *KEPT, m.CollectedMatch, m.Complaint, m.Penalty, m.Sanctioned)


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(of: Schema) -> Schema:
    return {"anyOf": [of, {"type": "null"}]}


def _pair(of: Schema) -> Schema:
    return {"type": "array", "prefixItems": [of, of], "minItems": 2, "maxItems": 2, "items": False}


SEAT: Schema = {"enum": [0, 1]}
NAMES: Schema = _or_null({"type": "string"})
ROW_OF: dict[str, type] = {
    **dict.fromkeys(("tables", "matches", "mine"), m.Table),
    "people": m.Person,
    "chat": m.Line,
    "seekers": m.Seeker,
    **dict.fromkeys(("tournaments", "tournament"), m.Tournament),
    "standings": m.Standing,
    "pairings": m.Pairing,
}
ANY_ROW = {"anyOf": [_ref(name) for name in dict.fromkeys(row.__name__ for row in ROW_OF.values())]}
ROW_MAP = {"type": "object", "additionalProperties": ANY_ROW}

# Closer than the types in Python, which also accept what a later server may send.
CLOSER: Mapping[tuple[str, str], Schema] = {
    ("Create", "rules"): _ref("AskedRules"),
    ("Seek", "rules"): _ref("AskedRules"),
    ("Challenge", "rules"): _ref("AskedRules"),
    ("CreateTournament", "rules"): _ref("AskedRules"),
    ("Tournament", "rules"): _ref("Rules"),
    ("Table", "rules"): _ref("Rules"),
    ("Seeker", "rules"): _ref("Rules"),
    ("Challenged", "rules"): _ref("Rules"),
    ("Finished", "rules"): _ref("Rules"),
    ("Finished", "ending"): _ref("Ending"),
    ("Error", "code"): _ref("ErrorCode"),
    ("Snapshot", "view"): _ref("View"),
    ("Recorded", "view"): _ref("View"),
    ("Recorded", "events"): {"type": "array", "items": _ref("Event")},
    ("Listing", "rows"): ROW_MAP,
    ("Changes", "set"): ROW_MAP,
    ("View", "rules"): _ref("Rules"),
    ("View", "phase"): _ref("Phase"),
    ("View", "points"): _ref("Bytes"),
    **{(name, "data"): _ref("Bytes") for name in ("ShareFile", "SharedFile", "Collect", "CollectedFile")},
    ("CollectedMatch", "rules"): _ref("Rules"),
    ("View", "turn"): SEAT,
    ("View", "owner"): _or_null(SEAT),
    ("View", "offer"): _or_null(SEAT),
    ("View", "outcome"): _or_null(
        {
            "type": "array",
            "prefixItems": [_or_null(SEAT), {"type": "integer"}, {"type": "integer"}, _ref("Ending")],
            "minItems": 4,
        }
    ),
}


def _values() -> Schema:
    """Definitions for several messages, or for none of the classes."""
    integer, text = {"type": "integer"}, {"type": "string"}
    options = {name: {**_option(value), "default": value} for name, value in Rules()._asdict().items()}
    asked = {"preset": _open(PRESETS), "clock": _open(CLOCKS)}
    return {
        "Rules": {
            "type": "object",
            "description": "Options of a table; what is left out is as in the preset `tournament`.",
            "properties": options,
        },
        "AskedRules": {
            "type": "object",
            "description": "A preset, and the options that differ from it. `clock` stands for delay_s and reserve_s.",
            "properties": {**asked, **{name: _option(value) for name, value in Rules()._asdict().items()}},
        },
        "Rows": {
            "type": "object",
            "description": "Of which kind the rows of a list are, by its `what`.",
            "properties": {what: _ref(row.__name__) for what, row in ROW_OF.items()},
            "required": [*ROW_OF],
        },
        "Event": {
            "type": "array",
            "description": "An event of a match: seq, ms since 1970, type, and what it has.",
            "prefixItems": [integer, integer, text],
            "minItems": 3,
        },
        "Bytes": {
            "type": "object",
            "description": "A msgpack bin: here, and in vectors.json, its bytes in hex.",
            "properties": {"bytes": {"type": "string", "pattern": "^([0-9a-f]{2})*$"}},
            "required": ["bytes"],
        },
        "Phase": _open(["open", "reveal", *(phase for phase in Phase if phase is not Phase.OPENING)]),
        "Ending": _open(ending for ending in Ending if ending is not Ending.SCORE),
        "ErrorCode": _open([*ErrorCode, *Reason]),
        "CloseCode": {"anyOf": [{"enum": [*map(int, CloseCode)]}, integer]},
        "Phrase": {"enum": [*m.PHRASES]},
    }


def _open(values: Iterable[str]) -> Schema:
    """Some values, to which a later version may add."""
    return {"anyOf": [{"enum": [str(value) for value in values]}, {"type": "string"}]}


def _option(value: object) -> Schema:
    if isinstance(value, enum.Enum):
        return _open(type(value))
    return {"type": "boolean" if isinstance(value, bool) else "integer"}


def _tidy(value: Any) -> Any:
    """As JavaScript wants its patterns, and docstrings without their indent."""
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if not isinstance(value, dict):
        return value
    tidied = {key: _tidy(one) for key, one in value.items() if key != "title"}
    if isinstance(value.get("pattern"), str):
        tidied["pattern"] = value["pattern"].replace("\\Z", "$")
    if isinstance(value.get("description"), str):
        tidied["description"] = inspect.cleandoc(value["description"])
    return tidied


# --- tavla.d.ts ------------------------------------------------------------------------------------------------------


def typescript() -> str:
    """The schema as types: an interface for each message, whose `type` tells it from the others."""
    made = schema()
    head = f"""\
// Types of {SUBPROTOCOL}. Made by protocol/generate.py from the same source as schema.json: do not edit.
// A msgpack bin is a Uint8Array. What is optional has the default that its comment says. Later servers add fields,
// types and values: pass over what you do not know.

export type Incoming = Reply | Update;
"""
    return "\n".join([head, *(_declared(name, value) for name, value in made["$defs"].items())])


def _declared(name: str, value: Schema) -> str:
    if name == "Bytes":
        return "export type Bytes = Uint8Array;\n"
    if name == "Update":
        parts = "match: string, seq: number, diff: unknown[], ...unknown[]"
        return f"{_comment(value)}export type Update = [{parts}]; // `code` in View\n"
    if "properties" not in value:
        return f"{_comment(value)}export type {name} = {_ts(value)};\n"
    fields = "".join(_field(key, of, value) for key, of in value["properties"].items())
    return f"{_comment(value)}export interface {name} {{\n{fields}}}\n"


def _field(key: str, of: Schema, owner: Schema) -> str:
    notes = [f"code {of['x-code']}"] if "x-code" in of else []
    notes += _limits(of)
    if "default" in of:
        notes.append(f"default {json.dumps(of['default'])}" if key != "points" else "default: 52 zeros")
    note = f" // {'; '.join(notes)}" if notes else ""
    return f"  {key}{'' if key in owner.get('required', []) else '?'}: {_ts(of)};{note}\n"


LIMITS = {"pattern": "{pattern}", "maxLength": "{minLength}-{maxLength} characters", "maximum": "{minimum}-{maximum}"}


def _limits(of: Schema) -> list[str]:
    one: Schema = {"minLength": 0} | next((one for one in (of, *of.get("anyOf", ())) if LIMITS.keys() & one.keys()), {})
    return [text.format(**one) for key, text in LIMITS.items() if one.get(key, 2**63 - 1) != 2**63 - 1]


def _comment(value: Schema) -> str:
    lines = value.get("description", "").replace("*/", "* /").splitlines()
    return "".join(["/**\n", *(f" * {line}".rstrip() + "\n" for line in lines), " */\n"]) if lines else ""


SCALARS = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def _ts(value: Schema) -> str:
    """A type's text."""
    match value:
        case {"$ref": ref}:
            return str(ref).rpartition("/")[2]
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"anyOf": [{"enum": values}, {"type": "string"}]}:  # so that editors offer the known ones
            return " | ".join([*map(json.dumps, values), "(string & {})"])
        case {"anyOf": choices}:
            return " | ".join(dict.fromkeys(map(_ts, choices)))
        case {"type": "array", "prefixItems": items, **rest}:
            more = [] if rest.get("items") is False else ["...unknown[]"]
            return f"[{', '.join([*map(_ts, items), *more])}]"
        case {"type": "array"}:
            item = _ts(value.get("items", {}))
            return f"({item})[]" if " " in item else f"{item}[]"
        case {"type": "object"}:
            return f"{{ [key: string]: {_ts(value.get('additionalProperties', {}))} }}"
        case {"type": type_}:
            return SCALARS[type_]
        case _:
            return "unknown"


# --- vectors.json ----------------------------------------------------------------------------------------------------


def vectors() -> dict[str, Any]:
    """Messages of every type with their bytes, and frames that the server refuses."""
    return {
        "about": f"Frames of {SUBPROTOCOL}, made by protocol/generate.py. `hex` is the frame, `message` what it says,"
        ' with bytes as {"bytes": hex}. Of `refused`, `answer` is the close code, or the error\'s code and id.',
        "requests": [_vector(encode(request)) for request in REQUESTS],
        "replies": [_vector(encode(reply)) for reply in REPLIES],
        "updates": [_vector(pack(update)) for update in UPDATES],
        "refused": [*_closing(), *_answered()],
    }


def _vector(frame: bytes) -> dict[str, Any]:
    return {"message": _in_json(msgspec.msgpack.decode(frame)), "hex": frame.hex()}


def _closing() -> list[dict[str, Any]]:
    frames = [(frame, why) for frame, why in NOT_MSGPACK if len(frame) <= 64]
    closing = [
        {"why": why, "hex": frame.hex(), "answer": {"close": int(CloseCode.NOT_MSGPACK)}} for frame, why in frames
    ]
    too_big = {"why": f"{MAX_FRAME_BYTES + 1} zeros", "zeros": MAX_FRAME_BYTES + 1}
    return [*closing, {**too_big, "answer": {"close": int(CloseCode.TOO_BIG)}}]


def _answered() -> list[dict[str, Any]]:
    return [
        {"why": text, "hex": pack(value).hex(), "answer": {"error": ErrorCode.BAD_MESSAGE.value, "id": id_}}
        for value, text, id_ in BAD_REQUESTS
    ]


def _in_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, list):
        return [_in_json(one) for one in value]
    return {key: _in_json(one) for key, one in value.items()} if isinstance(value, dict) else value


def _lines(made: dict[str, Any]) -> str:
    """JSON with a line for each vector."""

    def dump(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    parts = []
    for key, value in made.items():
        rows = ",\n".join(f"  {dump(row)}" for row in value) if isinstance(value, list) else ""
        parts.append(f"{dump(key)}: " + (f"[\n{rows}\n]" if rows else dump(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    made = {
        "schema.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n",
        "tavla.d.ts": typescript(),
        "vectors.json": _lines(vectors()),
    }
    if "--check" in sys.argv[1:]:
        old = [name for name, text in made.items() if (HERE / name).read_text(encoding="utf-8") != text]
        sys.exit(f"not as the code says: {', '.join(old)}; run `make schema`" if old else 0)
    for name, text in made.items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
