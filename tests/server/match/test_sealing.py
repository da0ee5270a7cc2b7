"""The server's seeds are sealed wherever they are kept, and opened by those who have the key."""

import asyncio
import stat
from pathlib import Path
from typing import Any, cast

import pytest
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import Refused, StartError
from tavla_server.match.seed_keys import agree, read_keys
from tavla_server.player import Player as Person
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Event, Seated
from tavla_server.record.sealing import Sealer
from tavla_server.record.state import Record, apply_all, decode_record, encode_record
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.keys import MATCH_LOG, MATCH_SNAPSHOT

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player
from tests.support.players.returning import Returning
from tests.support.players.seeds import SEALER, reveal, seated
from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.our_programs import run_program
from tests.support.servers.processes import NewServer, ServerProcess, redis_at
from tests.support.servers.valkey import Valkey

OLD, NEW = bytes(32), bytes(range(32))
SEED = bytes(range(100, 132))


def sealed(sealer: Sealer, match: str = "k3v9q2xa") -> Record:
    """A match as the store has it."""
    events: list[Event] = [Created("sofa", Rules(), SEED), Seated(0, Person("a" * 16, "ada"))]
    sealed_events, _ = sealer.seal(events, apply_all(Record(match), events))
    return apply_all(Record(match), sealed_events)


def test_what_is_sealed_is_opened_with_the_same_key() -> None:
    record = sealed(Sealer([OLD]))
    assert (record.seed, SEED in record.sealed) == (b"", False)
    assert Sealer([OLD]).unseal(record).seed == SEED
    assert sealed(Sealer([OLD])).sealed != record.sealed, "one cannot see that two seeds are the same"


def test_the_first_key_seals_and_all_open() -> None:
    both = Sealer([NEW, OLD])
    assert both.unseal(sealed(Sealer([OLD]))).seed == SEED
    assert Sealer([NEW]).unseal(sealed(both)).seed == SEED
    with pytest.raises(Refused, match="lacks the key"):
        Sealer([OLD]).unseal(sealed(both))


def test_a_seed_opens_in_its_own_match_alone() -> None:
    """A writer to the store cannot give a match the dice of another one."""
    one, other = sealed(Sealer([OLD])), sealed(Sealer([OLD]), "another1")
    forged = Record(one.id, sealed=other.sealed)
    with pytest.raises(Refused):
        Sealer([OLD]).unseal(forged)


def test_a_snapshot_has_no_seed() -> None:
    record = Sealer([OLD]).unseal(sealed(Sealer([OLD])))
    data = encode_record(3, record)
    assert SEED not in data
    assert Sealer([OLD]).unseal(decode_record(data)[1]) == record


async def test_no_seed_is_in_the_store_before_the_match_is_over(server: ServerProcess) -> None:
    async with Player(server.url) as white, Player(server.url) as black:
        match = await seated(white, black)
        for player in (white, black):
            await reveal(player, match)
        redis = redis_at(server.store_url)
        async with asyncio.timeout(PATIENCE_S):
            while not (snapshot := cast(bytes, redis.get(MATCH_SNAPSHOT(match)))):  # it is written soon after
                await white.sync()
        rows: Any = redis.xrange(MATCH_LOG(match))
        entries = [fields[b"e"] for _, fields in rows]
        _, record = decode_record(snapshot)
        seed = SEALER.unseal(record).seed
        assert len(seed) == 32
        kept = [*entries, encode_record(1, record)]
        for secret in (seed, MatchDice().seed(SEALER.unseal(record), 1)):
            assert not [data for data in kept if secret in data or secret.hex().encode() in data]


# --- keys ---


def test_a_key_file_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "seed.key"
    assert read_keys(file, make=True).marks == read_keys(file, make=True).marks
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["seed.key"]


@pytest.mark.parametrize("text", ["# nothing\n", "00", "zz" * 32, "00" * 32 + "\n00"])
def test_a_file_without_keys_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(StartError, match="is no key file"):
        read_keys(tmp_path / "key", make=True)
    with pytest.raises(StartError, match="cannot use the key file"):
        read_keys(tmp_path / "none", make=False)


def test_comments_and_empty_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"# since May\n\n{NEW.hex()}  # the new one\n{OLD.hex()}\n")
    assert read_keys(tmp_path / "key", make=False).marks == Sealer([NEW, OLD]).marks


async def test_nodes_of_one_store_agree_on_a_key(redis: Client) -> None:
    await redis.delete(keys.SEED_KEY())
    try:
        await agree(redis, Sealer([OLD]))
        await agree(redis, Sealer([OLD, NEW]))  # the new key is brought to all nodes first
        with pytest.raises(StartError, match="sealed with another key"):
            await agree(redis, Sealer([NEW]))
        await agree(redis, Sealer([NEW, OLD]))
        await agree(redis, Sealer([OLD, NEW]))
        await agree(redis, Sealer([NEW, OLD]))
        with pytest.raises(StartError, match="sealed with another key"):
            await agree(redis, Sealer([OLD]))
    finally:
        await redis.set(keys.SEED_KEY(), SEALER.marks[0].hex())


