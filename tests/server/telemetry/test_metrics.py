"""Metrics: what is counted, what several processes make of it, and what Prometheus gets."""

import asyncio
import contextlib
import re
import threading
import urllib.request
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import CloseCode
from tavla_server.delivery.frames import frame_of
from tavla_server.errors import StartError
from tavla_server.features.archive import archiving
from tavla_server.features.chat.chat import TALK
from tavla_server.gateway.known_hosts import KnownHosts
from tavla_server.process import exporter
from tavla_server.process.exporter import exporting
from tavla_server.telemetry import metrics
from tavla_server.telemetry.metrics import METRICS, Gauge, Snapshot
from tavla_server.telemetry.snapshots import lasting, snapshot, total
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, close_code, refused, within
from tests.support.servers.processes import inside, page
from tests.support.servers.prometheus import promtool
from tests.support.servers.valkey import Valkey
from tests.support.wire.fed import HANDSHAKE
from tests.support.wire.messages import REPLIES, UPDATES
from tests.support.wire.raw import CLOSE, PING


class Growth:
    """Growth of the metrics since a moment."""

    def __init__(self, before: Snapshot, after: Snapshot) -> None:
        self._before, self._after = before, after

    def of(self, metric: metrics.Metric) -> dict[str, float]:
        """By value of the label; what has not grown is left out."""
        before, after = self._before[metric.name], self._after[metric.name]
        return {value: numbers[-1] - before[value][-1] for value, numbers in after.items() if numbers != before[value]}


def received_by(*players: Player) -> Counter[str]:
    """The number of messages that clients have got, by type."""
    return Counter(kind_of(message) for player in players for message in player.log)


def kind_of(message: m.Reply | m.Update) -> str:
    """Its type, as metrics name it."""
    return str(type(message).__struct_config__.tag or "update")


async def until_closed(before: Snapshot, count: int) -> Growth:
    """Wait until so many connections have ended."""
    async with asyncio.timeout(PATIENCE_S):
        while sum((growth := Growth(before, await snapshot())).of(metrics.CLOSES).values()) < count:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0)
    return growth


