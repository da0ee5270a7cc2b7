import contextlib
import math
import random
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tavla_protocol import messages as m
from tavla_protocol.codec import (
    MAX_FRAME_BYTES,
    MAX_ITEMS,
    BadFrame,
    BadMessage,
    UnknownType,
    decode_action,
    decode_reply,
    decode_request,
    encode,
    pack,
)

ACTION = {"id": 1, "match": "k3v9q2xa", "seq": 9}

REQUESTS: list[m.Request] = [  # every field of every request away from its default
    m.Hello(id=0, name="ada"),
    m.Hello(id=2**63 - 1, token="x" * 64),
    m.Hello(id=1, name="bot-1", password="secret", bot=True),
    m.Register(id=1, password="long enough"),
    m.Password(id=1, old="secret", new="long enough"),
    m.Logout(id=1, everywhere=True),
    m.CloseAccount(id=1, password="secret"),
    m.Profile(id=1, name="ada"),
    m.History(id=1, name="ada", after="1789000000000.k3v9q2xa"),
    m.Record(id=1, match="k3v9q2xa", after=7, code="abcd2345"),
    m.Top(id=1),
    m.Create(id=1, name="sofa", rules={"preset": "club", "length": 5}, side="black", commitment="0f" * 32),
    m.Create(id=1, opponent="computer", private=True, spectators=False),
    m.Join(id=1, table="sofa", commitment="00" * 32, code="abcd2345"),
    m.Attach(id=1, table="k3v9q2xa", epoch=1, seq=7, checksum=2**32 - 1, plays=True, hush=True, code="abcd2345"),
    m.Detach(id=1, match="k3v9q2xa"),
    m.List(id=1),
    m.List(id=1, what="mine"),
    m.Subscribe(id=1, what="people"),
    m.Unsubscribe(id=1, what="matches"),
    m.Available(id=1, places=4, level="beginner", rules={"variant": ["standard"], "length": [1, 3], "cube": [False]}),
    m.Cancel(id=1, match="k3v9q2xa"),
    m.Seek(id=1, rules={"length": 5, "rated": True}, commitment="0f" * 32),
    m.Unseek(id=1),
    m.Challenge(id=1, player="ada", rules={"length": 5}, side="white", commitment="0f" * 32),
    m.Rematch(id=1, match="k3v9q2xa", commitment="0f" * 32),
    m.Answer(id=1, challenge="k3v9q2xa", accept=True, commitment="0f" * 32),
    m.Withdraw(id=1, challenge="k3v9q2xa"),
    m.Ignore(id=1, player="ada", on=False),
    m.Say(id=1, match="k3v9q2xa", to="players", text="Grüß dich"),
    m.Say(id=1, match="k3v9q2xa", to="watchers", phrase="gl"),
    m.Chat(id=1, text="Grüß dich"),
    m.Chat(id=1, phrase="hello"),
    m.Reveal(id=1, match="k3v9q2xa", seq=9, seed="0f" * 16),
    m.Ready(id=1, match="k3v9q2xa", seq=9),
    m.Roll(id=1, match="k3v9q2xa", seq=9),
    m.Double(id=1, match="k3v9q2xa", seq=9),
    m.Take(id=1, match="k3v9q2xa", seq=9),
    m.Drop(id=1, match="k3v9q2xa", seq=9),
    m.Beaver(id=1, match="k3v9q2xa", seq=9),
    m.Move(id=1, match="k3v9q2xa", seq=9, moves=((25, 20), (6, 0))),
    m.Move(id=1, match="k3v9q2xa", seq=9, moves=()),
    m.Resign(id=1, match="k3v9q2xa", seq=9, value=2),
    m.Accept(id=1, match="k3v9q2xa", seq=9),
    m.Refuse(id=1, match="k3v9q2xa", seq=9),
    m.Forfeit(id=1, match="k3v9q2xa", seq=9),
    m.Claim(id=1, match="k3v9q2xa", seq=9),
    m.Leave(id=1, match="k3v9q2xa", seq=9),
    m.Auto(id=1, match="k3v9q2xa", seq=9, what="roll", on=True),
]

