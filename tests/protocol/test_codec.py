import contextlib
import random
import re
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tavla_protocol import messages as m
from tavla_protocol.actions import decode_action
from tavla_protocol.codec import (
    MAX_ITEMS,
    BadFrame,
    BadMessage,
    UnknownType,
    decode_reply,
    decode_request,
    encode,
    pack,
)

from tests.support.tries import tries
from tests.support.wire.bad_messages import BAD_REQUESTS, NOT_MSGPACK
from tests.support.wire.messages import REPLIES, REQUESTS


def test_every_message_has_an_example_here() -> None:
    assert {type(request) for request in REQUESTS} == set(m.REQUESTS.values())
    assert {type(reply) for reply in REPLIES} == set(m.REPLIES.values())


def test_a_request_is_the_same_after_the_wire_and_an_action_is_told_from_others() -> None:
    for request in REQUESTS:
        assert decode_request(encode(request)) == request
        assert decode_action(encode(request)) == (request if isinstance(request, m.MatchAction) else None)


FRAMES = st.sampled_from([encode(request) for request in REQUESTS if isinstance(request, m.MatchAction)])


@given(FRAMES, st.lists(st.tuples(st.integers(0, 90), st.integers(0, 255)), max_size=3), st.binary(max_size=4))
def test_an_action_that_is_read_quickly_is_what_a_careful_look_makes_of_it(
    frame: bytes, changes: list[tuple[int, int]], more: bytes
) -> None:
    changed = bytearray(frame)
    for at, byte in changes:
        changed[at % len(changed)] = byte
    data = bytes(changed) + more
    try:
        careful: m.Request | None = decode_request(data)
    except (BadFrame, BadMessage):
        careful = None
    assert decode_action(data) == (careful if isinstance(careful, m.MatchAction) else None)


def test_a_reply_is_the_same_after_the_wire() -> None:
    assert [decode_reply(encode(reply)) for reply in REPLIES] == REPLIES


def test_an_update_is_an_array() -> None:
    assert decode_reply(pack(["k3v9q2xa", 7, [4, 1]])) == m.Update("k3v9q2xa", 7, [4, 1])


def test_fields_with_their_default_value_are_left_out() -> None:
    assert msgpack.unpackb(encode(m.List(id=1))) == {"type": "list", "id": 1}
    row = m.Table(name="sofa", players=("ada", None))
    assert msgspec.to_builtins(row) == {"name": "sofa", "players": ("ada", None)}
    assert msgspec.to_builtins(m.Person()) == {}
    assert msgspec.to_builtins(m.Line(name="ada", text="hi")) == {"name": "ada", "text": "hi"}


def test_the_types_are_the_names_in_lower_case() -> None:
    assert m.REQUESTS["hello"] is m.Hello
    assert m.REPLIES["snapshot"] is m.Snapshot
    assert not m.REQUESTS.keys() & m.REPLIES.keys()


# --- what is no message ---


@pytest.mark.parametrize(("frame", "why"), NOT_MSGPACK)
def test_what_is_not_one_msgpack_value_is_a_bad_frame(frame: bytes, why: str) -> None:
    for decode in (decode_request, decode_reply):
        with pytest.raises(BadFrame, match=r"not one msgpack value within the limits: ."):
            decode(frame)


@pytest.mark.parametrize("value", [list(range(MAX_ITEMS + 1)), {str(n): n for n in range(MAX_ITEMS + 1)}])
def test_a_request_has_a_limit_of_items(value: object) -> None:
    with pytest.raises(BadFrame, match="65 exceeds"):
        decode_request(pack({"type": "create", "id": 1, "rules": value}))


def test_a_reply_may_be_long() -> None:
    snapshot = m.Snapshot(match="m", epoch=1, seq=1, online=(True, True), view={str(n): n for n in range(5000)})
    assert decode_reply(encode(snapshot)) == snapshot


