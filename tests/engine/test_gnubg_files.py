"""Files that GNU Backgammon writes, read as it reads them itself."""

from pathlib import Path

import pytest

from tests.support.games.gnubg_files import KINDS, compare
from tests.support.games.gnubg_program import gnubg_program


@pytest.mark.long
@pytest.mark.parametrize("kind", ["match to 3", "hypergammon, money", "set-up position, match to 5"])
def test_gnubg_reads_the_same_in_its_own_files(tmp_path: Path, kind: str) -> None:
    gnubg_program()
    found = list(compare(1, tmp_path, [one for one in KINDS if one.name == kind]))
    assert {one.difference for one in found} == {""}
