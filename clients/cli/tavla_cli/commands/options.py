"""Options of every command of `tavla`, and the connection that they lead to."""

import asyncio
import json
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
from prompt_toolkit.application import create_app_session
from tavla_client import Callbacks, Client, ClientError, Link, Match, Refused
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tavla_cli.console import clean_output, lenient_input
from tavla_cli.crash import log
from tavla_cli.identity import Identities, sign_in
from tavla_cli.input.common_options import DEFAULT_SERVER, of_tavla, server_url
from tavla_cli.input.terminal import is_interactive
from tavla_cli.invitation import for_others
from tavla_cli.main_task import run_async
from tavla_cli.screens.match_screen import MatchScreen
from tavla_cli.text.absence import own_end_text
from tavla_cli.text.cleaning import clean
from tavla_cli.text.phrases import did_you_mean, word_for
from tavla_cli.text.tournaments import call_text
from tavla_cli.user_folder import config_dir

ANSWER_S = 20.0  # for an answer; a server tries for 15 while its store is away
MAX_ENDED = 20  # matches that one is told of at once
_UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError)  # values that no Tavla server sends
LEAVE_S = 2.0  # for the server to hear that a match is left
F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Options:
    """Options of every command. player: the name asked for, None for whichever fits."""

    server: str
    player: str | None
    ascii_only: bool
    on_link: list[Callable[[Link], None]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)  # how matches ended that the user was away from

    def take_name(self, name: str | None) -> None:
        """A name that was given as an argument, where `--as` may stand as well."""
        if name and self.player and name.lower() != self.player.lower():
            raise click.UsageError("give yourself one name")
        self.player = name or self.player

    def at(self, address: str | None) -> "Options":
        """The same at a server that was given as an argument, if one was."""
        return self if address is None else replace(self, server=server_url(None, None, address))

    def command(self, *words_: str, client: Client) -> str:
        """A command line that does something as the same player at the same server."""
        line = ["tavla", *words_, *(["--as", client.me.name] if client.me.name else [])]
        return _typed(line if self.server == DEFAULT_SERVER else [*line, "--server", self.server])

    @asynccontextmanager
    async def client(self, **which: Any) -> AsyncIterator[Client]:
        """A connected client; `which` player it may be, see `sign_in`. Each of its requests has ANSWER_S.

        A person at a screen sees that the connection is lost, and decides: set `patience_s` to None there.
        """

        def on_link(link: Link) -> None:
            for listener in self.on_link:
                listener(link)

        identities = Identities(self.server)
        client = await sign_in(identities, self.server, self.player, on_link, **which)
        client.patience_s = ANSWER_S
        client.callbacks = replace(
            client.callbacks, called=self.hearing(client, lambda text: click.echo(text, err=True))
        )
        try:
            self.ended = await ended_meanwhile(client)
            for sentence in self.ended:
                click.echo(sentence, err=True)
            yield client
        except _UNREADABLE as error:
            log.exception("%s cannot be shown", self.server)
            raise ClientError(f"{self.server} has sent what cannot be shown: {error!r:.200}") from None
        finally:
            await client.__aexit__(None, None, None)
            identities.release()

    async def play(self, client: Client, match: Match, another: bool = True) -> Match:
        """Play or watch a match to its end, or until the user goes; then another one, if both players want it.

        another: ask for that. Returns: the last one.
        """
        client.patience_s = None
        while True:
            resume = self.command("resume", match.id, client=client)
            join = self.join(word_for(match.view.name, match.id), match.view.code)
            screen = MatchScreen(client, match, self.ascii_only, resume, join, another)
            self.on_link.append(screen.notices.on_link)
            before, client.callbacks = client.callbacks, self._callbacks(client, screen)
            if match.seat is not None and match.view.rules.get("hints"):
                await client.attach(match.id, plays=True)
            try:
                following = await screen.run()
            except Refused as refused:
                if refused.code != ErrorCode.NO_SUCH_MATCH or not match.has_our_seed:
                    raise
                click.echo(clean(f"{refused.text}: asking again"))
                match = await client.attach(match.id)
                continue
            finally:
                self.on_link.remove(screen.notices.on_link)
                client.callbacks = before
            if following is None:
                return match
            await leave(client, match)
            match = following

    def _callbacks(self, client: Client, screen: MatchScreen) -> Callbacks:
        """Callbacks of a match's screen; the end of another match is left to the screen before it."""
        return replace(
            client.callbacks,
            seated=lambda seated: screen.notices.on_seated(seated, self.command("resume", seated.match, client=client)),
            notice=screen.notices.on_notice,
            challenge=lambda challenged: screen.notices.on_challenge(
                challenged, self.command("accept", challenged.by, client=client)
            ),
            unchallenged=screen.notices.on_unchallenged,
            called=self.hearing(client, screen.notices.on_called),
            void=screen.notices.on_void,
        )

    def hearing(self, client: Client, say: Callable[[str], object]) -> Callable[[m.Called], None]:
        """The callback that says what a tournament calls the user for."""

        def hear(called: m.Called) -> None:
            if text := call_text(called, self.command("tournament", "join", called.tournament, client=client)):
                say(text)

        return hear

    def join(self, table: str, code: str) -> str:
        """The command for the other player, who may have another default."""
        private = ["--code", code] if code else []
        return _typed(["tavla", "join", table, *private, "--server", for_others(self.server)])

    def invitation(self, tournament: str, id_: str) -> tuple[str, str]:
        """Command that others type to play in a tournament, and the address that they open in a browser."""
        url = for_others(self.server)
        typed = _typed(["tavla", "tournament", "join", tournament, "--server", url])
        return typed, clean(f"http{url[2:]}/tournaments/{id_}")


