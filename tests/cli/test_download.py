"""Files of a server: what it says instead is told, and so is a server that does not answer."""

import asyncio

import pytest
from tavla_cli.download import download
from tavla_client import ClientError


async def test_what_the_server_says_is_told(node: str) -> None:
    with pytest.raises(ClientError, match=r"^there is no such tournament$"):
        await asyncio.to_thread(download, node, "/t/nowhere.mat")


def test_a_server_that_does_not_answer_is_named() -> None:
    with pytest.raises(ClientError, match=r"^cannot read http://localhost:1/t/a\.json: "):
        download("ws://localhost:1", "/t/a.json")
