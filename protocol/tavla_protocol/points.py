"""The counts of a board's points in a diff: those alone that differ, as index, count, index, count, ..."""

from itertools import compress

_number = int.from_bytes  # to look it up costs as much as to call it


def sparse(old: bytes, new: bytes) -> bytes:
    """The counts that differ."""
    changed = bytearray()
    differs = _number(old, "big") ^ _number(new, "big")  # faster than a loop over pairs
    for place in compress(range(len(new)), differs.to_bytes(len(new), "big")):
        changed.append(place)
        changed.append(new[place])
    return bytes(changed)


def dense(points: bytes, changes: object) -> bytes:
    """The counts with those that differ.

    Raises: ValueError for what `sparse` never gives.
    """
    if not isinstance(changes, bytes) or len(changes) % 2:
        raise ValueError("changed points are bytes: index, count, ...")
    counts = bytearray(points)
    for index, count in zip(changes[::2], changes[1::2], strict=True):
        if index >= len(counts):
            raise ValueError(f"there is no point {index}")
        counts[index] = count
    return bytes(counts)
