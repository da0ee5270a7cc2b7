"""Keys in the store, against `store/keys.py` and the page that describes them."""

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_server.limits import Limits
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to, text
from tavla_server.store.keys import CHANNEL, Key
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import SECRET, registered, until_played
from tests.support.players.challenges import accepted, challenged, know_each_other
from tests.support.players.matches import new_match
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, unique
from tests.support.players.seeds import reveal, seated
from tests.support.players.tournaments import entered
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

ROOT = Path(__file__).parents[3]
PAGE, SERVER = ROOT / "docs" / "keys.md", ROOT / "server" / "tavla_server"
RATED: dict[str, bool | int | str] = {"preset": "tournament", "length": 1, "rated": True}
UNSEEN = {keys.MATCH_CHANNEL, keys.LOBBY_RECONCILING, keys.ARCHIVE_SWEEPING, keys.ARCHIVE_SCANNED, keys.ARCHIVE_CLOSING}
UNSEEN |= {keys.REVIEW_CHANNEL, keys.ENDED, keys.SETTLING, keys.ARCHIVE_SCANNING, keys.ALIVE_GONE}
UNSEEN |= {
    keys.PLAYER_MERGED,
    keys.PLAYER_NAMES,
    keys.ARCHIVE_MERGING,
    keys.ARCHIVE_EXTENT,
    keys.ARCHIVE_COMPARING,
    keys.DAILY_VOTERS,
    keys.PLAYER_PUZZLES,
    keys.PUZZLE_CHANGES,
    keys.DAILY_CHOICES,
}

IMPATIENT = Timings(reveal_s=1.0, lag_ms=100, return_ms=100)

LINES = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
ROWS = {name.strip("`"): (type_, expires, owner, holds) for name, type_, expires, owner, holds in LINES}
Found = dict[str, tuple[str, bool]]  # by key: its type, and whether it expires


def described(name: str) -> Key | None:
    """The line of the table that a key belongs to: the one that says most of its name."""
    fits = [key for key in keys.ALL if key.type != CHANNEL and re.fullmatch(pattern(key), name)]
    return min(fits, key=lambda key: key.name.count("<"), default=None)


@functools.cache
def pattern(key: Key) -> str:
    return re.sub(r"<\w+>", ".+", key.name.replace("{", r"\{").replace("}", r"\}"))


async def stored(redis: Client) -> Found:
    """All keys that are there now."""
    names = [text(raw) async for raw in redis.scan_iter()]
    types, ttls = [await redis.all_of([(command, name) for name in names]) for command in ("TYPE", "TTL")]
    found = zip(names, types, ttls, strict=True)
    return {name: (text(type_), ttl >= 0) for name, type_, ttl in found if ttl != -2}  # which has just gone


def faults(found: Found) -> list[str]:
    """Faults of the keys that were found, against the table."""
    wrong = []
    for name, (type_, expires) in found.items():
        key = described(name)
        told = ROWS[key.name][1] if key is not None else ""
        if key is None:
            wrong.append(f"{name} is not in keys.py")
        elif type_ != key.type:
            wrong.append(f"{name} is a {type_}, not a {key.type}")
        elif told.startswith("after" if not expires else "never"):
            wrong.append(f"{name} expires {told}; found: {'it does' if expires else 'never'}")
    return wrong


Look = Callable[[], Awaitable[None]]


async def evening(url: str, store_url: str, look: Look) -> None:
    """Two people come, and do all that is kept anywhere. look: called whenever something is there for a while only."""
    async with Player(url) as ada, Player(url) as bob, Player(url) as eve:
        await look()
        await know_each_other(await registered(ada), await registered(bob))
        await ada.ask(m.Subscribe, what="chat")
        assert isinstance(await ada.ask(m.Chat, text="good evening"), m.Ok)
        await quick_match(ada, bob, look)
        await void_match(ada, eve)  # who is held back then: in a tournament, too, for 15 s
        await accepted(ada, bob, (await challenged(ada, bob)).challenge)
        table = await ada.get(m.Snapshot, m.Create, rules={"length": 1})
        await look()
        await ada.ask(m.Cancel, match=table.match)
        await ada.get(m.Review, m.StartReview, scene=m.ReviewScene())
        assert isinstance(await ada.ask(m.ShareFile, piece=0, data=b"some moves"), m.Ok)
        await missed(ada, bob, look)
        assert isinstance(await ada.ask(m.Follow, player=bob.name), m.Ok)
        await look()
        await ada.ask(m.Ignore, player=bob.name)
        assert isinstance(await ada.ask(m.Report, player=bob.name, reason="says things"), m.Ok)
        await appointed(bob, store_url)
        assert isinstance(await bob.ask(m.Sanction, player=eve.name, what="mute", reason="says things"), m.Ok)
        await eve.ask(m.Report, player=ada.name, reason="says more")
        waiting = await bob.get(m.Reported, m.Reports, about=ada.name)
        assert isinstance(await bob.ask(m.Resolve, report=next(iter(waiting.rows)), reason="muted"), m.Ok)
        made = await bob.get(m.Organised, m.CreateTournament, name=unique("friday"))
        await look()
        ids = [await entered(player, made.tournament, one * 64) for player, one in ((ada, "a"), (bob, "b"))]
        await ada.find(lambda message: isinstance(message, m.Matched) and message.seek == ids[0])
        await look()
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await look()


