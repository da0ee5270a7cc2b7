"""Commands of docs/gym.md."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tavla_gym

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gym.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^    python (.+)$", PAGE, re.MULTILINE)
ALONE = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # threads that wait for each other take longer than the sums


def test_the_page_has_them() -> None:
    assert len(PROGRAMS) == 3
    assert COMMANDS == ["clients/gym/examples/learn.py 100"]


def test_without_its_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ModuleNotFoundError, match=r"pettingzoo.*: pip install 'tavla\[gym\]'"):
        importlib.reload(tavla_gym)


@pytest.mark.parametrize("program", PROGRAMS)
def test_its_programs_run_to_the_end_of_an_episode(program: str) -> None:
    names: dict[str, object] = {}
    exec(program.replace("num_envs=1024", "num_envs=64"), names)
    ended = names["ended"]
    assert ended is True or getattr(ended, "shape", None) == (64,)


@pytest.mark.slow
def test_its_example_learns_more_than_nine_in_ten() -> None:
    command = [sys.executable, *COMMANDS[0].split()]
    done = subprocess.run(command, cwd=ROOT, env=ALONE, capture_output=True, text=True, check=True)
    won = re.fullmatch(r"([\d.]+)% of the games won\n", done.stdout)
    assert won, done.stdout
    assert float(won[1]) > 90  # the first legal play each time wins 47 %
