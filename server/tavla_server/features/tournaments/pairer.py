"""Pairing in a process of its own, so that nothing on the loop waits for it."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process

import msgspec

from tavla_server.features.tournaments.waiting import HEAD_BYTES, Pairs, Question

LIMIT_S = 10.0  # for a pairing; some 100 ms for 1,000 players, and its process begins with the first one

_encode = msgspec.msgpack.Encoder().encode
_pairs = msgspec.msgpack.Decoder(Pairs).decode


class PairingFailed(Exception):
    """The process has died, or took too long: another one takes its place with the next pairing."""


class Pairer:
    """The process of the pairer, which begins when it is first needed, and ends with this one."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self._in_turn = asyncio.Lock()

    async def pairs(self, question: Question) -> Pairs:
        """Find the pairs. Raises: PairingFailed."""
        async with self._in_turn:
            try:
                async with asyncio.timeout(LIMIT_S):
                    return await self._ask(_encode(question))
            except (TimeoutError, OSError, EOFError) as error:
                await self.close()
                raise PairingFailed(repr(error)) from error
            except asyncio.CancelledError:
                await self.close()
                raise

    async def warm(self) -> None:
        """Begin the process that will be needed. Raises: PairingFailed."""
        if self.process is None:
            await self.pairs(Question(False, []))

    async def close(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _ask(self, request: bytes) -> Pairs:
        if self.process is None:
            command = sys.executable, "-P", "-m", "tavla_server.features.tournaments.matching"
            self.process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                start_new_session=True,  # Ctrl-C is for the server alone
            )
        source, target = self.process.stdout, self.process.stdin
        assert source is not None, "a pipe"
        assert target is not None, "a pipe"
        target.write(len(request).to_bytes(HEAD_BYTES, "big") + request)
        await target.drain()
        size = int.from_bytes(await source.readexactly(HEAD_BYTES), "big")
        return _pairs(await source.readexactly(size))
