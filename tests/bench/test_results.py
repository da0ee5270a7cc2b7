"""Results are files, and pages show the newest."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import results

NAMES = {file.stem for file in results.RESULTS.glob("*.md")}


@pytest.mark.parametrize("page", results.pages(), ids=lambda page: page.name)
def test_a_page_shows_the_newest_results_and_no_other(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- result: (.+?) -->", text)) <= NAMES
    assert text == results.shown(text), "written by hand: let the command write it"


def test_what_is_printed_is_kept_and_shown(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- result: some -->\nold\n<!-- end -->\nafter\n")
    program = tmp_path / "some.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\nfrom tests.support import results\n"
        "results.ROOT = results.RESULTS = Path(sys.argv[0]).parent\n"
        "results.pages = lambda: [results.ROOT / 'page.md']\n"
        "with results.recorded('some'):\n    print('    new')\n"
        "with results.recorded('other'):\n    raise SystemExit('of no use')\n"
    )
    done = subprocess.run(
        [sys.executable, str(program), "3"],
        cwd=results.ROOT,
        env={"PYTHONPATH": str(results.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("    new\n", "of no use\n")
    kept = (tmp_path / "some.md").read_text()
    assert re.fullmatch(r"`python -m some 3`, \d{4}-\d\d-\d\d, Python [\d.]+, \w+, \d+ cores\n\n    new\n", kept)
    assert page.read_text() == f"before\n<!-- result: some -->\n{kept}<!-- end -->\nafter\n"
    assert not (tmp_path / "other.md").exists()
