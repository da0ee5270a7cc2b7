"""The prompt of a match: what the match asks of its user now, and what can be typed."""

from collections.abc import Sequence

from tavla_client import Match
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.screens.command_runner import CommandRunner
from tavla_cli.screens.commentary import Commentary
from tavla_cli.screens.match_end import MatchEnd
from tavla_cli.screens.opening_roll import OpeningRoll
from tavla_cli.screens.pending_question import PendingQuestion
from tavla_cli.text import phrases
from tavla_cli.text.prompts import after_question, question


class MatchPrompt:
    """Prompt, completions and the meaning of an empty line.

    told: the match as far as the user has seen: a question never comes before what led to it.
    """

    def __init__(
        self,
        match: Match,
        commentary: Commentary,
        commands: CommandRunner,
        pending: PendingQuestion,
        opening: OpeningRoll,
        end: MatchEnd,
    ) -> None:
        self._match, self._commentary, self._commands = match, commentary, commands
        self._pending, self._opening, self._end = pending, opening, end
        self.told: View | None = None

    def text(self) -> str:
        """The question that the prompt shows; "" for none."""
        view, you = self.told, self._match.seat
        if view is None:
            return ""
        if self._pending.pending:
            return self._pending.prompt
        if not self._commentary.link.online:
            return "no connection"
        if self._opening.waits:
            return "Enter rolls for first"
        if you is not None and self._match.is_stopped and view.phase != "over":
            return "play has stopped: go on, or quit"
        if view.phase == "over" and (view.outcome is None or not self._end.asks):
            return ""  # a table that was closed, or a match after which another one comes by itself: nobody stays
        if view.phase == "over":
            return after_question(view, you, self._end.wants_another)
        away = you is not None and view.players[1 - you] is not None and not self._match.online[1 - you]
        return question(view, you, away, self._commentary.claim_s) + self._time(view)

    def words(self) -> Sequence[str]:
        """Words that can be completed now."""
        if self._pending.pending:
            return self._pending.words
        over = self._match.view.phase == "over"
        answers = ("yes", "no") if over and self._match.seat is not None else ()
        return [*answers, *self._commands.possible(), *m.PHRASES]

    def wants_enter(self) -> bool:
        """True if an empty line means something now."""
        if self._opening.waits:
            return True
        if self._match.view.phase == "over":
            return self._match.seat is None
        return not self._match.is_stopped and self._match.view.phase == "ready" and self._match.to_act

    def _time(self, view: View) -> str:
        """The time that runs, as the end of the prompt."""
        for seat in view.to_act:
            left = self._match.time_left(seat)
            if left is not None and view.phase != "ready":
                return f" [{phrases.time_text(left.free, left.reserve)}]"
        return ""
