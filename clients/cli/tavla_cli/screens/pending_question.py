"""The question that a player answers with yes or no before something is final."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tavla_client import PlayStopped, Refused

from tavla_cli.screens.command_runner import Action
from tavla_cli.screens.commentary import Commentary
from tavla_cli.text.cleaning import clean

ANSWERS = {"y": True, "ye": True, "yes": True, "n": False, "no": False}
TAKEN_BACK = ("undo", "u")


class Question(NamedTuple):
    """Question to the user before something is final. if_not: what a no leads to."""

    text: str
    action: Action
    if_not: Callable[[], None] | None


class PendingQuestion:
    """At most one question that waits for its answer."""

    def __init__(self, commentary: Commentary) -> None:
        self._commentary = commentary
        self._question: Question | None = None

    @property
    def pending(self) -> bool:
        """True while the user has not answered."""
        return self._question is not None

    @property
    def prompt(self) -> str:
        """The question as a prompt; "" for none."""
        return f"{self._question.text} yes or no" if self._question is not None else ""

    @property
    def words(self) -> Sequence[str]:
        """Answers that can be typed."""
        assert self._question is not None, "asked before"
        return ("yes", "no", "undo") if self._question.if_not else ("yes", "no")

    def ask(self, question: str, action: Action, if_not: Callable[[], None] | None) -> None:
        """Ask, in place of the question before."""
        self._question = Question(question, action, if_not)

    def drop(self) -> None:
        """Ask no longer."""
        self._question = None

    async def answer(self, answer: str) -> None:
        """Take the user's answer, and do what it leads to."""
        assert self._question is not None, "asked before"
        asked, typed, say = self._question, answer.lower(), self._commentary.say
        if typed not in (*ANSWERS, *TAKEN_BACK):
            say("answer yes or no")
            return
        self._question = None
        if not ANSWERS.get(typed, False):
            say("then not")
            if asked.if_not is not None:
                asked.if_not()
            return
        try:
            await self._commentary.told_if_slow(asked.action())
        except (Refused, PlayStopped) as refused:
            say(clean(str(refused)), "red")
