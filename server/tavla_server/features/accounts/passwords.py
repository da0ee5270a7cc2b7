"""Passwords: argon2id, in a thread of its own, since it is slow on purpose."""

import asyncio
import base64
import contextlib
import secrets
import unicodedata
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from tavla_server.deadline import time_limit
from tavla_server.errors import Busy
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.telemetry.metrics import LIMITS

# Source: OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane. Takes some 50 ms.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
THREADS = 1  # a storm of logins keeps one core busy; the others play
ADDRESS_WAITING_LIMIT = 20  # of one address before the queue
ADDRESS_WAIT_S = 2.0  # so long: with the time in the queue, less than its client's patience

T = TypeVar("T")


class Passwords:
    """Passwords, hashed and compared without holding up anyone's game. waiting: how many wait for that."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._most, self._of_address = limits.passwords, limits.address_passwords
        self._pool = ThreadPoolExecutor(THREADS, "passwords")
        self.waiting = 0
        self._turns: dict[str, tuple[asyncio.Semaphore, int]] = {}  # by address, and who has one or waits for it
        self._nobodys = _random_hash()

    def close(self) -> None:
        """Let the thread end."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @contextlib.asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Take a place among those of an address; "" = none in particular. Raises: Busy."""
        turns, waiting = self._turns.get(address, (asyncio.Semaphore(self._of_address), 0))
        if not address:
            yield
            return
        if waiting >= self._of_address + ADDRESS_WAITING_LIMIT:
            raise _busy()
        self._turns[address] = turns, waiting + 1
        try:
            await _take(turns)
            try:
                yield
            finally:
                turns.release()
        finally:
            waiting = self._turns[address][1] - 1
            self._turns[address] = turns, waiting
            if not waiting:
                del self._turns[address]

    async def hash(self, password: str) -> str:
        """The hash of a password. Raises: Busy."""
        return await self._run(lambda: HASHER.hash(_normal(password)))

    async def matches(self, kept: str | None, password: str) -> bool:
        """True if it is the one. kept: its hash; None if there is none: the answer is no, and takes as long.

        Raises: Busy.
        """
        hash_ = kept or self._nobodys
        return await self._run(lambda: _verify(hash_, _normal(password))) and kept is not None

    async def _run(self, work: Callable[[], T]) -> T:
        if self.waiting >= self._most:
            raise _busy()
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self.waiting -= 1


async def _take(turns: asyncio.Semaphore) -> None:
    """Wait for a place. Raises: Busy."""
    try:
        async with time_limit(ADDRESS_WAIT_S):
            await turns.acquire()
    except TimeoutError:
        raise _busy() from None


def _busy() -> Busy:
    LIMITS.add("passwords")
    return Busy()


def _verify(hash_: str, password: bytes) -> bool:
    try:
        return HASHER.verify(hash_, password)
    except VerificationError:
        return False


def _normal(password: str) -> bytes:
    """The same bytes for the same letters, from any keyboard. Source: RFC 8265, OpaqueString."""
    return unicodedata.normalize("NFC", password).encode()


def _random_hash() -> str:
    """A hash of no password, as costly to compare with as any other."""
    salt, digest = (base64.b64encode(secrets.token_bytes(size)).decode().rstrip("=") for size in (16, 32))
    memory, passes, lanes = HASHER.memory_cost, HASHER.time_cost, HASHER.parallelism
    return f"$argon2id$v=19$m={memory},t={passes},p={lanes}${salt}${digest}"
