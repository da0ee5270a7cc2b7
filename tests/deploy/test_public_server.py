"""The commands that set up a public server, run as they stand, in a folder in the place of / and without root."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from tavla_server.process.cli import main

from tests.support.servers.balancers import Caddy, need_program
from tests.support.servers.processes import ServerProcess, script
from tests.support.servers.valkey import folder_in_memory

ROOT = Path(__file__).parents[2]
CHAPTER = (ROOT / "deploy" / "install.md").read_text().partition("## From nothing to a public server\n")[2]
COMMANDS = CHAPTER.partition("(with your name")[0]
BACKUP = (ROOT / "deploy" / "operate.md").read_text().partition("## Backup and restore\n")[2].partition("### ")[0]
OTHERS = (
    "apt-get",
    "systemctl",
    "python3",
    "pip",
)  # programs that change the machine: here they say that they were run


def commands(folder: Path, text: str = COMMANDS) -> str:
    """The commands of a text, for a shell; what begins at / begins in the folder."""
    lines = "\n".join(re.findall(r"^    (.+)$", text, re.MULTILINE))
    return re.sub(r"(?<![\w.^])/(?=(?:etc|opt|var)/)", f"{folder}/", lines)


def stubs(folder: Path) -> dict[str, str]:
    """Programs that only tell how they were called, in a PATH before all others; sudo runs what it is given."""
    programs, told = folder / "programs", folder / "told"
    for place in (programs, folder / "opt/tavla/bin", folder / "etc/systemd/system", folder / "etc/caddy"):
        place.mkdir(parents=True)
    for name in OTHERS:
        place = folder / "opt/tavla/bin" if name == "pip" else programs
        (place / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{told}\n')
        (place / name).chmod(0o755)
    (programs / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (programs / "sudo").chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}


def test_the_commands_make_the_files_that_are_needed(tmp_path: Path) -> None:
    env = stubs(tmp_path)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands(tmp_path)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = (tmp_path / "told").read_text().splitlines()
    assert [line.partition(" ")[0] for line in told] == ["apt-get", "python3", "pip", *["systemctl"] * 3]
    units = {file.name for file in (tmp_path / "etc/systemd/system").iterdir()}
    (enabled,) = re.findall(r"enable --now (.+)", "\n".join(told))
    for unit in enabled.split():
        assert (unit if "." in unit else f"{unit}.service") in units
    assert "tavla-backup.service" in units
    variables = {f"TAVLA_{option.name}".upper() for option in main.params}
    given = dict(line.split("=") for line in (tmp_path / "etc/tavla.env").read_text().splitlines())
    assert given.keys() <= variables
    assert given == {"TAVLA_HOST": "127.0.0.1", "TAVLA_BEHIND_PROXY": "true", "TAVLA_HOST_NAME": "play.example"}


def test_caddy_takes_the_file_that_the_commands_make(tmp_path: Path) -> None:
    env = stubs(tmp_path)
    (line,) = (line for line in commands(tmp_path).splitlines() if "Caddyfile" in line)
    subprocess.run(["bash", "-c", f"NAME=tavla.test\n{line}"], cwd=ROOT, env=env, capture_output=True, check=True)
    made = tmp_path / "etc/caddy/Caddyfile"
    assert re.findall(r"^(\S+) \{$", made.read_text(), re.MULTILINE) == ["tavla.test"]
    command = [need_program(Caddy.name), "adapt", "--config", str(made), "--adapter", "caddyfile"]
    done = subprocess.run(command, env={**env, "HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert "127.0.0.1:8765" in done.stdout


@pytest.mark.slow
def test_a_backup_is_made_and_brought_back_by_the_lines_of_the_page() -> None:
    """An operator is another user than root, and has no program of ours in the PATH: each line says so."""
    with folder_in_memory() as folder:
        env, data = stubs(folder), folder / "var/lib/private/tavla"
        (folder / "opt/tavla/bin/tavla-server").symlink_to(script("tavla-server")[0])
        (folder / "var/backups").mkdir(parents=True)
        server = ServerProcess(data)
        server.start()
        assert server.stop() == 0
        lines = commands(folder, BACKUP)
        assert [line for line in lines.splitlines() if not line.startswith("sudo ")] == []
        lines = lines.replace("$(date +%F-%H%M)", "2026-11-22-0300")
        env["PATH"] = f"{folder}/programs:/usr/bin:/bin"
        run = ["bash", "-euo", "pipefail", "-c", lines]
        done = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
        assert (folder / "told").read_text().splitlines() == ["systemctl stop tavla", "systemctl start tavla"]
        broken = {file.name for file in data.with_name("tavla-broken").iterdir()}
        assert {"appendonlydir"} < {file.name for file in data.iterdir()} <= broken
