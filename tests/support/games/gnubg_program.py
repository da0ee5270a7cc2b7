"""GNU Backgammon as a program that tests need."""

from tavla_bots.gnubg_process import gnubg_path

from tests.support.needs import need


def gnubg_program() -> str:
    """Path of the program. Where it is missing the test is skipped; in CI it fails."""
    return need(gnubg_path(), "gnubg", "GNU Backgammon")
