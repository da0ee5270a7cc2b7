"""Passwords: typed without being shown, or piped in."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

REPLACED = "\ufffd"  # in place of what could not be read
PASSWORD_LENGTH = (8, 128)  # as servers take it


def new_password(prompt: str) -> str:
    """A password that is asked for twice, so that a slip does not lock anyone out."""
    shortest, longest = PASSWORD_LENGTH
    text = read_password(prompt, twice=True)
    if not shortest <= len(text) <= longest:
        raise click.ClickException(f"a password has {shortest} to {longest} characters")
    return text


def read_password(prompt: str, twice: bool = False) -> str:
    """A password typed without being shown, or a line of what is piped in."""
    if sys.stdin.isatty():
        with interruptible():
            return _readable(_typed(f"{prompt}, {PASSWORD_LENGTH[0]} characters or more" if twice else prompt, twice))
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise click.ClickException(f"no {prompt} came: type it, or pipe it in as a line")
    return _readable(line)


def _typed(prompt: str, twice: bool) -> str:
    try:
        typed: str = click.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True)
    except UnicodeDecodeError:
        return REPLACED
    return typed


def _readable(text: str) -> str:
    """A password of which a letter was replaced is not the one that was meant."""
    if REPLACED in text:
        raise click.ClickException("this has bytes that are no letters here: set your terminal to UTF-8, or use others")
    return text


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends a question at once: asyncio would only note it, and the question would wait on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
