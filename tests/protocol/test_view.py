import contextlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import astuple, replace
from tavla_engine.conditions import to_act
from tavla_engine.match import Match, Offer, Phase, Resignation
from tavla_engine.rules import Rules
from tavla_protocol.codec import decode_reply, encode, pack
from tavla_protocol.messages import Snapshot, Update
from tavla_protocol.view import CHECKED, EMPTY, FIELDS, View, checksum, diff, fields, from_fields, patch

from tests.support.wire.views import VALUES, two_views, views

SHOWN = View(
    name="sofa",
    rules={"length": 3, "cube": True},
    players=("ada", "bob"),
    phase="move",
    dice=(3, 1),
    points=bytes(24) + bytes((2, 0)) + bytes(24) + bytes((2, 0)),
    last=((1, 6, 5, 24, 18, 18, 13),),
    rolls=7,
    game=1,
)


def over_the_wire(view: View) -> View:
    frame = encode(Snapshot(match="m", epoch=1, seq=1, online=(True, True), view=fields(view)))
    snapshot = decode_reply(frame)
    assert isinstance(snapshot, Snapshot)
    return from_fields(snapshot.view)


def patched_over_the_wire(before: View, after: View) -> View:
    update = decode_reply(pack(("m", 2, diff(before, after))))
    assert isinstance(update, Update)
    return patch(before, update.diff)


@given(two_views())
@example((EMPTY, SHOWN))
@example((SHOWN, EMPTY))
def test_a_patched_view_is_the_one_that_the_server_has(pair: tuple[View, View]) -> None:
    before, after = pair
    assert patched_over_the_wire(before, after) == after


@given(views)
@example(SHOWN)
def test_a_snapshot_gives_the_view_again(view: View) -> None:
    assert over_the_wire(view) == view


@given(two_views())
def test_a_checksum_is_the_same_whatever_path_led_to_the_view(pair: tuple[View, View]) -> None:
    before, after = pair
    assert checksum(after) == checksum(over_the_wire(after)) == checksum(patched_over_the_wire(before, after))


@given(two_views())
def test_a_checksum_changes_with_the_view(pair: tuple[View, View]) -> None:
    before, after = (replace(EMPTY, **dict(zip(FIELDS[:CHECKED], astuple(view), strict=False))) for view in pair)
    assert (checksum(before) == checksum(after)) == (before == after)


@pytest.mark.parametrize("name", FIELDS[:CHECKED])
@given(data=st.data())
def test_a_checksum_covers_every_field_of_the_first_version(name: str, data: st.DataObject) -> None:
    changed = replace(SHOWN, **{name: data.draw(VALUES[name])})
    assert (checksum(changed) == checksum(SHOWN)) == (changed == SHOWN)


def test_a_checksum_does_not_depend_on_the_order_of_the_rules() -> None:
    assert checksum(View(rules={"a": 1, "b": 2})) == checksum(View(rules={"b": 2, "a": 1}))


def test_a_diff_of_equal_views_is_empty() -> None:
    assert diff(SHOWN, over_the_wire(SHOWN)) == []


def test_a_diff_names_changed_points_alone() -> None:
    points = bytearray(SHOWN.points)
    points[24], points[51] = 1, 1
    assert diff(SHOWN, replace(SHOWN, points=bytes(points))) == [6, bytes((24, 1, 51, 1))]


BAD_DIFFS: list[tuple[list[Any], str]] = [
    ([4], "a code without a value"),
    (["turn", 1], "a name instead of a code"),
    ([-1, 1], "a code below 0"),
    ([True, {}], "a boolean is no code"),
    ([4.0, 1], "a code is an integer"),
    ([None, 1], "nothing is no code"),
    ([4, "1"], "text for a number"),
    ([4, True], "a boolean for a number"),
    ([4, 1.0], "a float for a number"),
    ([15, 1], "a number for a boolean"),
    ([0, b"sofa"], "bytes for text"),
    ([0, None], "nothing for text"),
    ([5, [1, [2]]], "a nested list of dice"),
    ([2, ["ada"]], "a pair of one"),
    ([2, ["ada", "bob", "eve"]], "a pair of three"),
    ([1, {"length": [3]}], "a list as an option"),
    ([6, bytes((52, 1))], "a point outside the rows"),
    ([6, bytes(3)], "a point without a count"),
    ([6, "AAAA"], "text for points"),
    ([6, [0, 1]], "a list for points"),
    ([6, None], "nothing for points"),
]