ROWS: dict[str, dict[str, Any]] = {"k3v9q2xa": {"name": "sofa", "players": ["ada", None], "score": [1, 2]}}
RESULT = m.Result(match="k3", time=2**41, opponent="bob", length=3, score=(3, 1), change=17.32, rating=1517.32)
FINISHED = m.Finished(
    match="k3v9q2xa",
    table="sofa",
    seat=1,
    players=("ada", "someone"),
    kinds=("account", "bot"),
    rules={"length": 3},
    score=(3, 1),
    winner=0,
    ending="borne_off",
    started=2**40,
    ended=2**41,
    ratings=(1517.32, None),
    changes=(17.32, -17.32),
    private=True,
)
REPLIES: list[m.Reply] = [
    m.Welcome(id=1, player="p1", name="ada", token="secret", matches=["k3v9q2xa"]),
    m.Welcome(id=1, player="p1", name="ada", kind="account", rating=1517.32, token="secret"),
    m.Ok(id=1),
    m.Ok(id=1, seq=2**40),
    m.Error(code="bad_message", text="what is wrong"),
    m.Error(id=1, code="stale", text="look again", seq=3),
    m.Snapshot(id=1, match="k3v9q2xa", epoch=1, seq=2, seat=1, online=(True, False), view={"points": bytes(52)}),
    m.Plays(match="k3v9q2xa", seq=2, plays=[((8, 5), (6, 5)), ()]),
    m.Presence(match="k3v9q2xa", seat=1, online=False),
    m.Replaced(match="k3v9q2xa"),
    m.Heartbeat(matches=[("k3v9q2xa", 1, 2, 2**32 - 1)]),
    m.Listing(id=1, what="tables", seq=3, total=1, rows=ROWS),
    m.Changes(what="tables", seq=4, total=1, set=ROWS, gone=["m2"]),
    m.Matched(match="k3v9q2xa", seek=1),
    m.Seeking(seek=1, on=False, match="k3v9q2xa"),
    m.Career(id=1, name="ada", kind="account", rating=1517.32, experience=3, results=[RESULT]),
    m.Career(id=1, name="bob", kind="guest"),
    m.Leaders(id=1, leaders=[m.Leader(name="ada", kind="bot", rating=1517.32, experience=3)]),
    m.Played(id=1, matches=[FINISHED], next="1789000000000.k3v9q2xa"),
    m.Recorded(id=1, match="m", epoch=1, seq=2, view={"seed": "0f"}, events=[[1, 2**41, "rolled", 0, 3, 1]], next=2),
    m.Matched(match="k3v9q2xa"),
    m.Challenged(id=1, challenge="k3v9q2xa", by="ada", to="bob", rules={"length": 5}, seat=1, rematch="m1", expires=60),
    m.Unchallenged(challenge="k3v9q2xa", why="declined"),
    m.Rematched(match="m1", next="k3v9q2xa"),
    m.Said(match="k3v9q2xa", name="ada", seat=0, to="players", text="Good luck!", phrase="gl"),
    m.Watchers(match="k3v9q2xa", names=["eve"], count=21),
    m.Closing(text="the server stops", retry_after=0.5),
]


def test_every_message_has_an_example_here() -> None:
    assert {type(request) for request in REQUESTS} == set(m.REQUESTS.values())
    assert {type(reply) for reply in REPLIES} == set(m.REPLIES.values())


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_a_request_is_the_same_after_the_wire(request_: m.Request) -> None:
    assert decode_request(encode(request_)) == request_


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
def test_an_action_is_told_from_other_requests(request_: m.Request) -> None:
    assert decode_action(encode(request_)) == (request_ if isinstance(request_, m.MatchAction) else None)


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


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_a_reply_is_the_same_after_the_wire(reply: m.Reply) -> None:
    assert decode_reply(encode(reply)) == reply


def test_an_update_is_an_array() -> None:
    assert decode_reply(pack(["k3v9q2xa", 7, [4, 1]])) == m.Update("k3v9q2xa", 7, [4, 1])


def test_fields_with_their_default_value_are_left_out() -> None:
    assert msgpack.unpackb(encode(m.Create(id=1))) == {"type": "create", "id": 1}
    row = m.Table(name="sofa", players=("ada", None))
    assert msgspec.to_builtins(row) == {"name": "sofa", "players": ("ada", None)}
    assert msgspec.to_builtins(m.Person()) == {}
    assert msgspec.to_builtins(m.Line(name="ada", text="hi")) == {"name": "ada", "text": "hi"}


