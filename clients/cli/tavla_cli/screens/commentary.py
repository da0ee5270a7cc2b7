"""Commentary on a match, in sentences, as it happens."""

import asyncio
import math
from collections.abc import Awaitable, Iterable

from rich.text import Text
from tavla_client import Change, Link, Match
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tavla_cli.input.terminal import Terminal
from tavla_cli.text import phrases, story
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import away_text, challenge_text, said_text, watchers_text
from tavla_cli.text.rules import rules_text, table_text

SLOW_S = 3.0  # without an answer, on a connection that lives: its store is away, and what was asked is under way
STILL_TRYING = 4  # attempts after which a lost connection is spoken of once more


class Commentary:
    """The commentary on one match. link: whether the server can be reached."""

    def __init__(self, match: Match, terminal: Terminal, join: str) -> None:
        """join: the command that takes the match's free seat."""
        self.link = Link(online=True)
        self._match, self._terminal, self._join = match, terminal, join
        self._losses, self._seat = match.losses, match.seat  # as far as the user was told
        self._watched = 0  # by how many, as far as the user was told
        self._away: set[int] = set()  # seats whose absence the user was told of
        self._attempts = 0
        self._claim_at = _loop_time_after(match.claim_after)

    @property
    def claim_s(self) -> int | None:
        """Whole seconds until the match may be claimed from an opponent who is away; None = never."""
        if self._claim_at is None:
            return None
        return max(0, math.ceil(self._claim_at - asyncio.get_running_loop().time()))

    def may_claim(self) -> bool:
        """True if the user may claim the match: its opponent has been away for too long."""
        view, you = self._match.view, self._match.seat
        return you is not None and 1 - you in view.to_act and self.claim_s == 0

    async def told_if_slow(self, asked: Awaitable[None]) -> None:
        """Wait for the server's answer, and tell the user if that takes long."""
        slow = asyncio.get_running_loop().call_later(SLOW_S, self._tell_slow)
        try:
            await asked
        finally:
            slow.cancel()

    def say(self, sentence: str, style: str = "") -> None:
        """Show a sentence, unless it is empty."""
        if sentence:
            self._terminal.show(Text(sentence, style))

    def say_all(self, sentences: Iterable[str]) -> None:
        """Some sentences, one a line."""
        for sentence in sentences:
            self.say(sentence)

    def say_command(self, command: str) -> None:
        """A command line, to be copied in one piece."""
        self._terminal.show(Text(f"  {command}", "bold", no_wrap=True, overflow="ignore"))

    def introduce(self, view: View) -> None:
        """Introduce the match to a user who has just come."""
        if view.phase == "open":
            self.say(f"table {clean(view.name)} is open: {table_text(view)}")
            self.say(
                "the other player types:" if self._match.seat is not None else "you watch; a seat is free, to play:"
            )
            self.say_command(self._join)
            return
        you = self._match.seat
        players = [phrases.name(view, seat) for seat in (0, 1)]
        if you is None:
            self.say(f"watching {players[0]} (white) against {players[1]} (black): {rules_text(view.rules)}")
        else:
            colour = ("white", "black")[you]
            self.say(f"you play {colour} against {players[1 - you]}: {rules_text(view.rules)}")
        if any(view.series):
            before = (f"{player} {won}" for player, won in zip(players, view.series, strict=True))
            self.say(f"matches before this one: {', '.join(before)}")
        if view.game and not view.last:
            self.say(story.start_text(view, you))
        self.say_all(story.last_turns(view, you))

    def tell(self, change: Change, before: View) -> None:
        """Tell the changes since a view."""
        if change.what == "snapshot" and self._seat is None and self._match.seat is not None:
            self.say("you play in this window again")
        match change.what:
            case "snapshot" if self._match.losses > self._losses:
                self._tell_loss(change.view)
                self._losses = self._match.losses
            case "snapshot" if change.view != before:
                self.say_all(story.last_turns(change.view, self._match.seat))
            case "update":
                self.say_all(story.story(before, change.view, self._match.seat))
                if change.view.phase == "ready" and change.view.score != before.score:
                    self.say(f"score: {phrases.score(change.view)}")
            case "presence":
                self._tell_presence(change)
            case "said" if change.said is not None:
                self.say(said_text(change.said), "dim")
            case "watchers":
                self._tell_watchers()
            case "replaced":
                self.say(
                    "you play this match in another window now: this one watches. Type here to play in this one", "bold"
                )
        self._seat = self._match.seat

    def tell_challenge(self, challenged: m.Challenged, accept: str) -> None:
        """A player challenges the user. accept: the command that accepts it; a rematch is asked for anyway."""
        self.say(challenge_text(challenged), "bold")
        if challenged.rematch != self._match.id:
            self.say_command(accept)

    def tell_link(self, link: Link) -> None:
        """The connection is lost, or back."""
        was, self.link = self.link, link
        self._attempts = 0 if link.online else self._attempts + 1
        dots = "..." if self._terminal.look.ascii else "…"
        if link.online and not was.online:
            self.say("back", "dim")
        elif self._attempts == 1:
            self.say(f"connection lost, trying again in {link.retry_s:.1f} s{dots}", "dim")
        elif self._attempts == STILL_TRYING:
            self.say(f"trying on{dots} {clean(link.reason)}", "dim")

    def _tell_slow(self) -> None:
        if self.link.online:
            self.say("no answer yet: the server cannot store it now, and does so as soon as it can")
            self._terminal.refresh()

    def _tell_loss(self, view: View) -> None:
        """The server's store came back without the last of what was shown, perhaps without the user's seat."""
        self.say(clean(self._match.loss), "bold red")
        if view.phase != "open":
            self.say_all(story.last_turns(view, self._match.seat))
        elif self._seat is not None and self._match.seat is None:
            self.say("your seat is lost, too; go, and sit down again:")
            self.say_command(self._join)
        else:
            self.introduce(view)

    def _tell_presence(self, change: Change) -> None:
        if change.view.phase == "over" and self._match.seat is None:
            return  # players who go on to another match leave this one
        away = {seat for seat in (0, 1) if not change.online[seat] and change.view.players[seat] is not None}
        for seat in sorted(away ^ self._away - {self._match.seat}):
            text = away_text(change.view, self._match.claim_after) if seat in away else "is back"
            self.say(f"{phrases.name(change.view, seat)} {text}", "dim")
        self._away = away
        self._claim_at = _loop_time_after(self._match.claim_after if away else None)

    def _tell_watchers(self) -> None:
        """Tell of watchers when their number has changed, unless the user watches alone."""
        watchers = self._match.watchers
        if watchers.count != self._watched and (self._match.seat is not None or watchers.count > 1):
            self.say(watchers_text(watchers), "dim")
        self._watched = watchers.count


def _loop_time_after(seconds: int | None) -> float | None:
    """The loop's clock so many seconds from now; None = never."""
    return None if seconds is None else asyncio.get_running_loop().time() + seconds
