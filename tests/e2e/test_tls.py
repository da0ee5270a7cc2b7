"""TLS between servers and store. The embedded Valkey has none: our proxy speaks it for one, with real certificates."""

import asyncio
import random
import ssl

import pytest
from tavla_protocol import messages as m

from tests.support.patience import PAUSE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.processes import NewServer, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.wire.certificates import Authority
from tests.support.wire.proxy import Proxy

HERE = "IP:127.0.0.1"
# What is asked for by what options, and why it is refused. {ours}: the options for the store's authority, {theirs}: for
# another one; {ca}: the file of the store's authority.
REFUSED = [
    ("rediss", "", "certificate verify failed"),
    ("rediss", "?{theirs}", "certificate verify failed"),
    ("rediss", "?ssl_ca_certs={ca}", "Redis closed the connection"),  # it wants a certificate, too
    ("rediss", "?ssl_ca_certs={ca}.none", "No such file or directory"),
    ("rediss", "?{ours}&ssl_ca_cert=x", "there is no option ssl_ca_cert"),
    ("rediss", "?{ours}&ssl_cert_reqs=maybe", "maybe"),
    ("redis", "?{ours}", "the options ssl_... are for rediss://"),
    ("redis", "", "Redis closed the connection"),
]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="module")
def listening(authority: Authority) -> ssl.SSLContext:
    return authority.listening(HERE)


async def test_a_match_on_two_servers(
    authority: Authority, listening: ssl.SSLContext, valkey: Valkey, new_server: NewServer, rng: random.Random
) -> None:
    async with Proxy.to_port(valkey.port, listening) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}?{authority.calling()}"
        one, two = (new_server("--redis", url) for _ in range(2))
        for server in (one, two):
            await asyncio.to_thread(server.start)
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black)
            proxy.reset()
            for player in (white, black):
                seq = player.matches[match].seq
                while isinstance(await player.act(m.Auto, match, what="play", on=True), m.Error):  # noqa: ASYNC110
                    await asyncio.sleep(PAUSE_S)
                await asyncio.gather(white.reach(match, seq + 1), black.reach(match, seq + 1))
            await asyncio.gather(white.play(match, rng), black.play(match, rng))
            assert white.matches[match].view == black.matches[match].view
            assert white.matches[match].view.phase == "over"
        for server in (one, two):
            assert await asyncio.to_thread(server.stop) == 0
            assert_no_fault(server)


@pytest.mark.parametrize(("scheme", "options", "why"), REFUSED)
async def test_who_is_not_trusted_is_not_used(
    scheme: str,
    options: str,
    why: str,
    authority: Authority,
    listening: ssl.SSLContext,
    valkey: Valkey,
    new_server: NewServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    theirs = Authority(tmp_path_factory.mktemp("theirs")).calling()
    options = options.format(ours=authority.calling(), theirs=theirs, ca=authority.file)
    async with Proxy.to_port(valkey.port, listening) as proxy:
        server = new_server("--redis", f"{scheme}://127.0.0.1:{proxy.port}{options}")
        assert why in await asyncio.to_thread(fails_to_start, server)
        assert proxy.up_bytes == 0


async def test_a_certificate_is_for_one_host(authority: Authority, valkey: Valkey, new_server: NewServer) -> None:
    async with Proxy.to_port(valkey.port, authority.listening("DNS:redis.example")) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}?{authority.calling()}"
        said = await asyncio.to_thread(fails_to_start, new_server("--redis", url))
        assert "IP address mismatch" in said
        await asyncio.to_thread(new_server("--redis", f"{url}&ssl_check_hostname=false").start)


def test_what_has_no_tls_is_not_used_without(authority: Authority, valkey: Valkey, new_server: NewServer) -> None:
    url = valkey.tcp_url.replace("redis://", "rediss://")
    assert "no answer" in fails_to_start(new_server("--redis", f"{url}?{authority.calling()}"))
