"""State of a lobby as a player sees it, and the rows to choose from. Pure."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from tavla_protocol import messages as m

from tavla_cli.text.rules import rules_text

Page: TypeAlias = Literal["tables", "people", "chat"]
PAGES: tuple[Page, ...] = ("tables", "people", "chat")


class Choice(NamedTuple):
    """A choice: a row that can be chosen, and stays chosen wherever it moves to in its list."""

    what: Literal["tables", "seekers", "matches", "people"]
    id: str


@dataclass(frozen=True, slots=True)
class Lobby:
    """A lobby as a player sees it. people: those known; people_total: how many there are. notice: a line for them.

    page: tables and matches, or people, or what was said. wanted: only rows that have this. lines: None = not heard.
    old: the number of the last line that was said before the player came, or came back.
    challenges: those to the player that are open. waiting: something was asked for and has not come yet.
    moderates: the player is a moderator. muted: of whom nothing is heard. seekers: those who wait for a quick match.
    now: in seconds since 1970.
    """

    you: str
    server: str
    tables: Mapping[str, m.Table]
    matches: Mapping[str, m.Table]
    people: Mapping[str, m.Person]
    people_total: int = 0
    chosen: Choice | None = None
    notice: str = ""
    page: Page = "tables"
    wanted: str = ""
    lines: Mapping[str, m.Line] | None = None
    old: int = 0
    challenges: Sequence[m.Challenged] = field(default=())
    waiting: bool = False
    moderates: bool = False
    muted: Set[str] = frozenset()
    seekers: Mapping[str, m.Seeker] = field(default_factory=dict)
    now: int = 0

    @property
    def choices(self) -> list[Choice]:
        """Every row of the page from top to bottom: one's own first; tables that have waited longest, best matches, and
        those at the end from which somebody is away.
        """
        if self.page == "chat":
            return []
        if self.page == "people":
            return [Choice("people", name) for name in self.best_people if self._fits(name, self.people[name].level)]
        tables = sorted(self.tables, key=lambda id_: (not self.mine(self.tables[id_]), self.tables[id_].since, id_))
        matches = sorted(self.matches, key=lambda id_: (not self.mine(self.matches[id_]), *_rank(self.matches[id_])))
        matches.sort(key=lambda id_: any(self.matches[id_].away))
        rows = [Choice("tables", id_) for id_ in tables] + [Choice("matches", id_) for id_ in matches]
        shown = [row for row in rows if self._fits(*_texts(self._tables(row)[row.id]))]
        seekers = sorted(self.seekers, key=lambda key: (self.seekers[key].since, key))
        others = ((key, one) for key in seekers if (one := self.seekers[key]).name != self.you)
        sought = [Choice("seekers", key) for key, one in others if self._fits(one.name, rules_text(one.rules))]
        open_ = sum(row.what == "tables" for row in shown)
        return [*shown[:open_], *sought, *shown[open_:]]

    @property
    def best_people(self) -> list[str]:
        """Names of people here, the best first."""
        return sorted(self.people, key=lambda name: (-(self.people[name].rating or 0), name.lower()))

    @property
    def other(self) -> str | None:
        """The person who is chosen, if that is not oneself."""
        chosen = self.chosen
        there = chosen is not None and chosen.what == "people" and chosen in self.choices and chosen.id != self.you
        return chosen.id if chosen is not None and there else None

    def paused(self, choice: Choice) -> bool:
        """True if a row is a match from which a player is away."""
        table = self.table(choice) if choice.what == "matches" else None
        return table is not None and any(table.away)

    def table(self, choice: Choice) -> m.Table | None:
        """The row that is chosen, if it is still there."""
        return self._tables(choice).get(choice.id)

    def mine(self, table: m.Table) -> bool:
        """True if one sits there."""
        return self.you in table.players

    def _tables(self, choice: Choice) -> Mapping[str, m.Table]:
        return {"tables": self.tables, "matches": self.matches}.get(choice.what, {})

    def _fits(self, *texts: str) -> bool:
        return self.wanted.lower() in " ".join(texts).lower()


def move(choices: Sequence[Choice], chosen: Choice | None, last: int, by: int) -> Choice | None:
    """The row so many further down. last: where the chosen one was when it was last seen, in case that it is gone."""
    if not choices:
        return None
    place = choices.index(chosen) if chosen in choices else last - (by > 0)
    return choices[max(0, min(len(choices) - 1, place + by))]


def _texts(table: m.Table) -> Iterable[str]:
    return table.name, *(player or "" for player in table.players), rules_text(table.rules)


def _rank(table: m.Table) -> Iterable[object]:
    return -sum(rating or 0 for rating in table.ratings), -table.since, table.name