def test_the_types_are_the_names_in_lower_case() -> None:
    assert m.REQUESTS["hello"] is m.Hello
    assert m.REPLIES["snapshot"] is m.Snapshot
    assert not m.REQUESTS.keys() & m.REPLIES.keys()


# --- what is no message ---

NOT_MSGPACK: list[tuple[bytes, str]] = [
    (b"", "nothing"),
    (b"\xc1", "the byte that msgpack never uses"),
    (b"hello", "text: its first byte is a number, the rest is too much"),
    (b'{"type": "list", "id": 1}', "JSON"),
    (b"\xc0\xc0", "two values"),
    (encode(m.List(id=1))[:-1], "cut off"),
    (encode(m.List(id=1)) + b"\x00", "one byte too many"),
    (b"\xa1\xff", "text that is not UTF-8"),
    (b"\x81\x01\x02", "a number as a key"),
    (b"\x81\xc0\x02", "nothing as a key"),
    (b"\x81\x90\x02", "an array as a key"),
    (b"\x81\x80\x02", "a map as a key"),
    (b"\xc7\x00\x05", "an empty extension"),
    (b"\xd4\x05\x00", "an extension of one byte"),
    (b"\xd6\xff\x00\x00\x00\x00", "a time"),
    (b"\xc9\xff\xff\xff\xff\x05", "an extension of 4 GiB"),
    (b"\x91" * MAX_FRAME_BYTES, "arrays, too deep"),
    (b"\x81\xa1a" * (MAX_FRAME_BYTES // 3), "maps, too deep"),
    (b"\x91" * (MAX_FRAME_BYTES - 1) + b"\xc0", "arrays, too deep, but complete"),
    (b"\xdb\xff\xff\xff\xff", "text of 4 GiB"),
    (b"\xc6\xff\xff\xff\xff", "bytes of 4 GiB"),
    (b"\xdd\xff\xff\xff\xff", "an array of 4 billion"),
    (b"\xdf\xff\xff\xff\xff", "a map of 4 billion"),
    (b"\xdd\x00\x00\xff\xff" * 200, "arrays that promise much"),
]


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


def _list(**others: Any) -> dict[str, Any]:
    return {"type": "list", "id": 5, **others}


BAD_REQUESTS: list[tuple[Any, str, int | None]] = [  # value, what the error says, the id that is read back
    (None, "a map with a `type`", None),
    (7, "a map with a `type`", None),
    (math.nan, "a map with a `type`", None),
    ("list", "a map with a `type`", None),
    ([], "a map with a `type`", None),
    (["k3v9q2xa", 7, []], "a map with a `type`", None),
    ({}, "a map with a `type`", None),
    ({"id": 5}, "a map with a `type`", 5),
    ({"id": 5, "type": None}, "a map with a `type`", 5),
    ({"id": 5, "type": b"list"}, "a map with a `type`", 5),
    ({"id": 5, "type": ["list"]}, "a map with a `type`", 5),
    ({"id": 5, "type": "dance"}, "unknown type: the types are accept, answer, attach", 5),
    ({"id": 5, "type": "List"}, "unknown type", 5),
    ({"id": 5, "type": "welcome"}, "unknown type", 5),
    ({"type": "list"}, "object missing required field `id`", None),
    (_list(id=None), "at `$.id`", None),
    (_list(id=-1), "at `$.id`", None),
    (_list(id=2**63), "at `$.id`", None),
    (_list(id=1.0), "at `$.id`", None),
    (_list(id=math.nan), "at `$.id`", None),
    (_list(id="5"), "at `$.id`", None),
    (_list(id=True), "at `$.id`", None),
    ({b"type": "list", b"id": 5}, "a map with a `type`", None),
    ({"type": "list", b"id": 5}, "at `key` in `$`", None),
    ({"id": 5, "type": "hello", "name": "a"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "a" * 21}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ada\n"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ada lovelace"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": "ädä"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "name": b"ada"}, "at `$.name`", 5),
    ({"id": 5, "type": "hello", "token": ""}, "at `$.token`", 5),
    ({"id": 5, "type": "hello", "token": "x" * 65}, "at `$.token`", 5),
    ({"id": 5, "type": "create", "side": "red"}, "at `$.side`", 5),
    ({"id": 5, "type": "create", "commitment": "xyz"}, "at `$.commitment`", 5),
    ({"id": 5, "type": "create", "commitment": "0" * 65}, "at `$.commitment`", 5),
    ({"id": 5, "type": "create", "commitment": "00:11"}, "at `$.commitment`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "00" * 15}, "at `$.seed`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "00" * 33}, "at `$.seed`", 5),
    ({"id": 5, "type": "reveal", "match": "m", "seq": 2, "seed": "0" * 33}, "at `$.seed`", 5),
    ({"id": 5, "type": "create", "rules": []}, "at `$.rules`", 5),
    ({"id": 5, "type": "create", "rules": {"length": 3.0}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": math.nan}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": None}}, "at `$.rules", 5),
    ({"id": 5, "type": "create", "rules": {"length": [[[]]]}}, "at `$.rules", 5),
    ({"id": 5, "type": "join", "table": "a" * 31}, "at `$.table`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "seq": -1}, "at `$.seq`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "epoch": 2**63}, "at `$.epoch`", 5),
    ({"id": 5, "type": "attach", "table": "sofa", "plays": 1}, "at `$.plays`", 5),
    ({"id": 5, "type": "detach", "match": ""}, "at `$.match`", 5),
    ({"id": 5, "type": "detach", "match": "m" * 17}, "at `$.match`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "lobby"}, "at `$.to`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "players", "text": "x" * 201}, "at `$.text`", 5),
    ({"id": 5, "type": "say", "match": "m", "to": "players", "phrase": "boo"}, "at `$.phrase`", 5),
    ({**ACTION, "type": "roll", "seq": None}, "at `$.seq`", 1),
    ({"type": "roll", "id": 1, "match": "k3v9q2xa"}, "missing required field `seq`", 1),
    ({**ACTION, "type": "move"}, "missing required field `moves`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5, 3]]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [[8]]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [8, 5]}, "at `$.moves[0]`", 1),
    ({**ACTION, "type": "move", "moves": [[26, 20]]}, "at `$.moves[0][0]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, -1]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5.0]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, True]]}, "at `$.moves[0][1]`", 1),
    ({**ACTION, "type": "move", "moves": [[8, 5]] * 5}, "at `$.moves`", 1),
    ({**ACTION, "type": "move", "moves": b"\x08\x05"}, "at `$.moves`", 1),
    ({**ACTION, "type": "move", "moves": "8/5"}, "at `$.moves`", 1),
    ({**ACTION, "type": "resign", "value": 0}, "at `$.value`", 1),
    ({**ACTION, "type": "resign", "value": 4}, "at `$.value`", 1),
    ({**ACTION, "type": "auto", "what": "think", "on": True}, "at `$.what`", 1),
    ({**ACTION, "type": "auto", "what": "roll", "on": 1}, "at `$.on`", 1),
]


@pytest.mark.parametrize(("value", "text", "id_"), BAD_REQUESTS)
def test_a_bad_request_says_what_is_wrong_and_which_one_it_was(value: Any, text: str, id_: int | None) -> None:
    with pytest.raises(BadMessage) as caught:
        decode_request(pack(value))
    assert text in str(caught.value)
    assert caught.value.args == (str(caught.value),), "the sentence alone"
    assert caught.value.id == id_
    assert caught.value.code == "bad_message"


def test_unknown_fields_are_passed_over() -> None:
    assert decode_request(pack({**_list(), "colour": {"of": ["the", "hat"]}})) == m.List(id=5)
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


def test_a_message_with_damaged_bytes_decodes_or_says_why_not() -> None:
    rng = random.Random(1)
    for message in [*REQUESTS, *REPLIES]:
        whole = encode(message)
        for _ in range(300):
            frame = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                frame[rng.randrange(len(frame))] = rng.randrange(256)
            decodes_or_says_why(bytes(frame[: rng.randint(1, len(frame))] if rng.random() < 0.2 else frame))
