"""The terminal client against a hostile server or file: nothing commands the terminal, each command ends in words."""

import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import msgspec
import pytest
from tavla_cli.commands import options
from tavla_cli.identity import Identities
from tavla_cli.main import cli
from tavla_cli.output import clean_streams
from tavla_client.lists import ROWS
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.players.terminal import NewTerminal
from tests.support.servers.hostile import COMMANDS, FORBIDDEN, PUSHED, HostileServer, hostile_server

TYPED = "who\nhelp\nboard\noldmoves\nid\nhint\nsay hello\ntell x y\nset bell off\nquit\n"
ONE_SHOT = [
    ("replay", "m1"),
    ("history",),
    ("history", "--json"),
    ("export", "m1"),
    ("verify", "m1"),
    ("analyse", "m1"),
    ("matches",),
    ("lobby",),
    ("whoami",),
    ("profile", "ada"),
    ("top",),
    ("friends",),
    ("collection",),
    ("collection", "--json"),
    ("replay", "k3v7q2xak3v7q2xa"),
    ("dice",),
    ("tournament", "list"),
    ("tournament", "create", "friday"),
    ("tournament", "standings", "x"),
    ("resume",),
    ("report", "ada", "x"),
    ("mod", "reports"),
    ("mod", "inspect", "ada"),
    ("mod", "fair", "ada"),
    ("register",),
    ("logout",),
]
LIVE = [("create",), ("join", "x1"), ("watch", "x1")]
PLAIN = {"rules": {"length": 3}}  # of a view whose record is read


class Run(NamedTuple):
    """A command that has ended. text: all that it has written."""

    code: int
    text: str


Tavla = Callable[..., Run]


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with hostile_server() as server:
        yield server


@pytest.fixture
def tavla(server: HostileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tavla:
    """Runs a command in this process, through pipes, as someone who has been here; its own failure is raised."""
    monkeypatch.setenv("TAVLA_CONFIG_DIR", str(tmp_path))

    monkeypatch.setattr(options, "ANSWER_S", 1.0)
    Identities(server.url).keep("ada", "t0ken")

    def run(*arguments: str, typed: str = TYPED, name: str | None = "ada") -> Run:
        written = io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(typed))
            patch.setattr(sys, "stdout", written)
            patch.setattr(sys, "stderr", written)
            clean_streams()
            code = 0
            try:
                cli([*arguments, "--server", server.url, *(["--as", name] if name else [])], prog_name="tavla")
            except SystemExit as end:
                code = int(end.code or 0)
        return Run(code, written.getvalue())

    return run


def check(text: str) -> None:
    """Nothing in this commands a terminal, or looks as a line of ours."""
    assert not [one for one in (*FORBIDDEN, "\r") if one in text], ascii(text)
    assert not [line for line in text.splitlines() if line.startswith("FORGED")], ascii(text)


@pytest.mark.parametrize("arguments", [*ONE_SHOT, *LIVE], ids=" ".join)
def test_no_text_of_any_message_commands_the_terminal(
    server: HostileServer, tavla: Tavla, arguments: tuple[str, ...]
) -> None:
    check(tavla(*arguments).text)
    server.view = PLAIN  # and with rules that it knows, where it gets further
    check(tavla(*arguments).text)


SCREENS = {  # what fills a terminal, and the keys that lead through it
    ("lobby",): ["\t", "\t", "\x1b[B", "c", "\x1b", "q"],
    ("replay", "m1"): ["\x1b[C", "f", "s", "\x1b", "q"],
    ("watch", "x1"): ["who\r", "help\r", "oldmoves\r", "quit\r"],
    ("join", "x1"): ["who\r", "say hello\r", "quit\r"],
    ("history",): [],
    ("logout",): ["y\r"],
}


