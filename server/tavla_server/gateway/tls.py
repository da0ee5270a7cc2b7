"""Our certificate, for clients that connect by wss:// and https://, and how TLS begins."""

import asyncio
import contextlib
import math
import os
import socket as socket_module
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, cast

import structlog

from tavla_server.deadline import Deadline
from tavla_server.delivery.handshake import Handshake
from tavla_server.errors import StartError
from tavla_server.telemetry import certificates
from tavla_server.telemetry.metrics import LIMITS, TLS

log = structlog.get_logger()


class Certificate:
    """A certificate with its key, from files that may change.

    context: for the port; each new connection is shown the newest.
    """

    def __init__(self, file: Path, key: Path) -> None:
        """file: PEM, ours first, then those between it and an authority.

        Raises: StartError, with what is wrong with them.
        """
        self._file, self._key = file, key
        self.context = self._newest = self._read()
        self.context.sni_callback = self._show_newest  # called for clients that name no host, too

    def reload(self) -> None:
        """Read the files again, for connections from now on. What cannot be used leaves the old one in use."""
        try:
            self._newest = self._read()
        except StartError as error:
            log.error("certificate_not_reloaded", error=str(error))
        else:
            log.info("certificate_reloaded", file=str(self._file))

    def _read(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._file, self._key, password=_no_password)
        except (OSError, ValueError) as error:
            raise StartError(
                f"cannot use the certificate {self._file} with the key {self._key}: {_why(error)}"
            ) from None
        with contextlib.suppress(ValueError):  # a date in another form than RFC 5280 has it: used, but not watched
            certificates.note("server", certificates.end_of(self._file.read_text(encoding="latin-1")))
        return context

    def _show_newest(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = self._newest


class Agreeing(asyncio.Protocol):
    """An agreeing connection: from when it comes until TLS is agreed on: then it is its handshake's.

    A loop that listens with TLS itself tells of no connection before that, nor if nothing comes of it: who never
    says a word could neither be counted nor cut. So it listens without, and is given each connection a second time.
    """

    def __init__(
        self, handshake: Handshake, context: ssl.SSLContext, timeout_s: float, ended: Callable[["Agreeing", bool], None]
    ) -> None:
        """timeout_s: for the handshake of TLS. ended: called when it is over, with whether the other one goes on."""
        self.handshake = handshake
        handshake.transport = cast(asyncio.Transport, self)  # so that it can be cut
        self._context, self._timeout_s, self._ended = context, timeout_s, ended
        self._taken: socket_module.socket | None = None
        self._is_cut = False
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        accepted = transport.get_extra_info("socket")
        if self.handshake.unheard:
            LIMITS.add("open_files")
        elif not self._is_cut:
            with contextlib.suppress(OSError):  # no file is left
                self._taken = socket_module.socket(fileno=os.dup(accepted.fileno()))
        cast(asyncio.Transport, transport).abort()
        if self._taken is None:
            self._ended(self, False)
            return
        self._taken.setblocking(False)
        self._task = asyncio.get_running_loop().create_task(self._agree(self._taken))

    def abort(self) -> None:
        """End it without a word."""
        self._is_cut = True
        if self._taken is not None:
            with contextlib.suppress(OSError):  # it is gone
                self._taken.shutdown(socket_module.SHUT_RDWR)

    async def _agree(self, taken: socket_module.socket) -> None:
        deadline = Deadline(self._timeout_s, self.abort)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self.handshake, taken, ssl=self._context, ssl_handshake_timeout=math.inf
            )
        except OSError:  # this is no TLS, it was not agreed on in time, or the client has gone
            TLS.add("failed")
            self._ended(self, False)
        else:
            TLS.add("agreed")
            self._ended(self, True)
        finally:
            deadline.cancel()


def _no_password() -> NoReturn:
    """Refuse: there is no terminal to type one."""
    raise ValueError("the key is locked with a password: store it without")


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        if error.reason == "KEY_VALUES_MISMATCH":
            return "they do not belong together"
        return f"not PEM, or damaged ({error.reason or 'no certificate or no key in it'})"
    return getattr(error, "strerror", None) or str(error)
