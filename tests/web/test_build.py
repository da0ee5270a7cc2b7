"""The document that is served is what the sources make, and those are what their types say."""

import gzip
from pathlib import Path

from tavla_server.gateway.page import read_document

from tests.support.browser.node import WEB, run_node

LIMIT_BYTES = 64 * 1024  # packed: what a phone on a slow line waits for


def test_the_document_is_what_its_sources_make(tmp_path: Path) -> None:
    made = tmp_path / "page.html"
    run_node("build.mjs", str(made))
    assert made.read_bytes() == read_document(), "run `make web`, and commit clients/web/tavla_web/page.html"
    assert len(gzip.compress(made.read_bytes(), 9)) <= LIMIT_BYTES


def test_the_modules_keep_to_their_types() -> None:
    assert run_node(str(WEB / "node_modules" / "typescript" / "bin" / "tsc"), "--project", "tsconfig.json") == ""


def test_the_packages_are_pinned_and_name_no_registry() -> None:
    package = (WEB / "package.json").read_text("utf-8")
    assert "^" not in package
    assert "://" not in package
    assert not list(WEB.glob("*lock*"))
