"""Small files that unpack to hundreds of megabytes, for readers that must not do so."""

import struct
import zlib

BLOCK = 1 << 20
ZLIB, GZIP = 15, 31  # windows with which zlib packs either
LAST = b"\x03\x00"  # an empty block that says so


def bomb(size: int, head: bytes = b"", window: int = ZLIB) -> bytes:
    """`head` and so many mebibytes of zeros: one that is packed, again and again. To pack them all takes a second."""
    zeros = bytes(BLOCK)
    packing = zlib.compressobj(9, wbits=window)
    first = packing.compress(head) + packing.flush(zlib.Z_FULL_FLUSH)
    again = packing.compress(zeros) + packing.flush(zlib.Z_FULL_FLUSH)
    check, total = (zlib.crc32, zlib.crc32(head)) if window == GZIP else (zlib.adler32, zlib.adler32(head))
    for _ in range(size):
        total = check(zeros, total)
    end = struct.pack("<2I", total, len(head) + size * BLOCK) if window == GZIP else struct.pack(">I", total)
    return first + again * size + LAST + end