@pytest.mark.parametrize("arguments", SCREENS, ids=" ".join)
def test_no_text_of_any_message_commands_a_real_terminal(
    server: HostileServer, tmp_path: Path, arguments: tuple[str, ...], open_terminal: NewTerminal
) -> None:
    server.view = PLAIN
    Identities(server.url, tmp_path).keep("ada", "t0ken")
    terminal = open_terminal(*arguments, "--server", server.url, "--as", "ada")
    if arguments != ("logout",):
        terminal.wait_for("EVIL")
    for key in SCREENS[arguments]:
        terminal.press(key)
    assert terminal.wait() == 0, terminal.shown
    assert not [one for one in FORBIDDEN if one in terminal.written], ascii(terminal.written[-3000:])
    assert "has failed" not in terminal.shown


@pytest.mark.parametrize("phase", ["open", "reveal", "ready", "roll", "cube", "move", "resign", "over", COMMANDS])
@pytest.mark.parametrize("seat", [0, None])
def test_no_phase_of_a_match_shows_a_command(server: HostileServer, tavla: Tavla, phase: str, seat: int | None) -> None:
    outcome = (1, 1, 1, COMMANDS) if phase == "over" else None
    server.view = {**PLAIN, "phase": phase, "offer": 1, "resignation": (1, 2), "outcome": outcome, "dice": (3, 1)}
    server.spoil["Snapshot"] = lambda message: message.update(seat=seat)
    check(tavla("watch", "x1").text)


def test_the_name_that_a_server_gives_is_one(server: HostileServer, tavla: Tavla) -> None:
    server.spoil["Welcome"] = lambda message: message.update(name=COMMANDS)
    code, text = tavla("whoami")
    assert (code, text) == (1, f"Error: {server.url} gives a name that no player has: it is no Tavla server\n")


@pytest.mark.parametrize("token", ["tökén", "a\nb", COMMANDS])
def test_a_token_that_is_not_ascii_is_not_kept(server: HostileServer, tavla: Tavla, token: str) -> None:
    server.spoil["Welcome"] = lambda message: message.update(token=token)
    code, text = tavla("lobby")
    assert (code, text) == (1, "Error: the server gives a token that is not plain ASCII: it is no Tavla server\n")


def test_a_server_that_takes_every_name_is_left(server: HostileServer, tavla: Tavla) -> None:
    server.takes_names = True
    code, text = tavla("create", name=None)
    assert code == 1
    assert "choose one with --as NAME" in text
    assert server.hellos < 40


@pytest.mark.parametrize("closes", [False, True], ids=["answers nothing", "closes each request"])
@pytest.mark.parametrize("arguments", [*ONE_SHOT, *LIVE], ids=" ".join)
def test_a_server_without_answers_is_given_up(
    server: HostileServer, tavla: Tavla, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], closes: bool
) -> None:
    monkeypatch.setattr(options, "ANSWER_S", 0.05)
    server.answers, server.closes = False, closes
    server.spoil["Welcome"] = lambda message: message.update(ended=[])
    code, text = tavla(*arguments)
    if arguments[0] == "register":
        return  # it has an account, and asks nothing
    assert code == 1
    assert f"{server.url} has not answered within 0.05 s" in text
    assert text.startswith("Error: ")
    assert text.count("\n") == 1


WRONG: dict[type, list[Any]] = {
    int: [-1, 9, 2**63 - 1],
    float: [float("nan"), float("inf"), -1.0],
    str: ["", "x" * 3000, "over"],
}


def wrong_values(now: Any) -> list[Any]:
    """Replacements for a value: others of its type, of another type, and in each place of a list or a map."""
    others = [None, [], {}, 9, "x", *WRONG.get(type(now), [])]
    if isinstance(now, list | tuple):
        others += [[*now[:place], one, *now[place + 1 :]] for place, it in enumerate(now) for one in wrong_values(it)]
    if isinstance(now, dict):
        others += [{**now, name: one} for name, it in now.items() for one in wrong_values(it)]
    return others


