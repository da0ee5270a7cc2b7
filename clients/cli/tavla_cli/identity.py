"""Identities of the user: names at a server and their secret tokens, in the user's own folder.

One file a name, so that two terminals never write the same one. A running `tavla` holds its name's lock: the next one
on the same machine then takes another name by itself, and two people can sit down at one computer.
"""

import contextlib
import getpass
import random
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote

from tavla_client import Client, ClientError, Link, Pledges, Refused, write_whole
from tavla_protocol.codes import ErrorCode

from tavla_cli.user_folder import config_dir

NAME = re.compile(r"[A-Za-z0-9_-]{2,20}")
NUMBERED = 9  # `tom`, `tom2`, ... `tom9` are tried, then any guest's name
GUESTS = 20  # so many of those; a server has 9,900
_NEXT_NAME = (ErrorCode.NAME_TAKEN, ErrorCode.NAME_RESERVED, ErrorCode.BAD_TOKEN)  # then another one may do


class Identities:
    """The identities at one server: names and tokens. Raises, everywhere: OSError when the folder cannot be used."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self.folder = (folder or config_dir()) / quote(url, safe="")
        self._lock: IO[str] | None = None

    def token(self, name: str) -> str | None:
        """The token kept for a name."""
        try:
            return self._file(name).read_text("ascii").strip() or None
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def keep(self, name: str, token: str) -> None:
        """Keep a token, for the user's eyes only. Another process sees the old file or the new one, nothing between.

        Raises: ClientError, for one that no server gives.
        """
        if not (token.isascii() and token.isprintable()):
            raise ClientError("the server gives a token that is not plain ASCII: it is no Tavla server")
        write_whole(self._file(name), f"{token}\n".encode("ascii"))

    def seeds(self, name: str) -> Path:
        """The folder for the seeds of running matches."""
        return self.folder / f"seeds-{name.lower()}"

    def forget(self, name: str) -> None:
        """Throw a token away that the server does not know any more."""
        self._file(name).unlink(missing_ok=True)

    def forget_server(self) -> None:
        """Throw away all that is kept of the server: tokens, seeds, and what became of matches.

        Raises: ClientError while another window of the user is there.
        """
        for name in self.known_names():
            if not self.acquire(name):
                raise ClientError(f"another window is there as {name}: end it first")
        self.release()
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def touch(self, name: str) -> None:
        """Make this the name used last."""
        self._file(name).touch()

    def known_names(self) -> list[str]:
        """Names with a token, the one used last first."""
        try:
            files = [path for path in self.folder.iterdir() if path.name.startswith("token-")]
        except FileNotFoundError:
            return []
        files.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        return [path.name.removeprefix("token-") for path in files]

    def elsewhere(self) -> list[str]:
        """The other servers at which the user has been, the last one first."""
        try:
            folders = [one for one in self.folder.parent.iterdir() if one != self.folder and any(one.glob("token-*"))]
        except FileNotFoundError:
            return []
        folders.sort(key=lambda one: one.stat().st_mtime_ns, reverse=True)
        return [unquote(one.name) for one in folders]

    def acquire(self, name: str) -> bool:
        """Hold a name for as long as this process lives, or until the next call. False when another one holds it."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.release()
        file = (self.folder / f"lock-{name.lower()}").open("w", encoding="ascii")
        if _lock(file):
            self._lock = file
            return True
        file.close()
        return False

    def release(self) -> None:
        """Let go of the name that is held."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _file(self, name: str) -> Path:
        # names differ in more than case, and `con` is no file on Windows; a server may call us `../..`
        return self.folder / f"token-{quote(name.lower(), safe='')}"


def candidates(identities: Identities) -> Iterator[str]:
    """Names for someone who gave none: those used before, then the user's own, numbered when it is taken."""
    yield from identities.known_names()
    own = user_name()
    yield own
    for number in range(2, NUMBERED + 1):
        yield f"{own[:18]}{number}"
    for _ in range(GUESTS):
        yield f"guest{random.randrange(100, 10_000)}"  # which no server keeps from anyone


def user_name() -> str:
    """The system's name for the user, as far as a player may be called so."""
    name = ""
    with contextlib.suppress(KeyError, ImportError, OSError):  # no such user, as in some containers
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", getpass.getuser()).strip("-")[:20]
    return name if NAME.fullmatch(name) else "guest"


async def sign_in(
    identities: Identities,
    url: str,
    player: str | None,
    on_link: Callable[[Link], None],
    *,
    match: str | None = None,
    returning: bool = False,
    shared: bool = False,
    known: bool = False,
    looks_on: bool = False,
) -> Client:
    """Connect as the player asked for; or as the first name that is free, here and at the server.

    returning: only as someone who was here and has a match to come back to, or this `match`. known: as someone who was
    here. shared: never mind that another window has the name. looks_on: without a name, if none here is free.
    Raises: ClientError. OSError, when tokens cannot be kept.
    """
    is_known = returning or known or looks_on
    names = [player] if player else identities.known_names() if is_known else candidates(identities)
    tried = []
    with contextlib.ExitStack() as held:
        held.callback(identities.release)
        for name in names:
            tried.append(name)
            if not identities.acquire(name) and not player and not shared and not known:
                continue
            try:
                client = await connect_as(identities, url, name, returning=returning or known, on_link=on_link)
            except Refused as refused:
                if player and refused.code == ErrorCode.NAME_TAKEN:
                    raise Refused(refused.code, f"{refused.text}; or, if that is you, tavla login {player}") from None
                if refused.code not in _NEXT_NAME or player:
                    raise
                continue
            if player or not returning or (match in client.me.matches if match else client.me.matches):
                identities.touch(name)
                held.pop_all()
                return client
            await client.__aexit__(None, None, None)
    if looks_on:
        client = Client(url, on_link=on_link)
        await client.connect()
        return client
    if known:
        raise ClientError("you are nobody here yet: tavla register NAME, or tavla login NAME")
    if not is_known:
        raise ClientError(f"the server takes none of {len(tried)} names, such as {tried[0]}: choose one with --as NAME")
    others = "".join(f"; --server {other} is where you have been, too" for other in identities.elsewhere()[:1])
    raise ClientError(f"you {f'play no match {match}' if match else 'have no match to come back to'} at {url}{others}")


async def connect_as(identities: Identities, url: str, name: str, *, returning: bool = False, **options: Any) -> Client:
    """Connect with a name and the token kept for it. options: more for `Client`. returning: only with a good token.

    A token that the server knows no longer is thrown away, and a new player comes with the same name.
    Raises: ClientError.
    """
    token = identities.token(name)
    if token is None and returning:
        raise Refused(ErrorCode.BAD_TOKEN, f"you have not been here as {name}, or have logged out")
    options.setdefault("pledges", Pledges(identities.seeds(name)))
    client = Client(url, name=name, token=token, on_token=partial(identities.keep, name), **options)
    try:
        return await client.__aenter__()
    except Refused as refused:
        if token is None or refused.code != ErrorCode.BAD_TOKEN:
            raise
        identities.forget(name)
        if returning:
            raise
    return await connect_as(identities, url, name, **options)


try:
    import fcntl

    def _lock(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks: better two windows of one player than none
        return True

except ImportError:  # Windows
    import msvcrt

    def _lock(file: IO[str]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
