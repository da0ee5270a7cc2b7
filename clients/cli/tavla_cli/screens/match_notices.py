"""Notices at a match: what the client is told besides the match itself."""

from tavla_client import Link, Match
from tavla_protocol import messages as m

from tavla_cli.input.terminal import Terminal
from tavla_cli.screens.commentary import Commentary
from tavla_cli.settings import SettingsFile
from tavla_cli.text import story
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import unchallenged_text


class MatchNotices:
    """Notices to the user: of challenges, tables, operators and the connection while a match is shown."""

    def __init__(self, match: Match, terminal: Terminal, commentary: Commentary, settings: SettingsFile) -> None:
        self._match, self._terminal, self._commentary, self._settings = match, terminal, commentary, settings

    def on_challenge(self, challenged: m.Challenged, accept: str) -> None:
        """Tell of a challenge. accept: the command that accepts it."""
        self._commentary.tell_challenge(challenged, accept)
        self._terminal.refresh()

    def on_unchallenged(self, challenged: m.Challenged, why: str) -> None:
        """Tell what has become of a challenge."""
        self._commentary.say(unchallenged_text(challenged, why))
        self._terminal.refresh()

    def on_seated(self, seated: m.Seated, resume: str) -> None:
        """Tell of a player at a table of the user, perhaps another one. resume: the command that goes there."""
        if self._settings.now.bell:
            self._terminal.bell()
        if seated.match != self._match.id:
            self._commentary.say(f"{clean(seated.name)} has sat down at your table {clean(seated.table)}:", "bold")
            self._commentary.say_command(resume)
        self._terminal.refresh()

    def on_notice(self, notice: m.Notice) -> None:
        """Tell what the server's operators say."""
        self._terminal.bell()
        self._commentary.say(f"the server says: {clean(notice.text)}", "bold")
        self._terminal.refresh()

    def on_called(self, text: str) -> None:
        """Tell that a tournament calls the user."""
        if self._settings.now.bell:
            self._terminal.bell()
        self._commentary.say(text, "bold")
        self._terminal.refresh()

    def on_void(self, match: Match) -> None:
        """Tell that a match that was sought meanwhile came to nothing."""
        self._commentary.say(story.void_while_seeking(match.view, match.seat, match.doubt), "bold")
        self._terminal.refresh()

    def on_link(self, link: Link) -> None:
        """Tell that the connection is lost, or back."""
        self._commentary.tell_link(link)
        self._terminal.refresh()
