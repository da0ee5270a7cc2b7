"""Decisions that a bot's hooks did not make: counted by hook and reason, each kind told once when it first comes."""

from collections import Counter
from typing import NamedTuple

from tavla_client.connection import log


class Failure(NamedTuple):
    """A failure of a hook, as Class.hook, with its reason. The default was done instead."""

    hook: str
    reason: str


class Failures:
    """Failures of one run, in all its matches. counts: how often each kind came."""

    def __init__(self) -> None:
        self.counts: Counter[Failure] = Counter()

    def __bool__(self) -> bool:
        return bool(self.counts)

    def add(self, hook: str, reason: str, detail: str = "", error: BaseException | None = None) -> None:
        """Count one more. detail, error: of this one, for the log."""
        failure = Failure(hook, reason)
        self.counts[failure] += 1
        if self.counts[failure] == 1:
            text = "%s failed: %s%s. The default is done; how often, is told at the end"
            log.warning(text, hook, reason, f" ({detail})" if detail else "", exc_info=error)
