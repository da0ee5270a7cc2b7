"""Client that the limits count a connection for."""

import pytest
from tavla_server.gateway.client_address import whom

from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

ADDRESSES = [  # the socket's, X-Forwarded-For, behind a proxy, whom it counts for
    ("203.0.113.7", None, False, "203.0.113.7"),
    (" 203.0.113.7 ", None, False, "203.0.113.7"),  # as an operator has copied it
    ("203.0.113.07", None, True, ""),
    ("127.0.0.1", None, False, ""),
    ("::1", None, True, ""),
    ("::ffff:203.0.113.7", None, False, "203.0.113.7"),
    ("2001:db8:1:2:3:4:5:6", None, False, "2001:db8:1:2::/64"),
    ("127.0.0.1", "198.51.100.9", False, ""),
    ("127.0.0.1", "10.0.0.1, 198.51.100.9", True, "198.51.100.9"),
    ("192.0.2.1", "198.51.100.9:4711", True, "198.51.100.9"),
    ("192.0.2.1", "10.0.0.1, [2001:db8:1:2::9]:4711", True, "2001:db8:1:2::/64"),
    ("192.0.2.1", "[2001:db8:1:2::9]", True, "2001:db8:1:2::/64"),
    ("192.0.2.1", "2001:db8:1:2::9", True, "2001:db8:1:2::/64"),
    ("192.0.2.1", "::ffff:198.51.100.9", True, "198.51.100.9"),
    ("192.0.2.1", "127.0.0.1:80", True, ""),
    ("127.0.0.1", "unknown", True, "unknown"),
    ("127.0.0.1", "198.51.100.9, unknown", True, "unknown"),
    ("127.0.0.1", "rubbish", True, "unknown"),
    ("127.0.0.1", "_hidden:port", True, "unknown"),
]


@pytest.mark.parametrize(("address", "forwarded", "behind_proxy", "who"), ADDRESSES)
def test_whom_a_connection_counts_for(address: str, forwarded: str | None, behind_proxy: bool, who: str) -> None:
    assert whom(address, [forwarded] if forwarded else [], behind_proxy) == who


async def test_a_proxy_that_we_were_not_told_of_is_named_in_the_log(
    valkey: Valkey, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = {"X-Forwarded-For": "203.0.113.9"}
    async with inside(valkey.url) as url:
        async with Player(url):
            assert "proxy_not_declared" not in capsys.readouterr().out
        for expected in (1, 0):
            async with Player(url, headers=headers):
                assert capsys.readouterr().out.count("proxy_not_declared") == expected, "once is enough"
    async with inside(valkey.url, behind_proxy=True) as url, Player(url, headers=headers):
        assert "proxy_not_declared" not in capsys.readouterr().out