# --- servers ---


@pytest.mark.long
def test_a_server_with_another_key_does_not_start(new_server: NewServer, own_valkey: Valkey, tmp_path: Path) -> None:
    new_server("--redis", own_valkey.url, data=tmp_path / "one").start()
    (tmp_path / "other.key").write_text(NEW.hex())
    other = new_server("--redis", own_valkey.url, "--seed-key", str(tmp_path / "other.key"), data=tmp_path / "two")
    said = fails_to_start(other)
    assert "sealed with another key" in said
    assert "give all servers the same --seed-key" in said


@pytest.mark.long
async def test_all_that_a_server_keeps_is_its_owners(new_server: NewServer, tmp_path: Path) -> None:
    """Also what was left to be read by everyone."""
    data = tmp_path / "data"
    (data / "appendonlydir").mkdir(parents=True, mode=0o755)
    (data / "old").write_text("")
    (data / "old").chmod(0o644)
    server = new_server(data=data, env={"TAVLA_SEED_KEY": ""})
    server.start()
    async with at_match(server.url):
        pass
    assert (data / "seed.key").exists()
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    for path in data.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


@pytest.mark.long
async def test_a_server_that_lacks_the_key_of_a_match_does_not_end_it_and_says_so(
    new_server: NewServer, tmp_path: Path
) -> None:
    """A key was taken away too early. What needs no dice waits, too: at the end the seed is shown to everyone."""
    file = tmp_path / "seed.key"
    server = new_server(env={"TAVLA_SEED_KEY": str(file)})
    hold(file, OLD)
    server.start()
    async with Returning(server.url) as white, Returning(server.url) as black:
        match = await new_match(white, black)
        for held in ([NEW, OLD], [NEW]):
            assert server.stop() == 0
            hold(file, *held)
            server.start()
        await black.come_back()
        answer = await black.act(m.Forfeit, match)
        assert isinstance(answer, m.Error), answer
        assert answer.code == ErrorCode.UNAVAILABLE
        assert "lacks the key to this match's dice: nothing has changed, tell the operator" in answer.text
        said = server.wait_for_event("seed_cannot_be_opened")
        assert (said["match"], said["level"]) == (match, "error")
        assert server.stop() == 0
        hold(file, NEW, OLD)
        server.start()
        await asyncio.gather(white.come_back(), black.come_back())
        assert isinstance(await black.act(m.Forfeit, match), m.Ok)
        view = await white.until(match, lambda view: view.phase == "over")
        assert len(view.seed) == 64


def hold(file: Path, *keys_: bytes) -> None:
    """Let a key file have these keys."""
    file.write_text("".join(f"{key.hex()}\n" for key in keys_))


@pytest.mark.long
async def test_an_empty_key_file_is_made_anew_if_no_table_needs_the_old_one(
    new_server: NewServer, tmp_path: Path
) -> None:
    """As a power cut has left it: a key that was never synced."""
    server = new_server(data=tmp_path / "data", env={"TAVLA_SEED_KEY": ""})
    file = server.data / "seed.key"
    server.start()
    server.stop()
    for left in (b"", bytes(65)):
        file.write_bytes(left)
        server.start()
        assert server.wait_for_event("seed_key_renewed")["file"] == str(file)
        async with Returning(server.url) as white, Returning(server.url) as black:
            match = await new_match(white, black)
            assert isinstance(await black.act(m.Forfeit, match), m.Ok)
            await white.until(match, lambda view: view.phase == "over")
        server.stop()


@pytest.mark.long
async def test_an_empty_key_file_that_tables_need_is_told_and_repaired(new_server: NewServer, tmp_path: Path) -> None:
    server = new_server(data=tmp_path / "data", env={"TAVLA_SEED_KEY": ""})
    file = server.data / "seed.key"
    server.start()
    async with at_match(server.url):
        pass
    server.stop()
    file.write_bytes(b"")
    said = fails_to_start(server)
    assert f"{file} is empty, and the dice of 1 tables need the key that was in it" in said
    assert f"run tavla-server repair --data {server.data}" in said
    done = await asyncio.to_thread(run_program, "tavla-server", "repair", "--data", str(server.data))
    assert done.returncode == 0
    assert "has a new key: the 1 tables that were open cannot be played on" in done.stdout
    server.start()
    assert server.stop() == 0
    file.write_bytes(b"")
    with pytest.raises(StartError, match="is empty: put its copy back"):  # on a Redis that others may use, too
        read_keys(file, make=True)
