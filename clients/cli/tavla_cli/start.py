"""The command `tavla`, wherever the package is installed: with its terminal client or without."""

import sys


def main() -> None:
    """Run the terminal client; or say what to install, where only the library is."""
    try:
        from tavla_cli.main import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tavla"):
            raise
        install = "pip install 'tavla[cli]', or pipx install --force 'tavla[cli]'"
        sys.exit(f"tavla: here is the library alone ({error}). For the terminal client: {install}")
    run()