ASKED: dict[type, tuple[str, ...]] = {  # what makes the server send one
    **dict.fromkeys((m.Table, m.Person, m.Seeker, m.Line, m.Listing), ("lobby",)),
    m.Career: ("whoami",),
    m.Leaders: ("top",),
    m.Following: ("friends",),
    m.Rolls: ("dice",),
    m.Organised: ("tournament", "create", "friday"),
    m.Tournament: ("tournament", "list"),
    m.Standing: ("tournament", "standings", "x"),
    m.Pairing: ("tournament", "standings", "x"),
    m.TournamentRecorded: ("tournament", "standings", "x"),
    m.Held: ("tournament", "list", "--past"),
    m.Played: ("history",),
    m.Collected: ("collection",),
    m.CollectedFile: ("replay", "k3v7q2xak3v7q2xa"),
    m.Recorded: ("replay", "m1"),
    m.Reported: ("mod", "reports"),
    m.Inspected: ("mod", "inspect", "ada"),
    m.Figures: ("mod", "fair", "ada"),
    m.Welcome: ("whoami",),
    m.Ok: ("logout",),
    m.Error: ("report", "ada", "x"),
    **dict.fromkeys((m.Snapshot, View, *PUSHED), ("watch", "x1")),
}
SPOILT = 5  # fields with a wrong value, of each type; others each time


@pytest.mark.parametrize("type_", ASKED, ids=lambda type_: type_.__name__)
def test_whatever_a_field_has_a_command_ends_without_a_failure_of_its_own(
    server: HostileServer, tavla: Tavla, type_: type[msgspec.Struct], rng: random.Random
) -> None:
    for _ in range(SPOILT):
        field = rng.choice([one for one in type_.__struct_fields__ if one != "id"])
        spoilt: list[Any] = []

        def spoil(message: dict[str, Any], field: str = field, spoilt: list[Any] = spoilt) -> None:
            if not spoilt:
                spoilt.append(rng.choice(wrong_values(message[field])))
            message[field] = spoilt[0]

        server.view, server.spoil = PLAIN, {type_.__name__: spoil}
        try:
            check(tavla(*ASKED[type_]).text)
        except Exception as error:
            raise AssertionError(f"{type_.__name__}.{field} = {spoilt!r:.300}") from error


FILES = {
    "names.mat": f"; [Player 1 {COMMANDS}]\n 3 point match\n\n Game 1\n {COMMANDS} : 0   bob : 0\n  1) 31: 8/5 6/5\n",
    "plays.mat": f" 3 point match\n\n Game 1\n ada : 0   bob : 0\n  1) 31: {COMMANDS}\n",
    "names.sgf": f"(;FF[4]GM[6]PW[{COMMANDS}]PB[{COMMANDS}]MI[length:3][game:0][ws:0][bs:0];W[31hene])",
    "plays.sgf": f"(;FF[4]GM[6]PW[ada]PB[bob]MI[length:{COMMANDS}];W[{COMMANDS}])",
    "names.json": json.dumps(
        {"match": COMMANDS, "epoch": 1, "seq": 1, "view": {"players": [COMMANDS] * 2}, "events": []}
    ),
    "rules.json": json.dumps({"match": COMMANDS, "epoch": 1, "seq": 1, "view": {"rules": {COMMANDS: 1}}, "events": []}),
    "types.json": json.dumps(
        {"match": COMMANDS, "epoch": COMMANDS, "seq": 1, "view": {COMMANDS: 1}, "events": [[COMMANDS]]}
    ),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", ["replay", "export", "verify", "analyse"])
def test_no_text_of_a_file_commands_the_terminal(tavla: Tavla, tmp_path: Path, name: str, command: str) -> None:
    file = tmp_path / name
    file.write_text(FILES[name], "utf-8")
    check(tavla(command, str(file)).text)


def test_every_message_of_the_server_is_tried() -> None:
    unasked = {
        m.Replaced,
        m.Heartbeat,
        m.Changes,
        m.Matched,
        m.Seeking,
        m.Rematched,
        m.Closing,
        m.Puzzle,
        m.DeeperLook,
        m.Review,
        m.SharedFile,
    }
    assert {*ASKED} | unasked == {*m.REPLIES.values(), View, m.Table, *ROWS.values()}
    assert all(get_type_hints(type_) for type_ in PUSHED)
