"""The command `tavla-server`, wherever the package is installed: with its server or without."""

import sys
from importlib.util import find_spec

NEEDED = ("aiosqlite", "alembic", "argon2", "click", "nacl", "redis", "rustworkx", "sqlalchemy", "structlog", "uvloop")


def main() -> None:
    """Run the server; or say what to install, where only a client is, and where it runs, on Windows."""
    if sys.platform == "win32":  # no uvloop, no fork, no wheel of the embedded store
        sys.exit("tavla-server: the server runs on Linux and macOS. On Windows run it in WSL or in a container")
    for name in NEEDED:  # most are imported later, by what needs them
        if find_spec(name) is None:
            install = "pip install 'tavla[server,embedded]'"
            sys.exit(
                f"tavla-server: no server is installed here, without {name}. For one with a store of its own: {install}"
            )
    from tavla_server.process.cli import main as run

    run()
