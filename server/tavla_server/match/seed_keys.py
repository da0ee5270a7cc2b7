"""The keys that seal the servers' seeds: a file of each node, and the store's word on which of them is in use.

A key file has a key in each line, 64 hex digits; what follows a `#` is a comment. The first key seals, all keys open.
To change keys: give every node the new one as its last line, then restart; then as its first line, and restart.
"""

import contextlib
import secrets
from pathlib import Path

from tavla_server import files
from tavla_server.errors import StartError
from tavla_server.record.sealing import Sealer
from tavla_server.store import keys
from tavla_server.store.client import Client, text

KEY_BYTES = 32  # of XChaCha20-Poly1305


def read_keys(file: Path, make: bool) -> Sealer:
    """A sealer with the keys of a file. make: one that is not there yet is made, for its owner's eyes only.

    Raises: StartError.
    """
    try:
        if make and not file.exists():
            _make(file)
        lines = [line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines()]
        keys_ = [bytes.fromhex(line) for line in lines if line]
    except OSError as error:
        raise StartError(f"cannot use the key file {file}: {error.strerror}") from None
    except ValueError:
        keys_ = []
    if is_lost(file):
        raise StartError(
            f"{file} is empty: put its copy back, from a backup or from another server on the same store. If there is "
            f"none, delete {file} and, in the Redis, {keys.SEED_KEY()}: new matches begin, those that go on cannot"
        )
    if not keys_ or any(len(key) != KEY_BYTES for key in keys_):
        raise StartError(f"{file} is no key file: it has 64 hex digits in each line (openssl rand -hex 32)")
    return Sealer(keys_)


def _make(file: Path) -> None:
    """Whole or not at all, and once: of several processes one is first."""
    files.make_folder(file.parent)
    with contextlib.suppress(FileExistsError):
        files.write_whole(file, _new_key(), replace=False)


def _new_key() -> bytes:
    return f"{secrets.token_hex(KEY_BYTES)}\n".encode()


def is_lost(file: Path) -> bool:
    """True if a key file has nothing in it: a disk that lies about what it has synced may leave it so."""
    return file.is_file() and not file.read_bytes().strip(b"\0 \r\n")


async def renew(redis: Client, file: Path) -> None:
    """Make a key anew where one is lost: matches sealed with that one cannot be played on. Raises: OSError."""
    await redis.delete(keys.SEED_KEY())
    files.write_whole(file, _new_key())


async def agree(redis: Client, sealer: Sealer) -> None:
    """Make sure that this node can open what the others seal, and seal with this node's first key from now on.

    Raises: StartError when the store's seeds are sealed with a key that this node lacks; StoreUnavailable.
    """
    first = sealer.marks[0].hex()
    await redis.set(keys.SEED_KEY(), first, nx=True)
    used = text(await redis.get(keys.SEED_KEY()) or b"")
    if used == first:
        return
    if used not in [mark.hex() for mark in sealer.marks]:
        raise StartError(
            f"the seeds in this store are sealed with another key ({used}): give all servers the same --seed-key"
        )
    await redis.set(keys.SEED_KEY(), first)
