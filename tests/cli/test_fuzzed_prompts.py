"""Whatever bytes are typed at a prompt, the program lives: real terminals, random lines, and a word at the end."""

import asyncio
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tavla_client import Client

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.players.terminal import NewTerminal, Terminal
from tests.support.servers.processes import ServerProcess

LINES = int(os.environ.get("TAVLA_FUZZ_LINES", "50"))  # for each prompt, the same ones in each run; 10,000 take minutes
AT_ONCE = 50  # lines, between two looks whether it lives: no more than a terminal keeps
TRIES = 30  # to get back to where words are looked for: an answer may lead to another question
WORDS = [b"say ", b"save ", b"mute ", b"tell ", b"8/5 ", b"bar/", b"m ", b"auto ", b"resign ", b"hint", b"s \xc3\xa9"]
ENDS = b"\r\n\x03\x04\x1a\x1c\x11\x13"  # ends; and what a terminal itself obeys
LEAVE = b"qQeEcCfF"  # quit, exit, cancel, forfeit: they may be typed, and do what they say
BYTES = bytes(byte for byte in range(256) if byte not in ENDS + LEAVE)

Prompt = Callable[[Terminal, bytes], None]


def random_lines(count: int, seed: int) -> Iterator[bytes]:
    """Lines of random bytes, some of them behind a command."""
    rng = random.Random(seed)
    for _ in range(count):
        line = bytes(rng.choices(BYTES, k=rng.randrange(40)))
        yield rng.choice(WORDS) + line if rng.random() < 0.3 else line


def fuzz(terminal: Terminal, key: bytes, still_there: Callable[[], None]) -> None:
    """Type all lines, each after a key that opens its prompt, and see that the client lives."""
    for number in range(0, LINES, AT_ONCE):
        lines = random_lines(min(AT_ONCE, LINES - number), number)
        terminal.press_bytes(b"".join(key + line + b"\r" for line in lines))
        assert "Traceback" not in terminal.shown
        still_there()


def understood(terminal: Terminal) -> Callable[[], None]:
    """A word that the prompt of a match does not know is refused in a sentence."""
    words = iter(range(10**6))

    def ask() -> None:
        word = f"zz{next(words)}"
        terminal.press_bytes(b"\x07\r\x07\r\x15no\r" + word.encode() + b"\r")  # out of any search, line or question
        terminal.wait_for(f"no command '{word}'")
        terminal.forget()

    return ask


def test_the_prompt_of_a_table(server: ServerProcess, tmp_path: Path, open_terminal: NewTerminal) -> None:
    terminal = open_terminal("create", unique("t"), "--server", server.url, "--as", unique("ada"), cwd=tmp_path)
    terminal.wait_for("waiting for an opponent")
    fuzz(terminal, b"", understood(terminal))
    terminal.type("quit")
    assert terminal.wait() == 0
    assert "Traceback" not in terminal.shown


def found(terminal: Terminal) -> Callable[[], None]:
    """A full screen looks for a word, once it is out of the question, and of what the answer has led to."""
    words = iter(range(10**6))

    def ask() -> None:
        for _ in range(TRIES):
            word = f"zz{next(words)}"
            terminal.press_bytes(b"\x07\r")
            terminal.press("/\x15" + word + "\r")
            terminal.forget()
            terminal.resize(24, 80 + int(word[2:]) % 2)  # then it draws everything
            with suppress(AssertionError):
                terminal.wait_for(f'with "{word}"', PATIENCE_S / TRIES)
                return
            terminal.press("\t")  # there is nothing to find on the page of what was said
        raise AssertionError(f"it answers no more, but shows:\n{terminal.shown[-3000:]}")

    return ask


async def test_the_prompt_of_a_match(server: ServerProcess, tmp_path: Path, open_terminal: NewTerminal) -> None:
    """With its questions: what is typed may resign, and an answer of no plays on."""
    async with Client(server.url, name=unique("bob")) as bob:
        table = unique("t")
        terminal = open_terminal("create", table, "--server", server.url, "--as", unique("ada"), cwd=tmp_path)
        await asyncio.to_thread(terminal.wait_for, "waiting for an opponent")
        await bob.join(table)
        await asyncio.to_thread(terminal.wait_for, "game 1 begins")
        await asyncio.to_thread(fuzz, terminal, b"resign\r", understood(terminal))
        terminal.type("quit")
        assert await asyncio.to_thread(terminal.wait) == 0


@pytest.mark.long
def test_the_questions_of_the_lobby(own_server: ServerProcess, open_terminal: NewTerminal) -> None:
    terminal = open_terminal("lobby", "--server", own_server.url, "--as", "ada")
    terminal.wait_for("people online: 1")
    for key in (b"/", b"s", b"p", b"h"):
        fuzz(terminal, key, found(terminal))


def test_a_password_with_a_byte_that_is_no_letter_is_refused(server: ServerProcess, open_terminal: NewTerminal) -> None:
    terminal = open_terminal("login", "ada", "--server", server.url)
    terminal.wait_for("assword")
    terminal.press_bytes(b"caf\xe9 au lait\r")
    terminal.wait_for("bytes that are no letters here")
    assert terminal.wait() == 1
