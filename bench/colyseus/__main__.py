"""`python -m bench.colyseus PORT`: the server, in Node. What it needs comes from npm on first use."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
INSTALLED = HERE / "node_modules" / ".package-lock.json"  # npm writes it last
INSTALL = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]


def main() -> None:
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < (HERE / "package.json").stat().st_mtime:
        subprocess.run(INSTALL, cwd=HERE, check=True, stdout=sys.stderr)
        INSTALLED.touch()
    os.execvp("node", ["node", str(HERE / "server.js"), sys.argv[1]])


if __name__ == "__main__":
    main()
