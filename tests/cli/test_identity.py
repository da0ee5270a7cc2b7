"""Names and tokens: kept for their user alone, and one name for one window."""

import os
import stat
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from tavla_cli import identity
from tavla_cli.identity import Identities, candidates
from tavla_cli.user_folder import config_dir
from tavla_client import ClientError, Link, Refused
from tavla_protocol import messages as m

from tests.support.servers.scripted import TOKEN, ScriptedServer, scripted

URL = "ws://play.example:8765"


@pytest.fixture
def identities(tmp_path: Path) -> Iterator[Identities]:
    identities = Identities(URL, tmp_path)
    yield identities
    identities.release()


def test_a_token_is_kept_per_server_and_name(identities: Identities, tmp_path: Path) -> None:
    identities.keep("Ada", "secret-1")
    identities.keep("bob", "secret-2")
    identities.keep("bob", "secret-3")
    assert (identities.token("ada"), identities.token("bob"), identities.token("eve")) == ("secret-1", "secret-3", None)
    assert Identities("wss://play.example:8765", tmp_path).token("ada") is None
    identities.forget("bob")
    identities.forget("bob")
    assert identities.known_names() == ["ada"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's own folder for the user by itself")
def test_a_token_is_for_the_users_eyes_only(identities: Identities) -> None:
    identities.keep("ada", "secret")
    assert stat.S_IMODE((identities.folder / "token-ada").stat().st_mode) == 0o600
    assert stat.S_IMODE(identities.folder.stat().st_mode) == 0o700
    assert [path.name for path in identities.folder.iterdir()] == ["token-ada"], "nothing half-written is left"


def test_the_name_used_last_comes_first(identities: Identities) -> None:
    for name in ("ada", "bob", "eve"):
        identities.keep(name, "secret")
        os.utime(identities.folder / f"token-{name}", ns=(0, len(identities.known_names())))
    identities.touch("ada")
    assert identities.known_names() == ["ada", "eve", "bob"]


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAVLA_CONFIG_DIR", str(tmp_path / "mine"))
    assert config_dir() == tmp_path / "mine"
    monkeypatch.delenv("TAVLA_CONFIG_DIR")
    assert config_dir().name == "tavla"


def test_a_name_is_held_by_one_window(identities: Identities, tmp_path: Path) -> None:
    other = Identities(URL, tmp_path)
    assert identities.acquire("ada")
    assert not other.acquire("Ada")
    assert other.acquire("bob")
    identities.release()
    assert other.acquire("ada")
    assert identities.acquire("bob"), "whoever takes another name lets go of the first"
    identities.release()
    other.release()


@pytest.mark.parametrize(
    ("system", "name"),
    [
        ("tom", "tom"),
        ("Tom O'Hara", "Tom-O-Hara"),
        ("josé", "jos"),
        ("x", "guest"),
        ("日本", "guest"),
        ("n" * 40, "n" * 20),
    ],
)
def test_the_systems_name_is_made_a_players(monkeypatch: pytest.MonkeyPatch, system: str, name: str) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: system)
    assert identity.user_name() == name


def test_names_are_tried_until_one_is_free(monkeypatch: pytest.MonkeyPatch, identities: Identities) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "n" * 20)
    identities.keep("bob", "secret")
    names = list(islice(candidates(identities), 20))
    assert names[:3] == ["bob", "n" * 20, "n" * 18 + "2"]
    assert all(identity.NAME.fullmatch(name) for name in names)


# --- signing in ---


def _ignore(_: Link) -> None:
    pass


def _taken(*names: str) -> ScriptedServer:
    """A server at which some names are taken, and whose only token is TOKEN."""
    server = ScriptedServer()

    def answer(hello: m.Hello) -> m.Message:
        if hello.token not in (None, TOKEN):
            return m.Error(id=hello.id, code="bad_token", text="this token is unknown")
        if hello.name in names:
            return m.Error(id=hello.id, code="name_taken", text=f"someone is called {hello.name}")
        return m.Welcome(id=hello.id, player="p", name=hello.name or "ada", token=TOKEN)

    server.answer_hello = answer
    return server


async def _name(
    server: ScriptedServer, identities: Identities, player: str | None = None, returning: bool = False
) -> str | None:
    async with scripted(server=server):
        client = await identity.sign_in(identities, server.url, player, _ignore, returning=returning)
        await client.__aexit__(None, None, None)
        return client.me.name


async def test_a_new_guest_gets_the_first_free_name(monkeypatch: pytest.MonkeyPatch, identities: Identities) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "tom")
    assert await _name(_taken("tom", "tom2"), identities) == "tom3"
    assert identities.token("tom3") == TOKEN


async def test_a_system_user_whose_name_is_reserved_comes_as_a_guest(
    monkeypatch: pytest.MonkeyPatch, identities: Identities
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "admin")
    server = _taken()
    welcome = server.answer_hello

    def answer(hello: m.Hello) -> m.Message:
        if hello.name is not None and hello.name.startswith("admin"):
            return m.Error(id=hello.id, code="name_reserved", text="choose another")
        return welcome(hello)

    server.answer_hello = answer
    name = await _name(server, identities)
    assert name is not None
    assert name.startswith("guest")


async def test_a_second_window_takes_another_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "tom")
    first, second = Identities(URL, tmp_path), Identities(URL, tmp_path)
    assert await _name(_taken(), first) == "tom"
    assert await _name(_taken(), second) == "tom2"
    first.release()
    second.release()


async def test_a_name_that_was_asked_for_is_not_replaced_by_another(identities: Identities) -> None:
    with pytest.raises(Refused, match="someone is called bob; or, if that is you, tavla login bob"):
        await _name(_taken("bob"), identities, "bob")
    assert identities.token("bob") is None


async def test_a_token_that_the_server_forgot_is_thrown_away(identities: Identities) -> None:
    identities.keep("bob", "old")
    assert await _name(_taken(), identities, "bob") == "bob"
    assert identities.token("bob") == TOKEN


async def test_only_someone_with_a_match_comes_back(identities: Identities) -> None:
    with pytest.raises(ClientError, match=r"no match to come back to at [^;]*$"):
        await _name(_taken(), identities, returning=True)
    identities.keep("ada", TOKEN)
    Identities("wss://play.example", identities.folder.parent).keep("ada", TOKEN)
    with pytest.raises(ClientError, match=r"no match to come back to at .*; --server wss://play\.example is where you"):
        await _name(_taken(), identities, returning=True)
    with pytest.raises(Refused, match="you have not been here as bob"):
        await _name(_taken(), identities, "bob", returning=True)


def test_a_token_that_cannot_be_kept_leaves_nothing_half_written(identities: Identities) -> None:
    identities.keep("ada", "secret")
    (identities.folder / "token-bob").mkdir()
    with pytest.raises(OSError, match="token-bob"):
        identities.keep("bob", "secret")
    assert sorted(path.name for path in identities.folder.iterdir()) == ["token-ada", "token-bob"]
