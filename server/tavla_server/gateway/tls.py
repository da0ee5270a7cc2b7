"""Our certificate, for clients that connect by wss:// and https://."""

import ssl
from pathlib import Path
from typing import Any

import structlog

from tavla_server.errors import StartError

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
        return context

    def _show_newest(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = self._newest


def _no_password() -> Any:
    """Nobody is there to type one."""
    raise ValueError("the key is locked with a password: store it without")


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        if error.reason == "KEY_VALUES_MISMATCH":
            return "they do not belong together"
        return f"not PEM, or damaged ({error.reason or 'no certificate or no key in it'})"
    return getattr(error, "strerror", None) or str(error)
