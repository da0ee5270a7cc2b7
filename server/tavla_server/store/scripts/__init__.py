"""Scripts that the store runs in one step: a Lua file each, whose head describes its KEYS and ARGV."""

import functools
import hashlib
from importlib.resources import files

from tavla_server.store.connection import pack_command


@functools.cache
def source(name: str) -> bytes:
    """The text of a script, by its file's name without `.lua`."""
    return files(__package__).joinpath(f"{name}.lua").read_bytes()


def sha(name: str) -> bytes:
    """The name of a script for EVALSHA."""
    return hashlib.sha1(source(name), usedforsecurity=False).hexdigest().encode()


def loading(name: str) -> bytes:
    """A packed command that makes a script known to the server; for the setup of a connection."""
    return pack_command(b"SCRIPT", b"LOAD", source(name))
