"""Messages as WebSocket frames: what a server sends is the same for every receiver, so it is framed once."""

from websockets.frames import Frame, Opcode

_SMALL = 126  # bytes: from there on a frame gives its length in another way
_HEADS = [bytes((0x82, size)) for size in range(_SMALL)]  # of a whole binary message, by its length


def frame_of(message: bytes) -> bytes:
    """A message as one frame."""
    try:
        return _HEADS[len(message)] + message
    except IndexError:
        return Frame(Opcode.BINARY, message).serialize(mask=False)
