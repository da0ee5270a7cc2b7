"""Hooks that do not return: told of while they are waited for, also when they hold up the loop."""

import asyncio
import logging
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from tavla_client import Bot, Failures, Invitation, Turn, call_hook
from tavla_client.bots import watch

from tests.support.patience import PATIENCE_S
from tests.support.servers.scripted import VIEW


def kinds(told: Callable[[], bool]) -> list[Bot]:
    """Bots whose hooks return when that is told, or not at all."""
    until = time.monotonic() + PATIENCE_S

    def hold_up() -> bool:
        while not told() and time.monotonic() < until:
            time.sleep(0.01)
        return True

    class Plain(Bot):
        def take_double(self, turn: Turn) -> bool:
            return hold_up()

        def accept_challenge(self, invitation: Invitation) -> bool:
            return hold_up()

    class Awaiting(Bot):
        async def take_double(self, turn: Turn) -> bool:
            return await asyncio.to_thread(hold_up)

    class Blocking(Bot):
        async def take_double(self, turn: Turn) -> bool:
            return hold_up()

    return [Plain(), Awaiting(), Blocking()]


TURN, INVITATION = Turn("m1", VIEW, 0), Invitation("ada", "guest", None, {})
WAITED = "; it is waited for"
STUCK = ", and all else stands still, the connection too: write it without `async`, and it runs in a thread"
CASES = [  # which bot, hook, argument, whether there is a server, the line
    (0, "take_double", TURN, True, rf"match m1: Plain.take_double has not returned for \d+ s{WAITED}"),
    (0, "accept_challenge", INVITATION, True, rf"challenge of ada: Plain.accept_challenge .* s{WAITED}"),
    (1, "take_double", TURN, True, rf"match m1: Awaiting.take_double has not returned for \d+ s{WAITED}"),
    (2, "take_double", TURN, True, rf"match m1: Blocking.take_double has not returned for \d+ s{STUCK}"),
    (0, "take_double", Turn("", VIEW, 0), False, rf"match without a server: Plain.take_double .* s{WAITED}"),
]


@pytest.mark.parametrize(("which", "hook", "argument", "in_thread", "line"), CASES)
async def test_a_hook_that_does_not_return_is_named_once(
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    which: int,
    hook: str,
    argument: Any,
    in_thread: bool,
    line: str,
) -> None:
    monkeypatch.setattr(watch, "LONG_S", 0.05)
    monkeypatch.setattr(watch, "TICK_S", 0.05)
    monkeypatch.setattr(watch, "ANSWER_S", 0.05 if STUCK in line else PATIENCE_S)

    def lines() -> list[str]:
        return [text for name, _, text in caplog.record_tuples if name == "tavla_client"]

    bot, failures = kinds(lambda: bool(lines()))[which], Failures()
    with caplog.at_level(logging.WARNING, "tavla_client"):
        assert await asyncio.wait_for(call_hook(bot, hook, argument, failures, in_thread), PATIENCE_S)
    assert len(lines()) == 1
    assert re.fullmatch(line, lines()[0])
    assert not failures, "it has answered"