@pytest.mark.parametrize(("changes", "why"), BAD_DIFFS)
def test_a_bad_diff_is_an_error(changes: list[Any], why: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        patch(SHOWN, changes)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)


@given(st.lists(st.integers(-1, 30) | anything, max_size=8) | st.lists(anything, max_size=8))
def test_any_list_patches_or_is_a_value_error(changes: list[Any]) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(patch(SHOWN, changes), View)


@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=9), anything, max_size=8))
def test_any_map_is_a_view_or_a_value_error(values: dict[str, Any]) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(from_fields(values), View)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([4], "a diff has a value for each code"),
        ([-1, 1], "-1 in a diff is not the code of a field"),
        ([6, bytes(3)], "changed points are bytes: index, count, ..."),
        ([6, bytes((52, 1))], "there is no point 52"),
    ],
)
def test_a_bad_diff_says_what_is_wrong(changes: list[Any], text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        patch(SHOWN, changes)
    assert str(caught.value) == text


def test_points_of_the_wrong_length_are_refused() -> None:
    for points in (b"", bytes(51), bytes(53), "A" * 70):
        with pytest.raises(ValueError, match="points"):
            from_fields({"points": points})


def test_fields_of_a_later_version_are_passed_over() -> None:
    newer = len(FIELDS)
    assert patch(SHOWN, [newer, {"any": ["thing"]}, 4, 1, newer + 100, None]) == patch(SHOWN, [4, 1])
    assert from_fields({"turn": 1, "fashion": "hats"}) == View(turn=1)


WAITING: list[tuple[Match, tuple[int, ...]]] = [
    (Match(Rules(), phase=Phase.READY), (0, 1)),
    (Match(Rules(), phase=Phase.READY, ready=(True, False)), (1,)),
    (Match(Rules(), phase=Phase.READY, ready=(False, True)), (0,)),
    (Match(Rules(), phase=Phase.ROLL, turn=1), (1,)),
    (Match(Rules(), phase=Phase.MOVE, turn=0), (0,)),
    (Match(Rules(), phase=Phase.CUBE, offer=Offer(0, holder=1)), (1,)),
    (Match(Rules(), phase=Phase.CUBE, offer=Offer(1, holder=0)), (0,)),
    (Match(Rules(), phase=Phase.RESIGN, resignation=Resignation(0, 1, Phase.ROLL)), (1,)),
    (Match(Rules(), phase=Phase.RESIGN, turn=1, resignation=Resignation(1, 2, Phase.MOVE)), (0,)),
    (Match(Rules(), phase=Phase.OVER), ()),
]


@pytest.mark.parametrize(("match", "seats"), WAITING)
def test_a_view_waits_for_the_same_seats_as_the_match(match: Match, seats: tuple[int, ...]) -> None:
    view = View(
        phase=match.phase.value,
        turn=match.turn,
        ready=match.ready,
        offer=match.offer.seat if match.offer else None,
        resignation=match.resignation[:2] if match.resignation else None,
    )
    assert view.to_act == to_act(match) == seats


def test_a_row_is_a_seats_own_half_of_the_points() -> None:
    view = View(points=bytes(range(52)))
    assert (view.row(0), view.row(1)) == (bytes(range(26)), bytes(range(26, 52)))


def test_a_wish_to_abort_stands_until_the_other_player_has_played_on() -> None:
    asked = replace(SHOWN, aborts=(7, None))
    assert [asked.asks_abort(0), asked.asks_abort(1)] == [True, False]
    assert replace(asked, rolls=8).asks_abort(0)
    assert not replace(asked, rolls=9).asks_abort(0)
    assert not replace(asked, phase="over").asks_abort(0)
