"""A server with a certificate of its own: who connects by wss://, and what becomes of all others."""

import asyncio
import contextlib
import gc
import signal
import socket
import ssl
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_server.errors import StartError
from tavla_server.gateway.admission import LOOK_S
from tavla_server.gateway.tls import Agreeing, Certificate
from tavla_server.limits import Limits
from tavla_server.telemetry.metrics import TLS
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, within
from tests.support.players.programs import Machine
from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.processes import NewServer, assert_no_fault, inside
from tests.support.servers.valkey import Valkey
from tests.support.wire.certificates import Authority
from tests.support.wire.raw import handshake, name, request

Loop = asyncio.AbstractEventLoop

HERE = "IP:127.0.0.1"
RELOADED = '"event": "certificate_reloaded"'


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """A certificate authority that clients of this process trust."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    return authority


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def shown(port: int) -> str:
    """The certificate that a new connection is shown."""
    return ssl.get_server_certificate(("127.0.0.1", port), timeout=PATIENCE_S)


def speaks(port: int, newest: ssl.TLSVersion) -> bool:
    """True if a client is served that knows no newer TLS."""
    context = ssl.create_default_context()
    context.set_ciphers("ALL:@SECLEVEL=0")  # else our own side would refuse what is old
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    try:
        with (
            socket.create_connection(("127.0.0.1", port), PATIENCE_S) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
        ):
            return secured.version() == "TLSv1.2"
    except OSError:
        return False


async def ended(of: socket.socket) -> None:
    """Wait until a connection is closed on which nothing has come."""
    assert await within(asyncio.get_running_loop().sock_recv(of, 1)) == b""


async def test_a_new_certificate_is_shown_and_who_plays_plays_on(authority: Authority, valkey: Valkey) -> None:
    file, key = authority.certified(HERE)
    certificate = Certificate(file, key)
    async with inside(valkey.url, certificate=certificate) as url, at_match(url) as (white, black, match):
        before = file.read_text()
        assert await asyncio.to_thread(shown, port_of(url)) == before
        authority.certified(HERE)
        assert await asyncio.to_thread(shown, port_of(url)) == before, "nobody has said so yet"
        certificate.reload()
        after = await asyncio.to_thread(shown, port_of(url))
        assert after == file.read_text() != before
        file.write_text("-----BEGIN CERTIFICATE-----\n")
        with capture_logs() as logs:
            certificate.reload()
        assert [(line["event"], line["log_level"]) for line in logs] == [("certificate_not_reloaded", "error")]
        assert str(file) in logs[0]["error"]
        assert await asyncio.to_thread(shown, port_of(url)) == after, "the old one stays"
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
        await black.reach(match, white.matches[match].seq)
        async with Player(url) as watcher:
            assert isinstance(await watcher.ask(m.Attach, table=match), m.Snapshot)


async def test_what_is_no_tls_is_given_up_and_harms_nobody(authority: Authority, valkey: Valkey) -> None:
    certificate = Certificate(*authority.certified(HERE))
    async with inside(valkey.url, Timings(tls_s=1.0), certificate=certificate) as url, Player(url) as player:
        for begin in (b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", bytes(100)):
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(url))
            writer.write(begin)
            answer = await within(reader.read())
            assert answer == b"" or answer.startswith(b"\x15\x03"), "an alert of TLS"
            writer.close()
        for newest, is_served in ((ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_1, False)):
            assert await asyncio.to_thread(speaks, port_of(url), newest) == is_served
        await player.sync()


async def test_who_connects_is_let_in_though_the_machine_stands_still(
    authority: Authority, valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so at each step, for longer than the step may take."""
    step_s, stood_s = 10 * PATIENCE_S, 0.0
    patient = Timings(tls_s=step_s, handshake_s=step_s, hello_s=step_s)
    time = (loop := asyncio.get_running_loop()).time
    monkeypatch.setattr(loop, "time", lambda: time() + stood_s)
    async with inside(valkey.url, patient, certificate=Certificate(*authority.certified(HERE))) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(url))
        for step in range(3):
            for _ in range(10):
                await asyncio.sleep(0)  # the server begins to wait
            stood_s += 2 * step_s
            match step:
                case 0:
                    await writer.start_tls(ssl.create_default_context(), server_hostname="127.0.0.1")
                case 1:
                    writer.write(handshake())
                    assert b" 101 " in await within(reader.readuntil(b"\r\n\r\n"))
                case 2:
                    writer.write(request("hello", 1, name=name()))
                    await within(reader.readuntil(b"welcome"))
        writer.close()


FEW = Limits(pending=4)


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_who_never_agrees_on_tls_makes_room_for_who_does(
    authority: Authority, valkey: Valkey, new_loop: Callable[[], Loop]
) -> None:
    certificate = Certificate(*authority.certified(HERE))

    async def play() -> None:
        patient = Timings(tls_s=10 * PATIENCE_S)  # whatever ends, that does not end it
        with contextlib.ExitStack() as stack:
            async with inside(valkey.url, patient, FEW, certificate=certificate) as url, Player(url) as white:
                silent = [socket.create_connection(("127.0.0.1", port_of(url))) for _ in range(12)]
                for one in silent:
                    stack.enter_context(one).setblocking(False)
                for one in silent[:8]:
                    await ended(one)
                async with Player(url) as black:
                    match = await new_match(white, black)
                    assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
            for one in silent[8:]:
                await ended(one)  # a server that stops waits for none of them

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(within(play()))


