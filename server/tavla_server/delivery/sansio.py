"""The sans-I/O core of websockets: what its documentation leaves to others.

`apply_mask` and a protocol's `parser` are not documented: for them `pyproject.toml` has a ceiling for its version.
"""

import asyncio
import contextlib

from websockets.server import ServerProtocol

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

__all__ = ["apply_mask", "release", "write_out"]


def write_out(transport: asyncio.Transport, protocol: ServerProtocol, may_close: bool = True) -> None:
    """Write what a protocol has to say, and its end. may_close: with TLS, whose only end is to close."""
    for data in protocol.data_to_send():
        if data:
            transport.write(data)
        elif transport.can_write_eof():
            with contextlib.suppress(OSError, RuntimeError):  # it is gone
                transport.write_eof()
        elif may_close:
            transport.close()


def release(protocol: ServerProtocol, *errors: BaseException | None) -> None:
    """Leave no cycle of references: garbage is looked for rarely.

    The parser is a generator, whose frame holds the protocol that holds the parser; no documented name ends it.
    errors: of this protocol; each holds the frames that it has gone through.
    """
    protocol.parser.close()
    known = list(errors)
    for error in known:
        if error is not None:
            error.__traceback__ = None
            known += [other for other in (error.__cause__, error.__context__) if other not in known]
