"""The served files are those that the sources make, and small."""

import gzip
import re
from pathlib import Path

from tavla_server.features.page.page import kept_page
from tavla_web.addresses import KIND

from tests.support.browser.node import WEB, run_node

LIMIT_BYTES = {  # packed: what a phone on a slow line waits for
    "page.html": 8 * 1024,
    "app.js": 57 * 1024,
    "tr.js": 7 * 1024,
    "review.js": 14 * 1024,  # with what other sites frame, the match of two at one screen, and all that an XGID tells
    "puzzles.js": 4 * 1024,
    "learn.js": 23 * 1024,
    "tournaments.js": 16 * 1024,
    "shared1.js": 17 * 1024,  # of the review and the puzzles
    "shared2.js": 7 * 1024,  # of those and one's collection: what reads and writes a match in a file
    "shared3.js": 3 * 1024 + 512,  # what judges a record, with its words
    "shared4.js": 3 * 1024,
    "shared5.js": 3 * 1024,
    "shared6.js": 1024 + 128,  # matches as rows, with their words
    "shared7.js": 1024,
    "shared8.js": 1024,
    "shared9.js": 1024,
    "shared10.js": 1024,
    "shared11.js": 1024,
    "shared12.js": 1024,
    "hint.js": 1024,
    "help.json": 4 * 1024,
    "evaluator.js": 9 * 1024 + 256,  # with two rolls ahead
    "people.js": 5 * 1024
    + 640,  # with what fair play tells of oneself, what decisions have cost, the best plays, and all its words
    "reasons.js": 1024,
    "calls.js": 2 * 1024,
    "collection.js": 3 * 1024,
    "files.js": 1024,
    "reader.js": 17 * 1024,  # a worker: the readers of other programs' files, with the rules
    "together.js": 4 * 1024 + 640,  # with arrows drawn by hand, and files
    "mat.js": 2 * 1024,
    "judged.js": 4 * 1024,
    "ledger.js": 8 * 1024 + 512,  # with what is refused against the rules
}
FIRST = ("page.html", "app.js")  # what stands between an address and the first match
FIRST_LIMIT_BYTES = 64 * 1024


def test_what_is_served_is_what_its_sources_make(tmp_path: Path) -> None:
    run_node("build.mjs", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == set(LIMIT_BYTES)
    sizes = {}
    for name, limit in LIMIT_BYTES.items():
        made, served = (folder.joinpath(name).read_bytes() for folder in (tmp_path, WEB / "tavla_web"))
        assert made == served, f"run `make web`, and commit clients/web/tavla_web/{name}"
        packed = kept_page(made, KIND, "gzip").body if name.endswith(".html") else gzip.compress(made, 9)
        sizes[name] = len(packed)
        assert sizes[name] <= limit, name
    assert sum(sizes[name] for name in FIRST) <= FIRST_LIMIT_BYTES


def test_the_packages_are_pinned_and_name_no_registry() -> None:
    package = (WEB / "package.json").read_text("utf-8")
    assert "^" not in package
    assert "://" not in package
    assert not list(WEB.glob("*lock*"))


def test_type_has_four_sizes_and_two_weights_beside_the_plain_one() -> None:
    """The root grows with the window; the board and the charts are drawings, whose text has their units."""
    styles = "".join(path.read_text("utf-8") for path in sorted((WEB / "src").rglob("*.css")))
    sizes = set(re.findall(r"font-size: ([^;]+);", styles))
    drawn = {size for size in sizes if re.fullmatch(r"\d+px", size)}
    assert sizes - drawn == {"clamp(100%, 0.55vw + 50%, 137.5%)", "var(--tiny)", "var(--small)", "1rem", "var(--large)"}
    assert set(re.findall(r"font-weight: ([^;]+);", styles)) == {"400", "500", "600"}
    assert styles.count("font-variant-numeric: tabular-nums") == 1, "all figures are as wide as each other"
    assert len(re.findall(r"\bfont:", styles)) == 2, "of the body, and what inherits it"
