"""Sage as a program that tests need."""

import importlib.util

from tests.support.needs import lack


def need_sage() -> None:
    """Where it is missing the test is skipped; in CI it fails."""
    if importlib.util.find_spec("bgsage") is None:
        lack("Sage is not installed: pip install 'tavla[analysis]'")
