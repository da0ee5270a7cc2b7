"""The client of the benchmarks reads what a server may send it, however that is cut."""

import pytest

from bench.clients import Socket

SIZES = [*range(1, 131), 255, 256, 65_535, 65_536, 70_000]


@pytest.mark.slow
async def test_messages_of_every_length_arrive_whole_however_they_are_cut() -> None:
    got = list[bytes]()
    sent = [bytes([number % 251]) * size for number, size in enumerate(SIZES)]
    frames = b"".join(_head(len(message)) + message for message in sent)
    for step in (1, 3, 127, 1_000, len(frames)):
        socket = Socket(got.append)
        socket._open = True
        for at in range(0, len(frames), step):
            socket.data_received(frames[at : at + step])
        assert got == sent
        got.clear()


def _head(size: int) -> bytes:
    """RFC 6455, 5.2: an unmasked binary frame."""
    if size < 126:
        return b"\x82%c" % size
    return b"\x82\x7e" + size.to_bytes(2, "big") if size < 2**16 else b"\x82\x7f" + size.to_bytes(8, "big")