async def test_a_match_is_counted_message_by_message(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as url:
        before = await snapshot()
        metrics.DELIVERY.due = True
        async with at_match(url) as (white, black, match):
            await white.act(m.Auto, match, what="play", on=True)
            assert refused(await black.act(m.Take, match, seq=0)) == "stale"
            assert refused(await black.ask(m.Join, table="nowhere")) == "no_such_match"
            watcher = Player(url, hello={"watch": True})
            await watcher.open()
            await watcher.ask(m.Attach, table=match)
            await black.reach(match, white.matches[match].seq)
            clients, looks = (white, black, watcher), 0
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    looks += 1
                    for player in clients:
                        await player.sync()
                    growth, sent = Growth(before, during := await snapshot()), received_by(*clients)
                    listed = during[metrics.MATCHES.name]["running"][0] >= 1
                    if listed and growth.of(metrics.SENT) == sent:  # else a heartbeat is on its way, or who watches
                        break
        await watcher.close()
        ended = await until_closed(before, 3)
    assert sent["update"] > 2
    updates = [message for player in clients for message in player.log if isinstance(message, m.Update)]
    assert growth.of(metrics.SENT_BYTES)["update"] == sum(len(frame_of(pack(update))) for update in updates)
    asked = {"hello": 3, "create": 1, "join": 2, "reveal": 2, "auto": 1, "take": 1, "attach": 1, "list": 3 * looks}
    assert growth.of(metrics.RECEIVED) == asked
    assert growth.of(metrics.ACTIONS) == {"ok": 3, "stale": 1}
    assert growth.of(metrics.REFUSALS) == {"no_such_match": 1}
    assert growth.of(metrics.RESPONSES) == {"101": 3}
    assert growth.of(metrics.BEGUN) == {"": 1}
    for times in (metrics.DELIVERY.name, metrics.APPEND.name):
        assert sum(during[times][""][1:]) > sum(before[times][""][1:])
    assert during[metrics.CONNECTIONS.name] == {
        "new": [0], "onlooker": [1], "guest": [2], "account": [0], "bot": [0]
    }  # fmt: skip
    assert during[metrics.SESSIONS.name] == {"": [1]}
    assert ended.of(metrics.CLOSES) == {"1000": 3}


async def test_limits_ends_and_answers_are_counted_and_no_client_makes_a_label(valkey: Valkey) -> None:
    async with inside(valkey.url) as url:
        before = await snapshot()
        async with at_match(url) as (white, black, match):
            for _ in range(int(TALK.burst) + 2):
                answer = await white.ask(m.Say, match=match, to="players", text="hello")
            assert refused(answer) == "too_many"
            await white.socket.send(b"\x82\xa4type\xa6nobody\xa2id\x01")
            await white.next(m.Error)
            await black.socket.send("text")
            assert await close_code(black) == CloseCode.TEXT_FRAME
            await white.socket.close(4999, "a code of my own")
        assert (await asyncio.to_thread(page, url, "/metrics"))[0] == 404
        growth = await until_closed(before, 2)
    assert growth.of(metrics.LIMITS)["say"] >= 1
    assert growth.of(metrics.RECEIVED)["other"] == 1
    assert growth.of(metrics.CLOSES) == {"1003": 1, "other": 1}
    assert growth.of(metrics.RESPONSES) == {"101": 2, "404": 1}
    for metric in METRICS:
        assert set((await snapshot())[metric.name]) <= set(metric.values), metric.name


def test_what_is_sent_is_counted_by_its_type() -> None:
    for message in [*REPLIES, *UPDATES]:
        kind, frame = kind_of(message), frame_of(pack(message))
        before = {kind: (traffic.messages, traffic.bytes) for kind, traffic in metrics.sent.items()}
        metrics.count_sent(frame)
        after = {kind: (traffic.messages, traffic.bytes) for kind, traffic in metrics.sent.items()}
        messages, size = before.pop(kind)
        assert after.pop(kind) == (messages + 1, size + len(frame)), kind
        assert after == before


EACH, SAME = metrics.SESSIONS.name, metrics.NODES.name  # of what each process has some; of what all speak
COUNT, TIMES = metrics.ACTIONS.name, metrics.DELIVERY.name


@pytest.mark.parametrize(
    ("parts", "together", "why"),
    [
        ([], {}, "nobody"),
        ([{EACH: {"": [2.0]}}, {EACH: {"": [3.0]}}], {EACH: {"": [5.0]}}, "each has some"),
        ([{SAME: {"": [2.0]}}, {SAME: {"": [3.0]}}], {SAME: {"": [3.0]}}, "the same"),
        ([{COUNT: {"ok": [1.0]}}, {}], {COUNT: {"ok": [1.0]}}, "one has not answered"),
        ([{COUNT: {"ok": [1.0]}}, {COUNT: {"ok": [1.0], "no": [4.0]}}], {COUNT: {"ok": [2.0], "no": [4.0]}}, "each"),
        ([{TIMES: {"": [0.5, 1.0, 0.0]}}, {TIMES: {"": [0.25, 1.0, 2.0]}}], {TIMES: {"": [0.75, 2.0, 2.0]}}, "all"),
    ],
)  # fmt: skip
def test_several_processes_are_one_server(parts: list[Snapshot], together: Snapshot, why: str) -> None:
    assert total(parts) == together, why


def test_every_limit_is_counted_by_its_own_name() -> None:
    sources = [
        path.read_text() for path in Path(metrics.__file__).parents[1].rglob("*.py") if path.name != "metrics.py"
    ]
    counted = (
        r'(?:Places\([\w., ]+|LIMITS\.add\(|_reject\(|Rate\([\d., ]+|take(?:_from)?\()\s*"([\w-]+)"'
        r'|"(logins-by-\w+)"'
    )
    found = {name or login for source in sources for name, login in re.findall(counted, source)}
    assert found == {*metrics.LIMITS.values} - {metrics.OTHER}


@pytest.mark.parametrize("answer", [b"", b"\x88\x82\0\0\0\0\x03\xe8"], ids=["none", "another code"])
async def test_an_end_is_counted_by_the_code_that_we_gave(valkey: Valkey, answer: bytes) -> None:
    async with inside(valkey.url, Timings(hello_s=0.1, close_s=0.1)) as url:
        before = await snapshot()
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        writer.write(HANDSHAKE.replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Protocol: tavla.v1\r\n\r\n"))
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        while (head := await reader.readexactly(2))[0] == PING:
            await reader.readexactly(head[1])
        assert head[0] == CLOSE
        assert (await reader.readexactly(head[1]))[:2] == CloseCode.HELLO_TIMEOUT.to_bytes(2)
        writer.write(answer)
        await reader.read()
        writer.close()
        growth = await until_closed(before, 1)
    assert growth.of(metrics.CLOSES) == {"4000": 1}


async def test_of_a_process_that_has_ended_the_counts_stay() -> None:
    kept = lasting(await snapshot())
    assert kept.keys() == {metric.name for metric in METRICS if not isinstance(metric, Gauge)}
    assert total([kept]) == kept


async def test_prometheus_gets_every_metric_named_as_it_should_be() -> None:
    metrics.ACTIONS.add("ok")
    metrics.DELIVERY.observe(0.003)
    async with exporting("127.0.0.1", 0, snapshot, KnownHosts()) as port:
        with pytest.raises(StartError, match=f"cannot listen on 127.0.0.1:{port}"):
            async with exporting("127.0.0.1", port, snapshot, KnownHosts()):
                pass
        text = await asyncio.to_thread(scraped, port)
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families.keys() == {metric.name.removesuffix("_total") for metric in METRICS}
    assert all(family.documentation for family in families.values())
    samples = {
        (sample.name, *sample.labels.values()): sample.value for sample in families["tavla_delivery_seconds"].samples
    }
    assert samples["tavla_delivery_seconds_bucket", "+Inf"] == samples["tavla_delivery_seconds_count",] > 0
    assert samples["tavla_delivery_seconds_bucket", "0.005"] > samples["tavla_delivery_seconds_bucket", "0.002"]
    promtool("check", "metrics", text=text)


REQUESTS = [  # of others than Prometheus, and the status
    (b"GET / HTTP/1.1\r\n\r\n", 404),
    (b"PUT /metrics HTTP/1.1\r\n\r\n", 405),
    (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
    (b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
    (b"HEAD /metrics HTTP/1.1\r\n\r\n", 200),
    (b"nonsense\r\n\r\n", 400),
]


async def test_while_the_store_is_away_what_it_alone_knows_is_missing(
    own_valkey: Valkey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiving, "STORE_S", 0.01)
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(own_valkey.url, archive=archive), asyncio.timeout(PATIENCE_S):
        own_valkey.kill()
        while (found := await snapshot())[metrics.RESULTS.name] or found[metrics.BACKLOG.name]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert (found[metrics.ARCHIVE_AWAY.name], found[metrics.WORKERS.name]) == ({"": [0]}, {"": [1]})
        await asyncio.to_thread(own_valkey.start)


async def test_who_says_nothing_keeps_no_server_from_its_end(valkey: Valkey) -> None:
    async with contextlib.AsyncExitStack() as servers:
        url = await servers.enter_async_context(inside(valkey.url))
        port = await servers.enter_async_context(exporting("127.0.0.1", 0, snapshot, KnownHosts()))
        silent = [await asyncio.open_connection("127.0.0.1", at) for at in (port, urlsplit(url).port)]
        for _, writer in silent:
            writer.write(b"GET / HT")
        assert (await asyncio.to_thread(scraped, port)).startswith("# HELP"), "by then they have come"
        await within(servers.aclose())
        for _, writer in silent:
            writer.close()


async def test_the_port_of_metrics_answers_each_and_waits_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many connect and say nothing, or only begin to: no thread is theirs, and Prometheus is answered."""
    monkeypatch.setattr(exporter, "SILENT_LIMIT", 4)
    threads = threading.active_count()
    async with exporting("127.0.0.1", 0, snapshot, KnownHosts()) as port:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
        for _, writer in silent[::2]:
            writer.write(b"GET /metrics HTTP/1.1\r\nX: ")
        assert (await asyncio.to_thread(scraped, port)).startswith("# HELP")
        assert threading.active_count() <= threads + 2, "one asks here, and one makes the text"
        for reader, _ in silent[: -exporter.SILENT_LIMIT]:
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        for _, writer in silent:
            writer.close()
        for request, status in REQUESTS:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 %d " % status), request
            assert request[:4] != b"HEAD" or answer.endswith(b"\r\n\r\n")
            writer.close()


def scraped(port: int) -> str:
    """The metrics that Prometheus would get."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
    return text
