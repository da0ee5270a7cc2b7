"""The command `tavla-server`, wherever the package is installed: with its server or without."""

import sys


def main() -> None:
    """Run the server; or say what to install, where only a client is."""
    try:
        from tavla_server.cli import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tavla"):
            raise
        install = "pip install 'tavla[server,embedded]'"
        sys.exit(f"tavla-server: no server is installed here ({error}). For one with a store of its own: {install}")
    run()
