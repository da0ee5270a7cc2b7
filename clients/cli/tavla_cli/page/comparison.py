"""Comparison of the page that a server sends with the one that is installed. Pure, but for a choice of names."""

import random
import string
from collections.abc import Iterator

from tavla_web import addresses

from tavla_cli.page.answer import Answer

SHOWN = 40  # bytes of a difference


def places() -> Iterator[str]:
    """Addresses that show all of the page; those of matches, tables and players by chance, as a browser's are."""
    yield "/"
    for kind in "mtp":
        yield f"/{kind}/{_name()}"
    yield f"/m/{_name()}?review"
    yield f"/tournaments/{_name()}"
    yield from addresses.OTHERS
    yield from addresses.FILES


def _name() -> str:
    return "".join(random.choices(string.ascii_lowercase + "234567", k=8))


def installed_file(path: str) -> tuple[bytes, str, str]:
    """The bytes of an address as they are installed, their kind and their policy. Raises: KeyError."""
    plain = path.partition("?")[0]
    if addresses.is_page(plain):
        body = addresses.read(addresses.PACKAGE, addresses.DOCUMENT)
        return body, addresses.KIND, addresses.policy_of(body, plain)
    kind, package = addresses.FILES[plain]
    return addresses.read(package, plain[1:]), kind, addresses.FILE_POLICY


def difference(path: str, sent: Answer) -> str:
    """Difference of what was sent for an address from what is installed, as part of a sentence; "" = none."""
    body, kind, policy = installed_file(path)
    if sent.status != 200:
        return f"{path} is answered with {sent.status}"
    if sent.body is None:
        return f"{path} is packed in a way that no browser asked for"
    if _spaced(sent.headers.get("Content-Type", "")) != _spaced(kind):
        return f"{path} is said to be {sent.headers.get('Content-Type', 'nothing')!r:.60}"
    came = sent.body
    if kind == addresses.KIND and (usual := addresses.TITLE.search(body)):  # a link's own title
        came = addresses.TITLE.sub(lambda _: usual[0], came, count=1)
    if came != body:
        at = next((place for place, (one, two) in enumerate(zip(came, body, strict=False)) if one != two), None)
        at = min(len(came), len(body)) if at is None else at
        return f"{path} differs from byte {at} on, where {came[at : at + SHOWN]!r} stands"
    if ", ".join(sent.headers.get_all("Content-Security-Policy", [])) != policy:
        return f"{path} comes with another Content-Security-Policy"
    return f"{path} sends browsers on, by a header Refresh" if "Refresh" in sent.headers else ""


def _spaced(kind: str) -> str:
    return kind.lower().replace(" ", "")
