"""Requests and those who wait for their answers."""

import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from tavla_client.errors import ClientError
from tavla_client.requests import Requests
from tavla_protocol import messages as m


def interrupted(run: Callable[[], None], at: int, handler: Callable[[], Any]) -> None:
    """Run something, and a signal's handler before its line number `at`."""
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if event == "line" and frame.f_code.co_name == "resolve":
            lines += 1
            if lines == at:
                handler()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("result", [m.Ok(id=1), ClientError("no")])
@pytest.mark.parametrize("at", range(1, 7))
async def test_a_caller_may_give_up_at_any_step_of_the_answer(at: int, result: object) -> None:
    """As Ctrl-C does."""
    requests = Requests(random.Random(1))
    request = m.Ping(id=requests.new_id())
    answer = requests.track(request)
    interrupted(lambda: requests.resolve(request.id, result), at, answer.cancel)
    assert answer.done()
    if not answer.cancelled():
        answer.exception()
    assert not requests.pending
