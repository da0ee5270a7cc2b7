"""The greeting of a server started by hand: its address, and what to type next."""

import shlex
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from tavla_server.own_addresses import addresses, at_port

DEFAULT_PORT = 8765  # clients take it when no port is named


def greeting(host: str, port: int, page: bool, tls: bool = False) -> str:
    """Some lines for a terminal. page: browsers are shown one to play in. tls: it has a certificate."""
    http, ws = ("https", "wss://") if tls else ("http", "")
    tavla, here = client(), "" if port == DEFAULT_PORT and not tls else f" --server {ws}localhost:{port}"
    reachable = addresses(host)
    lines = [
        f"Tavla listens on port {port}, {_of(host, reachable)}.",
        f"To play, {f'open {http}://localhost:{port} in a browser, or ' if page else ''}in another terminal:",
        f"    {tavla} play{here}",
        "Against the computer, which make serve starts, or tavla bot run:",
        f"    {tavla} create --vs computer --level beginner{here}",
    ]
    if reachable:
        at = at_port(reachable[0], port)
        lines += ["From another machine that reaches this one:", f"    tavla play --server {ws}{at}"]
        lines += [f"    {http}://{at}"] if page else []
    else:
        lines += ["Nobody reaches it from another machine: --host 0.0.0.0 would let them."]
    lines += ["Names other than those in the certificate are not trusted."] if tls else []
    return "\n".join(["", *lines, ""])


def client() -> str:
    """The command of the terminal client beside this program, quoted for a shell."""
    beside = Path(sys.argv[0]).with_name("tavla")
    found = shutil.which("tavla")
    if not beside.exists() or (found is not None and Path(found).resolve() == beside.resolve()):
        return "tavla"
    with suppress(ValueError):
        beside = beside.resolve().relative_to(Path.cwd())
    return shlex.quote(str(beside))


def _of(host: str, reachable: list[str]) -> str:
    if host in ("0.0.0.0", "::"):
        return f"here at localhost, for others at {' and '.join(reachable) or 'no address that is known'}"
    return f"at {host}" if reachable else f"at {host}, for this machine alone"
