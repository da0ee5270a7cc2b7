"""Abilities of a terminal, as a value: drawing code asks it, and never the terminal."""

from typing import NamedTuple


class Look(NamedTuple):
    """The look of a terminal: its abilities. ascii: no Unicode, and no colour either."""

    ascii: bool = False
    colour: bool = True

    def style(self, style: str) -> str:
        """A style, if this terminal shows any."""
        return style if self.colour and not self.ascii else ""
