"""Files for new contributors, and what is published: targets, paths, the version, the wheel."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
import tavla_client
import tavla_server

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "ARCHITECTURE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    *(f"clients/{client}/README.md" for client in ("bots", "cli", "gym", "python", "web")),
    *(
        str(page.relative_to(ROOT))
        for folder in ("docs", "deploy", "protocol", "server/tavla_server/features")
        for page in (ROOT / folder).rglob("*.md")
    ),
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HOME = PROJECT["project"]["urls"]["Homepage"]
WORDS = "".join((ROOT / page).read_text() for page in PAGES)
TARGETS = sorted(set(re.findall(r"(?:`|^    )make ([a-z]+)", WORDS, re.MULTILINE)))
FOLDERS = "bench|clients|deploy|docs|engine|protocol|server|tests|training"
SUFFIXES = "conf|html|js|json|lua|md|mjs|py|service|timer|toml|ts|txt|yaml"
MADE = {"cautious.py", "dist/notes.md", "/dice.json", "/etc/systemd/system/tavla.service.d/tls.conf"}  # not ours
FILES = [str(file.relative_to(ROOT)) for folder in FOLDERS.split("|") for file in (ROOT / folder).rglob("*.*")]
FILES = [file for file in FILES if "node_modules" not in file]
FILES += [file.name for file in ROOT.iterdir()]
PAGE = (".html", ".js", ".json", ".png", ".svg", ".webmanifest")  # what a browser is served
REGISTRY = re.compile(r"(?i)\bregistry\b|index-url|https?://[^\s\"]*(simple|packages|npm|debian)\b")
PACKAGES = [ROOT / folder for folder in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]


def make(*words: str) -> str:
    """Output of make: the commands that it would run, or its own text."""
    done = subprocess.run(
        ["make", "--no-print-directory", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_make_has_every_target_that_is_named(target: str) -> None:
    assert make("--dry-run", target, "T=tests")


def test_make_help_tells_every_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert sorted(line.split()[0] for line in make("help").splitlines()) == sorted(phony.split())


def test_every_path_and_file_that_is_named_is_there() -> None:
    for page in PAGES:
        text = (ROOT / page).read_text()
        named = re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text)
        linked = [Path(page).parent / link for link in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
        linked += [Path(path) for path in re.findall(rf"\]\({re.escape(HOME)}/(?:blob|raw)/main/([^)#]+)", text)]
        assert [path for path in [*named, *linked] if not (ROOT / path).exists()] == [], page
        text = re.sub(r"<!-- result: .*?<!-- end -->", "", text, flags=re.DOTALL)  # of its day
        files = set(re.findall(rf"`([\w./-]+\.(?:{SUFFIXES}))`", text)) - MADE
        lacking = [name for name in sorted(files) if not any(f"/{file}".endswith(f"/{name}") for file in FILES)]
        assert lacking == [], page


def test_what_holds_each_invariant_is_there() -> None:
    text = " ".join((ROOT / "ARCHITECTURE.md").read_text().split())
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    linted = PROJECT["tool"]["importlinter"]["contracts"]
    contracts = {contract["name"] for contract in linted}
    invariants = re.split(r" \d+\. \*\*", text.partition("## What must stay true")[2].partition(" ## ")[0])[1:]
    assert len(invariants) >= 20
    for invariant in invariants:
        held = [f"def {name}(" in tests for name in re.findall(r"`(test_\w+)`", invariant)]
        held += [name in contracts for name in re.findall(r'"([^"]+)"', invariant)]
        assert held, f"nothing holds: {invariant}"
        assert all(held), f"not everything is there that holds: {invariant}"


def test_there_is_one_version_and_the_changelog_tells_of_it() -> None:
    assert tavla_client.__version__ == tavla_server.__version__ == version("tavla")
    assert re.search(rf"^## {re.escape(version('tavla'))}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_the_readme_is_short_and_its_links_are_relative() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 650
    assert HOME not in text


def test_the_repository_has_one_address() -> None:
    texts = {name: (ROOT / name).read_text() for name in ("pyproject.toml", "mkdocs.yml")}
    ours = {name: set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", text)) for name, text in texts.items()}
    assert ours == {name: {HOME} for name in texts}


@pytest.mark.slow
def test_the_wheel_has_the_license_and_all_that_the_packages_read(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        links = re.findall(r"\]\(([^)]+)\)", opened.read(metadata).decode())
    assert len(links) > 5
    assert [link for link in links if not link.startswith(HOME)] == [], "an index has no files of ours"
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE", "LICENSE.preact"}
    assert [name for name in names if name.endswith("/sboms/bundled.cdx.json")]
    read = [file for folder in PACKAGES for file in folder.rglob("*.*") if file.suffix not in (".py", ".pyc", ".md")]
    packed = {str(file.relative_to(folder.parent)) for folder in PACKAGES for file in read if folder in file.parents}
    assert {Path(name).suffix for name in packed} == {".typed", ".lua", ".bin", *PAGE}
    assert {name for name in packed if name.endswith("/py.typed")} == {f"{folder.name}/py.typed" for folder in PACKAGES}
    assert packed <= names
    assert not [name for name in names if name.endswith(".md")]


def test_what_the_page_bundles_is_listed_with_its_version_and_its_license() -> None:
    web = ROOT / "clients" / "web"
    listed = json.loads((web / "bundled.cdx.json").read_text())["components"]
    bundled = json.loads((web / "package.json").read_text())["dependencies"]
    assert {(one["name"], one["version"], one["purl"]) for one in listed} == {
        (name, version, f"pkg:npm/{name}@{version}") for name, version in bundled.items()
    }
    for name in bundled:
        assert "Permission is hereby granted" in (web / f"LICENSE.{name}").read_text()


@pytest.mark.parametrize(
    "file", ["pyproject.toml", "Makefile", ".ci/run", ".ci/bare", ".ci/release", ".pre-commit-config.yaml"]
)
def test_no_file_says_where_packages_come_from(file: str) -> None:
    assert not REGISTRY.search((ROOT / file).read_text())
