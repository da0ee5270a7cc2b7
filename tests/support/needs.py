"""Programs that tests need and that this machine may lack."""

import os
from typing import NoReturn

import pytest


def need(program: str | None, package: str, name: str = "") -> str:
    """The program that was found; the test cannot go on without it. name: the program's, else the package's."""
    return program or lack(f"{name or package} is not installed: apt-get install {package}")


def lack(missing: str) -> NoReturn:
    """Skip a test, or fail it under CI, where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)
