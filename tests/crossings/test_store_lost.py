"""A store that is lost while the server runs, by why: the log and /readyz say it, and a client is told what is true."""

import asyncio
import contextlib
import time

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode
from tavla_server.errors import StoreRefused
from tavla_server.gateway.tls import Certificate
from tavla_server.store import pubsub
from tavla_server.store.connection import ROLE
from tavla_server.store.pipeline import Pipeline
from tavla_server.store.pubsub import ChannelListener, PubSub
from tavla_server.store.topology import find_topology
from tavla_server.telemetry import certificates
from tavla_server.telemetry.metrics import CERTIFICATES
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings

from tests.support.patience import ask_until, wait_until
from tests.support.players.plain import Player, close_code, refused, within
from tests.support.servers.processes import inside, ready_in_time, redis_at
from tests.support.servers.valkey import Valkey
from tests.support.wire.certificates import Authority
from tests.support.wire.proxy import Proxy

pytestmark = pytest.mark.slow  # most of them wait by the clock


async def until_said(url: str, *said: object) -> None:
    """Wait until /readyz says so."""
    await ask_until(lambda: asyncio.to_thread(ready_in_time, url), lambda found: found == said)


async def test_another_password_is_said_to_be_wanted(own_valkey: Valkey) -> None:
    with contextlib.closing(redis_at(own_valkey.url)) as operator:
        operator.ping()
        async with inside(own_valkey.url) as url:
            with capture_logs() as lines:
                operator.config_set("requirepass", "another")
                operator.client_kill_filter(_type="normal", skipme=True)
                await until_said(url, 503, "redis cannot be used: it wants a password\n")
            assert {line["why"] for line in lines if line["event"] == "store_away"} == {"it wants a password"}
            operator.config_set("requirepass", "")
            await until_said(url, 200, "ready\n")


async def test_a_replica_is_said_to_be_one(own_valkey: Valkey) -> None:
    with contextlib.closing(redis_at(own_valkey.url)) as operator:
        async with inside(own_valkey.url) as url:
            with capture_logs() as lines:
                operator.replicaof("127.0.0.1", 1)
                await until_said(url, 503, "redis cannot be used: it is a replica, and takes no writes\n")
            away = [line["why"] for line in lines if line["event"] == "store_away"]
            assert away == ["it is a replica, and takes no writes"], "once, however often it is tried"
            with pytest.raises(StoreRefused, match="READONLY it is a replica"):
                await Pipeline(own_valkey.tcp_url, [ROLE]).open()
            operator.replicaof("NO", "ONE")
            await until_said(url, 200, "ready\n")


async def test_a_user_that_may_do_nothing_dangerous_is_let_in(own_valkey: Valkey) -> None:
    with contextlib.closing(redis_at(own_valkey.url)) as operator:
        operator.acl_setuser("tavla", enabled=True, nopass=True, keys="*", categories=["+@all", "-@dangerous"])
    pipeline = Pipeline(own_valkey.tcp_url.replace("://", "://tavla:any@"), [ROLE])
    await pipeline.open()
    assert pipeline.connected
    pipeline.close()


LOST = [  # how its address changes; what a server says then
    (("127.0.0.1", "gone.invalid"), "its name is not known"),
    (("://", "://:wrong@"), "it does not take our password"),
]


@pytest.mark.parametrize(("change", "why"), LOST)
async def test_a_store_that_cannot_be_reached_any_more_is_said_to(
    own_valkey: Valkey, change: tuple[str, str], why: str
) -> None:
    pipeline = Pipeline(own_valkey.tcp_url, [])
    await pipeline.open()
    own_valkey.configure("requirepass", "right")
    pipeline._url = own_valkey.tcp_url.replace(*change)
    with capture_logs() as lines:
        assert pipeline._connection is not None, "it is open"
        pipeline._connection.abort()
        await wait_until(lambda: pipeline.why_away)
    assert [line["why"] for line in lines if line["event"] == "store_away"] == [pipeline.why_away] == [why]
    pipeline.close()


