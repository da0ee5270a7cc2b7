"""Values of different types with the same contents."""

from tavla_engine.values import Value


def with_same_contents(kind: type[Value]) -> list[Value]:
    """Values of this type, with contents that values of all other types with so many fields have here, too."""
    count = len(kind.__struct_fields__)
    return [kind(*fields) for fields in ((0,) * count, (1,) * count, (0, 1, 2, 3)[:count])]
