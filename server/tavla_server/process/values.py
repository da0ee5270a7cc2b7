"""Values that options of the server can have: what could never be used is refused before it starts."""

import math
import re
from typing import Any

import click


class TimeRange(click.FloatRange):
    """A range of times, in which nan is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time. Raises: click.BadParameter."""
        time: float = super().convert(value, param, ctx)
        return self.fail("nan is no time.", param, ctx) if math.isnan(time) else time


class Form(click.ParamType[str]):
    """A form of text, by its pattern. such_as: one that fits, told where another does not."""

    name = "text"

    def __init__(self, pattern: str, such_as: str) -> None:
        self._pattern, self._such_as = re.compile(pattern), such_as

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text. Raises: click.BadParameter."""
        said = str(value)
        if not self._pattern.fullmatch(said):
            self.fail(f"{said!r} is not like {self._such_as}.", param, ctx)
        return said


ORIGIN = Form(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s,*]+/?", "https://club.example")
HOST_NAME = Form(r"\*|[^/\s,*]+", "play.example")
