"""The greeting of a server started by hand: its address, and what to type next."""

import shlex
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from tavla_server.own_addresses import OwnAddress, addresses, at_port, own_address

DEFAULT_PORT = 8765  # clients take it when no port is named
EVERY = ("0.0.0.0", "::")


def greeting(
    host: str, port: int, page: bool, tls: bool = False, program: Path | None = None, own: OwnAddress = own_address
) -> str:
    """Some lines for a terminal. page: browsers are shown one to play in. tls: it has a certificate.

    program: the server's, if it is not this one. own: tells the machine's address in a network.
    """
    http, ws = ("https", "wss://") if tls else ("http", "")
    tavla = client(program or Path(sys.argv[0]))
    here = "" if port == DEFAULT_PORT and not tls else f" --server {ws}localhost:{port}"
    reachable = addresses(host, own)
    lines = [
        f"Tavla listens on port {port}, {_of(host, reachable)}.",
        f"To play, {f'open {http}://localhost:{port} in a browser, or ' if page else ''}in another terminal:",
        f"    {tavla} play{here}",
        "Against the computer, which make serve starts, or tavla bot run:",
        f"    {tavla} create --vs computer --level beginner{here}",
    ]
    lines += ["From another machine that reaches this one:"] if reachable else [_nobody(host)]
    for at in (at_port(address, port) for address in reachable):
        lines += [f"    tavla play --server {ws}{at}", *([f"    {http}://{at}"] if page else [])]
    lines += ["Names other than those in the certificate are not trusted."] if tls else []
    return "\n".join(["", *lines, ""])


def client(program: Path) -> str:
    """The command of the terminal client beside a program, quoted for a shell."""
    beside = program.with_name("tavla")
    found = shutil.which("tavla")
    if not beside.exists() or (found is not None and Path(found).resolve() == beside.resolve()):
        return "tavla"
    with suppress(ValueError):
        beside = beside.resolve().relative_to(Path.cwd())
    return shlex.quote(str(beside))


def _of(host: str, reachable: list[str]) -> str:
    if host in EVERY:
        return "at every address of this machine"
    return f"at {host}" if reachable else f"at {host}, for this machine alone"


def _nobody(host: str) -> str:
    if host in EVERY:  # there may be a network all the same: one that leads nowhere else
        return "No address is known at which another machine would reach this one."
    return "Nobody reaches it from another machine: --host 0.0.0.0 would let them."