async def missed(ada: Player, bob: Player, look: Look) -> None:
    """A match that bob gives up while ada is away from it."""
    match = await new_match(ada, bob)
    await ada.ask(m.Detach, match=match)
    await bob.act(m.Forfeit, match)
    async with asyncio.timeout(PATIENCE_S):
        while match not in await ended(ada):
            await ada.sync()
    await look()


async def ended(player: Player) -> list[str]:
    """The matches that ended while a player was away."""
    async with Player(player.url, token=player.token) as window:
        return next(message for message in window.log if isinstance(message, m.Welcome)).ended


async def void_match(ada: Player, eve: Player) -> None:
    """Eve has promised a seed, and does not reveal it."""
    match = await seated(ada, eve)
    await reveal(ada, match)
    await ada.until(match, lambda view: view.phase == "over")


async def quick_match(ada: Player, bob: Player, look: Look) -> None:
    """A rated match, to its end."""
    await ada.ask(m.Seek, rules=RATED)
    await look()
    await bob.ask(m.Seek, rules=RATED)
    await look()
    match = (await ada.next(m.Matched)).match
    await ada.next(m.Snapshot)
    await bob.next(m.Snapshot)
    await ada.ask(m.Say, match=match, to="players", phrase="hello")
    await ada.until(match, lambda view: view.game > 0)
    await bob.act(m.Forfeit, match)
    await until_played(ada, bob, 1)


@pytest.mark.long
async def test_whatever_stands_in_the_store_is_in_the_table(own_valkey: Valkey) -> None:
    found: Found = {}
    wrong: list[str] = []

    async def look() -> None:
        now = await stored(redis)
        wrong.extend(faults(now))
        found.update(now)

    async with connection_to(own_valkey.url) as redis:
        async with inside(own_valkey.url, IMPATIENT, Limits(opponents=1)) as url:
            await evening(url, own_valkey.url, look)
        async with inside(own_valkey.url, IMPATIENT):  # between the two no node was there: an outage
            await look()
        await look()
    assert wrong == []
    seen = {described(name) for name in found}
    assert [key.name for key in keys.ALL if key not in seen | UNSEEN] == [], "lines of the table that nothing fits"


def test_a_key_that_is_not_as_the_table_says_is_found() -> None:
    found = {"stray": ("string", False), keys.MATCH_LOG("a"): ("list", False), keys.QUEUE_NODE("a"): ("string", False)}
    found |= {
        keys.PLAYER_PLAYED("a"): ("set", True),
        keys.PLAYER("a"): ("hash", True),
        keys.PLAYER("b"): ("hash", False),
    }
    assert [line.partition(" ")[0] for line in faults(found)] == ["stray", "{m:a}:log", "{seek}:node:a", "{p:a}:played"]


def test_the_page_describes_every_key() -> None:
    assert [(name, row[0]) for name, row in ROWS.items()] == [(key.name, key.type) for key in keys.ALL]
    for _, expires, owner, _ in ROWS.values():
        assert expires.startswith(("never", "after ", "of ", "as "))
        assert all((SERVER / f"{module}.py").exists() for module in owner.split(", "))


def test_nobody_else_writes_a_keys_text() -> None:
    beginnings = {re.split("[<}]", key.name)[0] for key in keys.ALL}  # {m:, {lobby, tables:names ...
    sources = [path for path in SERVER.rglob("*.py") if path.name != "keys.py"]
    texts = {path: path.read_text().replace("{{", "{") for path in sources}
    written = re.compile("|".join(f'["`]{re.escape(beginning)}' for beginning in beginnings))
    assert [path.name for path in sources if written.search(texts[path])] == []