SLOWLY = ("--key-load-delay", "100", "--loading-process-events-interval-bytes", "1024")  # us a key


async def fill(valkey: Valkey) -> None:
    """Give a store so many keys that it reads them for a second, when it is started SLOWLY."""
    with contextlib.closing(redis_at(valkey.url)) as operator:
        operator.mset({f"key:{number}": "" for number in range(10_000)})
        operator.bgrewriteaof()  # into a file of which each key is read on its own
        await wait_until(lambda: not operator.info("persistence")["aof_rewrite_in_progress"])


async def test_a_store_that_reads_its_data_after_a_start_is_waited_for(own_valkey: Valkey) -> None:
    await fill(own_valkey)
    pipeline = Pipeline(own_valkey.tcp_url, [b"PING\r\n"])
    await pipeline.open()
    with capture_logs() as lines:
        own_valkey.kill()
        start = asyncio.create_task(asyncio.to_thread(own_valkey.start, *SLOWLY))
        await wait_until(lambda: pipeline.why_away)
        await wait_until(lambda: pipeline.connected)
        await start
    away = [(line["log_level"], line["why"]) for line in lines if line["event"] == "store_away"]
    assert away == [("warning", "it reads its data")], "nothing to do for an operator"
    pipeline.close()


async def test_channels_are_heard_while_a_store_reads_its_data(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pubsub, "RECONNECT_S", 0.01)
    await fill(own_valkey)
    channels, told = PubSub(await find_topology(own_valkey.url), 0.1), asyncio.Queue[bytes]()
    await channels.open()
    channels.subscribe(b"channel", ChannelListener(told.put_nowait, lambda channel, message: None))
    await within(told.get())
    with capture_logs() as lines:
        own_valkey.kill()
        start = asyncio.create_task(asyncio.to_thread(own_valkey.start, *SLOWLY))
        await within(told.get())
        await start
    assert told.empty(), "the connection of the first moment stays: no ping ends it"
    assert [line for line in lines if line["log_level"] == "error"] == []
    await channels.close()


async def test_the_end_of_a_certificate_is_told_before_and_after(
    own_valkey: Valkey, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "_logged", {})
    monkeypatch.setattr(certificates, "ends", {})
    authority = Authority(tmp_path_factory.mktemp("ours"))
    tls = authority.listening("IP:127.0.0.1")
    async with Proxy.to_port(own_valkey.port, tls) as proxy:
        with capture_logs() as lines:
            store = f"rediss://127.0.0.1:{proxy.port}?{authority.calling()}"
            ours = Certificate(*authority.certified("DNS:localhost"))
            async with inside(store) as url:
                near = {line["whose"]: line["in_days"] for line in lines if line["event"] == "certificate_expires"}
                assert near == {"server": 2.0, "store": 2.0}
                ends = (await snapshot())[CERTIFICATES.name]
                assert {whose: round((end - time.time()) / 86_400) for whose, (end,) in ends.items()} == {
                    "server": 2,
                    "store": 2,
                }
                ours.reload()
                assert len([line for line in lines if line["event"] == "certificate_expires"]) == 2, "once a day"
                tls.load_cert_chain(*authority.expired("IP:127.0.0.1"))
                proxy.reset()
                await until_said(
                    url, 503, "redis cannot be used: its certificate is not trusted: certificate has expired\n"
                )


async def test_nobody_who_has_said_hello_is_told_to_say_it(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, Timings(hello_s=3.0)) as url:
        unknown, waiting = Player(url), Player(url)
        await unknown.connect()
        assert refused(await unknown.ask(m.Hello, token="a" * 16 + "-" + "b" * 32)) == "bad_token"
        own_valkey.kill()
        await waiting.connect()
        assert refused(await waiting.ask(m.Hello, name=waiting.name)) == "unavailable"
        assert await close_code(waiting) == CloseCode.FULL
        assert await close_code(unknown) == CloseCode.HELLO_TIMEOUT
        assert unknown.socket.close_reason == "your hello was refused: connect again, with another"
