"""The selection in a lobby: its page, what is searched for, and the chosen row. Pure."""

from collections.abc import Sequence

from tavla_cli.screens.lobby_state import PAGES, Choice, Page, move


class Selection:
    """A selection: the page that is shown, the text that is searched for, and the row that is chosen."""

    def __init__(self) -> None:
        self.page: Page = "tables"
        self.wanted = ""
        self.chosen: Choice | None = None
        self._place = 0  # of the chosen row

    def reset(self, chosen: Choice | None) -> None:
        """Go back to all tables and matches, with this row."""
        self.page, self.wanted, self.chosen = "tables", "", chosen

    def next_page(self) -> None:
        """Go to the next page, and show all of it."""
        self.page = PAGES[(PAGES.index(self.page) + 1) % len(PAGES)]
        self.find("")

    def find(self, wanted: str) -> None:
        """Show only rows that have this; "" shows all."""
        self.wanted, self.chosen = wanted, None

    def move(self, choices: Sequence[Choice], by: int) -> None:
        """Choose the row so many further down."""
        self.chosen = move(choices, self.chosen, self._place, by)
        self._place = choices.index(self.chosen) if self.chosen is not None else 0

    def settle(self, choices: Sequence[Choice]) -> Choice | None:
        """The chosen row. The first row that comes is chosen; later ones never take its place by themselves."""
        if self.chosen is None and choices:
            self.chosen = choices[0]
        if self.chosen in choices:
            self._place = choices.index(self.chosen)
        return self.chosen