@pytest.mark.parametrize(("value", "text", "id_"), BAD_REQUESTS)
def test_a_bad_request_says_what_is_wrong_and_which_one_it_was(value: Any, text: str, id_: int | None) -> None:
    with pytest.raises(BadMessage) as caught:
        decode_request(pack(value))
    assert text in str(caught.value)
    assert "regex" not in str(caught.value), "in words"
    assert caught.value.args == (str(caught.value),), "the sentence alone"
    assert caught.value.id == id_
    assert caught.value.code == "bad_message"


VALUES = [  # a request with a wrong value, what is said, why this row is here
    ({"type": "create", "side": "red"}, r"expected one of either, white, black - at `\$\.side`", "in their order"),
    ({"type": "list", "what": "x" * 4000}, "expected one of tables, .*, pairings, .*mine - at `.*`", "a union"),
    ({"type": "chat", "phrase": "a - b"}, "expected one of hello, .*, bye - at `.*`", "or none"),
]


@pytest.mark.parametrize(("value", "said", "why"), VALUES)
def test_the_values_that_may_be_are_listed(value: dict[str, Any], said: str, why: str) -> None:
    with pytest.raises(BadMessage) as caught:
        decode_request(pack({"id": 1, **value}))
    assert re.fullmatch(said, str(caught.value)), why
    assert len(str(caught.value)) < 500


def test_unknown_fields_are_passed_over() -> None:
    assert decode_request(pack({"type": "list", "id": 5, "colour": {"of": ["the", "hat"]}})) == m.List(id=5)
    assert decode_reply(pack({"type": "ok", "id": 5, "colour": 1})) == m.Ok(id=5)
    assert decode_reply(pack(["m", 7, [], "more"])) == m.Update("m", 7, [])


def test_of_two_equal_keys_the_last_one_counts() -> None:
    frame = b"\x83\xa4type\xa4list\xa2id\x01\xa2id\x02"
    assert decode_request(frame) == m.List(id=2)


def test_a_message_of_a_later_version_can_be_told_from_a_broken_one() -> None:
    with pytest.raises(UnknownType):
        decode_reply(pack({"type": "weather", "sunny": True}))
    for broken in ({"type": "ok"}, {"type": 3}, ["m"], ["m", "7", []], 7):
        with pytest.raises(BadMessage) as caught:
            decode_reply(pack(broken))
        assert not isinstance(caught.value, UnknownType)


# --- whatever comes ---

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=20)
)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=8) | st.dictionaries(st.text(max_size=8), v, max_size=8))


def decodes_or_says_why(frame: bytes) -> None:
    for decode in (decode_request, decode_reply):
        with contextlib.suppress(BadFrame, BadMessage):
            assert isinstance(decode(frame), m.Message | m.Update)


@given(st.binary(max_size=200))
@example(b"\x93\xa0\x00\xc7\x00\x00")
def test_any_bytes_decode_or_say_why_not(frame: bytes) -> None:
    decodes_or_says_why(frame)


@given(values)
def test_any_value_decodes_or_says_why_not(value: Any) -> None:
    decodes_or_says_why(pack(value))


@given(st.sampled_from([*REQUESTS, *REPLIES]), st.data())
def test_a_message_with_anything_in_one_of_its_fields_decodes_or_says_why_not(
    message: m.Message, data: st.DataObject
) -> None:
    fields = msgspec.to_builtins(message, builtin_types=(bytes,))
    fields[data.draw(st.sampled_from(list(fields)))] = data.draw(values)
    decodes_or_says_why(pack(fields))


@pytest.mark.slow
def test_a_message_with_damaged_bytes_decodes_or_says_why_not() -> None:
    rng = random.Random(1)
    for message in [*REQUESTS, *REPLIES]:
        whole = encode(message)
        for _ in range(tries(300)):
            frame = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                frame[rng.randrange(len(frame))] = rng.randrange(256)
            decodes_or_says_why(bytes(frame[: rng.randint(1, len(frame))] if rng.random() < 0.2 else frame))
