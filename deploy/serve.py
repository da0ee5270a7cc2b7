"""`make serve`: a server started by hand, and beside it the house bot at its levels, a client like any other."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from tavla_server.process.greeting import greeting

HOUSE = ["beginner", "casual", "club", "strong", "expert", "world-class", "sage"]
PLACES = 20  # for as many matches at the same time, at each level
POLL_S = 0.2


def main(programs: Path, port: int, data: str) -> int:
    """Run both until a signal, or until the server ends; its exit code. programs: the folder in which they are."""
    if answers(port):
        print(f"Port {port} is taken: make serve PORT={port + 1} takes another.")
        return 1
    Path(data).mkdir(mode=0o700, parents=True, exist_ok=True)
    print(f"Starting a server on port {port}, with its matches in {data} ...", flush=True)
    server = subprocess.Popen([programs / "tavla-server", "--port", str(port), "--data", data, "--analysis"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both: the server finishes what is under way
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    bots = start_bots(programs, port, data) if came_up(server, port) else None
    code = server.wait()
    if bots is not None:
        bots.terminate()
        bots.wait()
    return code


def came_up(server: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until the server answers; False if it has ended instead, and has said why."""
    while server.poll() is None:
        if answers(port):
            return True
        time.sleep(POLL_S)
    return False


def answers(port: int) -> bool:
    """True if somebody listens on a port of this machine."""
    try:
        socket.create_connection(("localhost", port), 1).close()
    except OSError:
        return False
    return True


def start_bots(programs: Path, port: int, data: str) -> "subprocess.Popen[bytes]":
    """Start the bots, which write to a log of their own, and tell people who look on."""
    command = [str(programs / "tavla"), "bot", "run", *HOUSE, "--available", "--keep"]
    command += ["--max-concurrent", str(PLACES), "--server", f"ws://localhost:{port}"]
    with Path(data, "bots.log").open("wb") as log:
        bots = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "TAVLA_CONFIG_DIR": f"{data}/bots"})
    if not sys.stderr.isatty():  # a terminal has it from the server itself
        print(greeting("0.0.0.0", port, page=True, program=programs / "tavla-server"))
    print(f"The computer plays, too: what it does stands in {data}/bots.log. Ctrl-C ends both.", flush=True)
    return bots


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
