"""What an operator can do, and is refused: `tavla-server admin` without the command line."""

import pytest
from tavla_server.administrator import administrator
from tavla_server.errors import Refused
from tavla_server.options import Options

from tests.support.servers import Valkey, inside


async def test_the_only_node_is_not_drained(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url), administrator(Options(redis=own_valkey.url)) as operator:
        (line,) = await operator.listed("nodes")
        node = line.split()[0]
        with pytest.raises(Refused, match=f"^{node} is the only node: start another one, to which clients can go$"):
            await operator.drain(node, "a new disk")
        with pytest.raises(Refused, match="there is no node nosuch"):
            await operator.drain("nosuch", "a new disk")
        assert await operator.audit(10) == [], "what is refused is no use of a power"
