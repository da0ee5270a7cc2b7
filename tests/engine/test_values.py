"""Events and actions are told apart by their type, even where their fields are the same."""

import itertools
from typing import get_args

import msgspec
import pytest
from msgspec.structs import astuple
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.values import Value

from tests.support.wire.values import with_same_contents

KINDS: tuple[type[Value], ...] = (*get_args(a.Action), *get_args(e.Event))


def test_the_unions_name_every_action_and_event() -> None:
    for module in (a, e):
        kinds = {kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Value)}
        assert kinds - {Value, a.OfSeat} <= set(KINDS)
    assert len(KINDS) == 29


def test_no_two_values_of_different_types_are_equal() -> None:
    for one, other in itertools.permutations(KINDS, 2):
        for left, right in itertools.product(with_same_contents(one), with_same_contents(other)):
            assert left != right
            assert len({left, right}) == 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_value_is_frozen_and_equals_its_like_but_no_tuple(kind: type[Value]) -> None:
    for value, again in zip(with_same_contents(kind), with_same_contents(kind), strict=True):
        assert value == again
        assert hash(value) == hash(again)
        fields: object = astuple(value)
        assert value != fields
        with pytest.raises(AttributeError):
            setattr(value, kind.__struct_fields__[0], 1)


def test_a_field_too_many_is_an_error() -> None:
    assert msgspec.convert([0], a.Double) == a.Double(0)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert([0, 1], a.Double)
