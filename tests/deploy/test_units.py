"""The units of systemd: what a program that is broken into could do on the machine."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.servers.balancers import find_program

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
EXPOSED_MOST = 1.5  # of 10, in the words of systemd: "OK"


def exposure(unit: Path) -> float:
    """The exposure of a unit, by systemd's own table."""
    program = need(find_program("systemd-analyze"), "systemd-analyze")
    command = [program, "security", "--offline=true", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (level,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    return float(level)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_can_do_little_beside_its_work(unit: Path) -> None:
    assert exposure(unit) <= EXPOSED_MOST


def test_the_backup_of_root_is_as_confined_as_the_server() -> None:
    assert exposure(DEPLOY / "tavla-backup.service") <= exposure(DEPLOY / "tavla.service")
