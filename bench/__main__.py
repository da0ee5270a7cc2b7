"""`python -m bench`: measure the engine and the server, print the figures, and write them to bench/README.md."""

import platform
from datetime import UTC, datetime
from pathlib import Path

from bench import bots, engine, quick, server

README = Path(__file__).parent / "README.md"
MARK = "<!-- figures -->"


def main() -> None:
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()},"
        f" {server.cores()} cores shared by the server, its store and the clients.",
        "",
        "### Rules",
        "",
        "```",
        *(f"{what:24}{figures}" for what, figures in engine.run()),
        "```",
        "",
        "### Server",
        "",
        *server.run(),
        "",
        "### Quick match",
        "",
        *quick.run(),
        "",
        "### Bots",
        "",
        *bots.run(),
    ]
    text = "\n".join(lines)
    print(text)
    before, _, _ = README.read_text().partition(MARK)
    README.write_text(f"{before}{MARK}\n\n{text}\n")


if __name__ == "__main__":
    main()
