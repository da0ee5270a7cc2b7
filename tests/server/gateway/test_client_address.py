"""Whom the limits count a connection for."""

import pytest
from tavla_server.gateway.client_address import whom

ADDRESSES = [  # the socket's, X-Forwarded-For, behind a proxy, whom it counts for
    ("203.0.113.7", None, False, "203.0.113.7"),
    ("127.0.0.1", None, False, ""),
    ("::1", None, True, ""),
    ("::ffff:203.0.113.7", None, False, "203.0.113.7"),
    ("2001:db8:1:2:3:4:5:6", None, False, "2001:db8:1:2::/64"),
    ("127.0.0.1", "198.51.100.9", False, ""),
    ("127.0.0.1", "10.0.0.1, 198.51.100.9", True, "198.51.100.9"),
    ("192.0.2.1", "rubbish", True, "192.0.2.1"),
]


@pytest.mark.parametrize(("address", "forwarded", "behind_proxy", "who"), ADDRESSES)
def test_whom_a_connection_counts_for(address: str, forwarded: str | None, behind_proxy: bool, who: str) -> None:
    assert whom(address, [forwarded] if forwarded else [], behind_proxy) == who