async def test_what_ended_without_tls_takes_no_room_of_who_is_silent(authority: Authority, valkey: Valkey) -> None:
    certificate, context = Certificate(*authority.certified(HERE)), ssl.create_default_context()
    patient = Timings(tls_s=10 * PATIENCE_S, handshake_s=10 * PATIENCE_S)
    async with inside(valkey.url, patient, FEW, certificate=certificate) as url:
        port = port_of(url)
        silent = [await asyncio.open_connection("127.0.0.1", port, ssl=context) for _ in range(FEW.pending - 2)]
        for _ in range(2 * FEW.pending):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"no handshake of TLS\r\n")
            await within(reader.read())
            writer.close()
        await asyncio.sleep(LOOK_S)  # then too many would be cut
        silent += [await asyncio.open_connection("127.0.0.1", port, ssl=context) for _ in range(3)]
        (oldest, _), *others = silent
        assert await within(oldest.read()) == b"", "one is too many"
        for reader, writer in others:
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert (await within(reader.readline())).startswith(b"HTTP/1.1 200")
        for _, writer in silent:
            writer.close()
        gc.collect()
        assert not [one for one in gc.get_objects() if isinstance(one, Agreeing)], "nothing of them is kept"


@pytest.mark.parametrize(("host", "told"), [("play.example", True), ("play.example:8765", True), ("localhost", False)])
async def test_a_browser_is_told_to_come_by_tls_alone(
    authority: Authority, valkey: Valkey, host: str, told: bool
) -> None:
    certificate, context = Certificate(*authority.certified(HERE)), ssl.create_default_context()
    async with inside(valkey.url, certificate=certificate, host_name=("*",)) as url:
        before = dict(TLS.counts)
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(url), ssl=context)
        writer.write(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        answer = await within(reader.readuntil(b"\r\n\r\n"))
        assert (b"\r\nStrict-Transport-Security: max-age=" in answer) is told
        writer.close()
        with pytest.raises(ssl.SSLCertVerificationError):  # as a browser would, of a name that is not the certificate's
            await asyncio.open_connection("127.0.0.1", port_of(url), ssl=context, server_hostname="other.example")
        while TLS.counts["failed"] == before["failed"]:  # noqa: ASYNC110 - it is counted in turns of this loop
            await asyncio.sleep(0)
        assert (TLS.counts["agreed"], TLS.counts["failed"]) == (before["agreed"] + 1, before["failed"] + 1)


async def test_workers_reload_and_the_terminal_client_comes_by_wss(
    authority: Authority, new_server: NewServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, key = authority.certified(HERE)
    server = new_server("--workers", "2", "--tls-cert", str(file), "--tls-key", str(key))
    await asyncio.to_thread(server.start)
    url = server.url.replace("ws:", "wss:")
    async with at_match(url) as (white, black, match):
        authority.certified(HERE)
        server.process.send_signal(signal.SIGHUP)
        await asyncio.to_thread(server.wait_for_line, lambda line: RELOADED in line)
        first = next(number for number, line in enumerate(server.lines) if RELOADED in line)
        await asyncio.to_thread(server.wait_for_line, lambda line: RELOADED in line, PATIENCE_S, first + 1)
        for _ in range(8):  # the kernel deals them out
            assert await asyncio.to_thread(shown, server.port) == file.read_text()
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
        await black.reach(match, white.matches[match].seq)
        machine = Machine(tmp_path / "machine", url)
        looked = await asyncio.to_thread(machine.run, "top")
        assert looked.code == 0, looked
        monkeypatch.delenv("SSL_CERT_FILE")
        looked = await asyncio.to_thread(machine.run, "top")
        assert "cannot be trusted" in looked.errors
    assert_no_fault(server)
    assert await asyncio.to_thread(server.stop) == 0


def test_a_certificate_that_cannot_be_used_is_one_sentence(
    authority: Authority, new_server: NewServer, tmp_path: Path
) -> None:
    file, key = authority.certified(HERE)
    _, other = authority.certified("DNS:other.example")
    for certificate, its_key, why in (
        (tmp_path / "none.pem", key, "No such file"),
        (key, key, "not PEM, or damaged"),
        (file, other, "they do not belong together"),
        (file, authority.locked(key), "locked with a password"),
    ):
        with pytest.raises(StartError, match=why) as told:
            Certificate(certificate, its_key)
        assert str(certificate) in str(told.value)
    said = fails_to_start(new_server("--workers", "2", "--tls-cert", str(file), "--tls-key", str(other)))
    assert said.endswith("they do not belong together")
    assert "give both, or none" in fails_to_start(new_server("--tls-cert", str(file)))