def _typed(line: Sequence[str]) -> str:
    return shlex.join(map(clean, line))


async def ended_meanwhile(client: Client) -> list[str]:
    """Results of matches that ended in the user's absence, each told once, with the command that shows it again."""
    told = []
    for id_ in client.me.ended[:MAX_ENDED]:
        with suppress(Refused):
            match = await client.attach(id_)
            if sentence := own_end_text(match.view, client.me.name):
                told.append(f"{sentence} ({_typed(['tavla', 'replay', id_])})")
    return told


async def leave(client: Client, match: Match) -> None:
    """Follow a match no longer, while the client goes on. A connection that is lost has left it anyway."""
    with suppress(ClientError, TimeoutError):
        async with asyncio.timeout(LEAVE_S if client.link.online else 0):
            await match.detach()


json_option = click.option("--json", "as_json", is_flag=True, help="As the protocol has it, one JSON object a line.")


def print_objects(rows: Iterable[object], **keys: Iterable[str]) -> None:
    """Print a list for programs. keys: what names each row, under this word, where the row itself does not."""
    for number, row in enumerate(rows):
        named = {word: [*names][number] for word, names in keys.items()}
        click.echo(json.dumps(named | msgspec.to_builtins(row)))


@asynccontextmanager
async def meaning(
    word: str, client: Client, names: Callable[[Client], Awaitable[Iterable[str]]]
) -> AsyncIterator[None]:
    """A request with a name: where the server knows none such, it is told what may have been meant.

    names: what there is, where a name is wrong. Raises: Refused.
    """
    try:
        yield
    except Refused as refused:
        if refused.code not in (ErrorCode.NO_SUCH_MATCH, ErrorCode.NO_SUCH_PLAYER):
            raise
        raise Refused(refused.code, refused.text + did_you_mean(word, await names(client))) from None


def with_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    """A command with options of click, which its help shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def sentence(error: OSError) -> str:
    """Sentence for an error of the system, with the way out where our own folder cannot be written."""
    said = f"{error.strerror or error}: {error.filename or 'input or output'}"
    folder, place = config_dir(), Path(str(error.filename))
    if folder.is_relative_to(place) or place.is_relative_to(folder):
        return f"{said}. Set TAVLA_CONFIG_DIR to a folder that can be written; tokens and settings are kept there"
    return said


def common(command: F) -> F:
    """A command at a server: it is handed the options that every command has, as one value."""

    @wraps(command)
    def run(**values: Any) -> None:
        options = Options(of_tavla("server"), of_tavla("player"), of_tavla("ascii_only"))
        try:
            with create_app_session(lenient_input(), clean_output()) if is_interactive() else nullcontext():
                run_async(command(options, **values))
        except KeyboardInterrupt:
            pass  # Ctrl-C is a way to go like any other
        except ClientError as error:
            raise click.ClickException(clean(str(error))) from None
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise click.ClickException(sentence(error)) from None

    return run  # type: ignore[return-value] # only click calls it
