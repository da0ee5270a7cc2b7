"""Rows by key in as little memory as they can be kept in and still be found at once."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping

import msgspec

BUCKET = 16  # rows, on average: more take longer to unpack, fewer take more memory

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[bytes]).decode
_ARRAY = b"\xdc"  # of msgpack; its length follows, in two bytes


class PackedRows(Mapping[str, bytes]):
    """A mapping in buckets, each two objects: its keys as a string, `\\0key\\0key\\0`, and its rows, packed.

    Holds the 0.2 KiB for each person online, on every node, of docs/scaling.md, and its part of the 6 KiB of a live
    match in bench/README.md: a dict takes two to three times as much. Buckets are split one by one as
    rows come in (linear hashing), so no change takes long. Rows may come and go while one looks at all of them: one
    that stays is not missed, but may be seen twice. The rows of a player, with keys NODE:PLAYER, are in one bucket.
    """

    def __init__(self) -> None:
        self._keys, self._rows = ["\0"], [b""]
        self._mask = 0
        self._count = 0

    def __getitem__(self, key: str) -> bytes:
        at, place = self._find(key)
        if place < 0:
            raise KeyError(key)
        return self._unpacked(at)[self._keys[at].count("\0", 0, place)]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key)[1] >= 0

    def __iter__(self) -> Iterator[str]:
        for keys in self._keys:
            yield from _split(keys)

    def __len__(self) -> int:
        return self._count

    def items(self) -> ItemsView[str, bytes]:
        """All rows, each bucket unpacked once."""
        return _Items(self)

    def each(self) -> Iterator[tuple[str, bytes]]:
        """All rows with their keys."""
        for at, keys in enumerate(self._keys):
            yield from zip(_split(keys), self._unpacked(at), strict=True)

    def of(self, player: str) -> int:
        """Number of a player's rows."""
        return self._keys[self._bucket(player)].count(f":{player}\0")

    def change(self, key: str, row: bytes | None) -> bytes | None:
        """Change a row; None takes it out. Returns what it was. (No key has a zero in it: such is passed over.)"""
        at, place = self._find(key)
        if place < 0:
            if row is not None and "\0" not in key:
                self._add(at, key, row)
            return None
        keys, rows = self._keys[at], self._unpacked(at)
        index = keys.count("\0", 0, place)
        before = rows[index]
        if row is None:
            del rows[index]
            self._keys[at] = keys[:place] + keys[place + len(key) + 1 :]
            self._count -= 1
        else:
            rows[index] = row
        if row != before:
            self._rows[at] = _pack(rows)
        return before

    def _find(self, key: str) -> tuple[int, int]:
        """A key's bucket, and where it stands in there; -1 = it does not."""
        at = self._bucket(key)
        return at, -1 if "\0" in key else self._keys[at].find(f"\0{key}\0")

    def _bucket(self, key: str) -> int:
        at = hash(key[key.rfind(":") + 1 :]) & self._mask
        return at if at < len(self._keys) else at & (self._mask >> 1)  # one that has not been split yet

    def _unpacked(self, at: int) -> list[bytes]:
        count = self._keys[at].count("\0") - 1
        return _decode(_ARRAY + count.to_bytes(2, "big") + self._rows[at])

    def _add(self, at: int, key: str, row: bytes) -> None:
        self._keys[at] += f"{key}\0"
        self._rows[at] += _encode(row)
        self._count += 1
        if self._count > BUCKET * len(self._keys):
            self._split_next()

    def _split_next(self) -> None:
        """Move the rows that belong to the next new bucket there."""
        new = len(self._keys)
        if new > self._mask:
            self._mask = 2 * self._mask + 1
        old = new & (self._mask >> 1)
        rows = dict(zip(_split(self._keys[old]), self._unpacked(old), strict=True))
        self._keys.append("\0")
        self._rows.append(b"")
        for at in (old, new):
            part = {key: row for key, row in rows.items() if self._bucket(key) == at}
            self._keys[at] = "\0".join(("", *part, ""))
            self._rows[at] = _pack(part.values())


class _Items(ItemsView[str, bytes]):
    _mapping: PackedRows

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return self._mapping.each()


def _pack(rows: Iterable[bytes]) -> bytes:
    return b"".join(map(_encode, rows))


def _split(keys: str) -> list[str]:
    return keys.split("\0")[1:-1]
