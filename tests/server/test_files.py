"""Files that are written once are there after a power cut: keys, manifests, tokens, seeds, settings."""

import asyncio
import os
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from tavla_cli.identity import Identities
from tavla_cli.settings import SettingsFile
from tavla_client import Pledges
from tavla_server import files
from tavla_server.commands.backup import _put
from tavla_server.match.seed_keys import read_keys
from tavla_server.store import append_only, snapshot

from tests.support.servers.powercut import Disk


def make_seed_key(home: Path) -> object:
    return read_keys(home / "data" / "seed.key", make=True).marks


def make_manifest(home: Path) -> object:
    folder = home / append_only.FOLDER
    if not folder.exists():
        files.make_folder(folder)
        files.write_whole(folder / "appendonly.aof.1.base.rdb", b"REDIS")
        append_only.write_manifest(home)
    return append_only.has_lost_its_manifest(home), (folder / append_only.MANIFEST).read_text()


def make_restored_folder(home: Path) -> object:
    """As `restore` does it: laid out beside its place, and then put there."""
    if not (home / "data").exists():
        made = home / "made"
        made.mkdir()
        (made / "store.rdb").write_bytes(b"REDIS")
        snapshot.lay_out(made, made / "store.rdb")
        _put(made, home / "data")
    return {
        path.relative_to(home).as_posix(): path.read_bytes() for path in (home / "data").rglob("*") if path.is_file()
    }


def make_token(home: Path) -> object:
    identities = Identities("ws://here", home / "tavla")
    if not identities.token("ada"):
        identities.keep("ada", secrets.token_hex(8))
    return identities.token("ada")


def make_pledge(home: Path) -> object:
    pledges = Pledges(home / "seeds")
    if not pledges.revealed_for("k3v9q2xa"):
        pledge = pledges.find(pledges.make())
        assert pledge is not None
        pledges.bind(pledge, "k3v9q2xa", "terms", 1)
    return pledges.revealed_for("k3v9q2xa")


def make_settings(home: Path) -> object:
    file = SettingsFile(folder=home / "tavla")
    if not file.now.confirm:
        file.switch("confirm", on=True)
    return file.now


@pytest.mark.parametrize(
    "make", [make_seed_key, make_manifest, make_restored_folder, make_token, make_pledge, make_settings]
)
def test_what_was_written_is_there_after_a_power_cut(
    make: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    disk = Disk(monkeypatch)
    before = make(home)
    disk.cut(home)
    assert make(home) == before


def test_the_disk_of_the_tests_loses_what_was_not_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, home = Disk(monkeypatch), tmp_path / "home"
    home.mkdir()
    (home / "named").write_bytes(b"lost")
    files.sync(home)
    (home / "unnamed").write_bytes(b"whole")
    files.sync(home / "unnamed")
    disk.cut(home)
    assert {path.name: path.read_bytes() for path in home.iterdir()} == {"named": b""}


async def test_of_several_that_make_a_file_one_is_first(tmp_path: Path) -> None:
    made = await asyncio.gather(
        *(
            asyncio.to_thread(files.write_whole, tmp_path / "new", bytes([number]), replace=False)
            for number in range(8)
        ),
        return_exceptions=True,
    )
    assert [type(one) for one in made].count(FileExistsError) == 7
    assert os.listdir(tmp_path) == ["new"]
