"""Codec: one msgpack value a frame, with tight limits on everything that arrives."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgpack
import msgspec

from tavla_protocol import messages
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import REPLIES, REQUESTS, Message, Reply, Request, Update

MAX_FRAME_BYTES = 4096  # a client's frame; the longest sensible one, `create` with every option, has under 500
MAX_ITEMS = 64  # in one array or map

# Any plain value or message as msgpack, every number and string in its shortest form.
pack = msgspec.msgpack.Encoder().encode


class BadFrame(ValueError):
    """A frame that is no msgpack value within the limits. The connection is closed with 1007."""


class BadMessage(ValueError):
    """A msgpack value that is no message of ours.

    id: the request's, when it could be read. str(error): what is wrong, and where.
    """

    code = ErrorCode.BAD_MESSAGE

    def __init__(self, text: str, id: int | None = None) -> None:  # noqa: A002 - the field's name on the wire
        super().__init__(text)
        self.id = id


class UnknownType(BadMessage):
    """A message of a type that this version does not know. A client passes over it: its server is a newer one."""


# A request or a reply as one frame. Fields that have their default value are left out.
encode: Callable[[Message], bytes] = pack


def decode_request(frame: bytes) -> Request:
    """Decode a client's request. Raises: BadFrame, BadMessage."""
    request: Request = _typed(_unpack(frame, MAX_FRAME_BYTES, MAX_ITEMS), REQUESTS)
    return request


def decode_reply(frame: bytes) -> Reply | Update:
    """Decode the server's message, or the update of a match, which is an array.

    Raises: BadFrame, BadMessage; UnknownType for what a client passes over.
    """
    value = _unpack(frame, len(frame), len(frame))
    reply: Reply | Update = _convert(value, Update) if isinstance(value, list) else _typed(value, REPLIES)
    return reply


def _typed(value: Any, types: Mapping[str, type]) -> Any:
    type_ = value.get("type") if isinstance(value, dict) else None
    if not isinstance(type_, str):
        raise BadMessage("a message is a map with a `type`", _id(value))
    if type_ not in types:
        near = sorted(name for name in types if name[0] == type_[:1].lower())
        told = f"near it: {', '.join(near)}" if near else "the protocol page has all of them"
        raise UnknownType(f"unknown type; {told}", _id(value))
    return _convert(value, types[type_])


def _convert(value: Any, to: type) -> Any:
    try:
        return msgspec.convert(value, to)
    except msgspec.ValidationError as error:
        text = _in_words(str(error), to)
        raise BadMessage(text[:1].lower() + text[1:], _id(value)) from None


_WORDS = {  # by how msgspec tells of a pattern
    f"Expected `str` matching regex {meta.pattern!r}": meta.description
    for kind in vars(messages).values()
    for meta in getattr(kind, "__metadata__", ())
    if meta.pattern
}


def _in_words(text: str, to: type) -> str:
    expected, dash, where = text.rpartition(" - ")
    if expected.startswith("Invalid enum value"):
        name = where.removeprefix("at `$.").removesuffix("`")
        values = next((_values(field.type) for field in msgspec.structs.fields(to) if field.encode_name == name), [])
        expected = f"expected one of {', '.join(values)}" if values else expected
    return f"{_WORDS.get(expected, expected)}{dash}{where}"


def _values(type_: Any) -> list[str]:
    """The values of a Literal, and of a union of such."""
    return [value for part in get_args(type_) for value in ([part] if isinstance(part, str) else _values(part))]


def _unpack(frame: bytes, max_bytes: int, max_items: int) -> Any:
    try:
        return msgpack.unpackb(
            frame,
            max_str_len=max_bytes,
            max_bin_len=max_bytes,
            max_array_len=max_items,
            max_map_len=max_items,
            max_ext_len=0,
            ext_hook=_no_ext,  # one without any content is within the limit
        )
    except (ValueError, msgpack.UnpackException) as error:
        raise BadFrame(f"not one msgpack value within the limits: {str(error) or type(error).__name__}") from None


def _no_ext(code: int, content: bytes) -> Any:
    raise ValueError(f"extension type {code}")


def _id(value: object) -> int | None:
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if type(id_) is int and 0 <= id_ < 2**63 else None
