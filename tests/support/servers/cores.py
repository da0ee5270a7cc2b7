"""A server's core of which a test needs some parts alone."""

from typing import Any

from tavla_server.gateway.core import Core
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.timings import DEFAULTS


def core_of(**parts: object) -> Core:
    """A core with these parts; all others are missing, but for the usual limits and times."""
    all_: dict[str, Any] = {**dict.fromkeys(Core._fields), "limits": DEFAULT_LIMITS, "timings": DEFAULTS, **parts}
    return Core(**all_)
