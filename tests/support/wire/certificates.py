"""An authority of a test's own and its certificates, made by openssl."""

import ssl
import subprocess
from pathlib import Path
from urllib.parse import urlencode

_REQ = "openssl req -x509 -noenc -newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
_USAGE = "keyUsage=critical,keyCertSign,cRLSign"  # which Python wants of an authority from 3.13 on


class Authority:
    """Makes certificates; its own is `file`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / "ca.pem"
        _run(f"{_REQ} -days 2 -keyout ca.key -out ca.pem -subj /CN=authority -addext {_USAGE}", folder)

    def listening(self, holder: str) -> ssl.SSLContext:
        """Shows a certificate, and wants one of this authority. holder: `IP:127.0.0.1`, `DNS:example.org`."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self.file)
        context.load_cert_chain(*self.certified(holder))
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def calling(self) -> str:
        """The options of a Redis URL to show a certificate, and to want one of this authority."""
        certificate, key = self.certified("DNS:client.example")
        paths = {"ssl_ca_certs": self.file, "ssl_certfile": certificate, "ssl_keyfile": key}
        return urlencode(paths, safe="/")

    def certified(self, holder: str) -> tuple[Path, Path]:
        """A certificate and its key."""
        name = holder.partition(":")[2]
        extensions = f"-addext subjectAltName={holder} -addext basicConstraints=CA:FALSE"
        _run(
            f"{_REQ} -days 2 -CA ca.pem -CAkey ca.key -keyout {name}.key -out {name}.pem -subj /CN={name} {extensions}",
            self._folder,
        )
        return self._folder / f"{name}.pem", self._folder / f"{name}.key"

    def expired(self, holder: str) -> tuple[Path, Path]:
        """The same, whose time is over."""
        certificate, key = self.certified(holder)
        _run(
            f"openssl x509 -x509toreq -in {certificate} -signkey {key} -copy_extensions copy -out late.csr",
            self._folder,
        )
        signed = "-CA ca.pem -CAkey ca.key -CAcreateserial -days -1 -copy_extensions copy"
        _run(f"openssl x509 -req -in late.csr {signed} -out late.pem", self._folder)
        return self._folder / "late.pem", key

    def locked(self, key: Path) -> Path:
        """A key with a password."""
        _run(f"openssl pkey -aes128 -passout pass:secret -in {key} -out {key}.locked", self._folder)
        return Path(f"{key}.locked")


def _run(command: str, folder: Path) -> None:
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
