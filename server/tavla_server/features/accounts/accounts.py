"""Accounts: players have a name, and tokens with which they return. Guests have no more; accounts have a password.

All keys of a player share a hash tag, so they change together; but for those of the name, see `names`.
"""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, cast

from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Kind

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.features.accounts.names import Names
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.player import Player
from tavla_server.record.rating import START_RATING
from tavla_server.store import keys
from tavla_server.store.client import Client, StoreCommand, text
from tavla_server.timings import DEFAULTS, Timings

GUEST_UNUSED_S = 7 * 24 * 3600  # a guest who stays away longer is forgotten, and the name is free again
ACCOUNT_UNUSED_S = 90 * 24 * 3600  # a token of an account
EXTEND_S = 24 * 3600  # how much of that passes before a token in use gets all of it again
CLOSED_S = 90 * 24 * 3600  # that an account was closed is known so long: no match that it has begun lasts longer
NAME_RESTS_S = 30 * 24 * 3600  # the name of a closed account: so long no other player passes for its owner

TOKEN = re.compile(r"([0-9a-f]{16})\.[A-Za-z0-9_-]{32}")
FIELDS = ("name", "kind", "rating", "experience")


class Tokens:
    """The tokens with which players return, `keys.PLAYER_TOKENS`."""

    def __init__(self, redis: Client, clock: Clock, names: Names) -> None:
        self._redis, self._clock, self._names = redis, clock, names
        self._extend, self._revoke = redis.script("extend_token"), redis.script("revoke_tokens")

    async def resume(
        self, token: str, also: Callable[[str], Sequence[StoreCommand]]
    ) -> tuple[Player, list[Any]] | None:
        """The player with this token, if it is good, and what the store says to some more commands about this id."""
        if (found := TOKEN.fullmatch(token)) is None:
            return None
        id_ = found[1]
        asked: list[StoreCommand] = [("HMGET", keys.PLAYER(id_), *FIELDS), _expiry(id_, token), *also(id_)]
        fields, expires, *more = await self._redis.all_of(asked)
        player = player_of(id_, fields)
        if player is None:
            return None
        # (An account's name may yet have to be kept for good: the node that registered it may have died before that.)
        good = player.rating is None and not self._is_due(player, expires)
        return (player, more) if good or await self.use(player, token) else None

    async def use(self, player: Player, token: str) -> bool:
        """The token is in use: it gets the whole time again. False if it is good no longer."""
        if not await self._names.keep(player, GUEST_UNUSED_S if player.rating is None else 0):
            return False
        args: list[str | int] = [_digest(token), self._clock.now_ms(), GUEST_UNUSED_S, ACCOUNT_UNUSED_S]
        return bool(await self._extend(keys=_keys_of_guest(player.id), args=args))

    async def renew(self, held: Sequence[tuple[Player, str]]) -> list[bool]:
        """The good ones of some tokens in use. After a day of use a token gets its whole lifetime again."""
        expiries = await self._redis.all_of([_expiry(player.id, token) for player, token in held])
        due = [who for who, expires in zip(held, expiries, strict=True) if self._is_due(who[0], expires)]
        # (Together: one after the other, ten thousand who have just come would take longer than a new token lives.)
        good = dict(zip(due, await asyncio.gather(*(self.use(*who) for who in due)), strict=True))
        return [good.get(who, True) for who in held]

    def _is_due(self, player: Player, expires: float | None) -> bool:
        """True if a token is to get the whole time again. Within a day of that it is good, and so is the name."""
        unused_s = GUEST_UNUSED_S if player.rating is None else ACCOUNT_UNUSED_S
        return expires is None or expires < self._clock.now_ms() + 1000 * (unused_s - EXTEND_S)

    async def revoke(self, player: Player, token: str | None) -> None:
        """Revoke a token of an account, or all of them. A guest cannot come back without, so it is forgotten."""
        digest = _digest(token) if token is not None else ""
        if await self._revoke(keys=_keys_of_guest(player.id), args=[digest]):
            await self._names.free(player)


class Heirs:
    """The heirs of players that were merged into an account, `keys.PLAYER_MERGED`."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis

    async def names_of(self, id_: str) -> dict[str, str]:
        """The players that have become this one: their names, by id."""
        return {text(old): text(name) for old, name in (await self._redis.hgetall(keys.PLAYER_NAMES(id_))).items()}

    async def of_token(self, token: str) -> Player | None:
        """The account into which the player of this token was merged, if any."""
        if (found := TOKEN.fullmatch(token)) is None:
            return None
        heir = await self.of(found[1])
        return None if heir is None or heir.id == found[1] else heir

    async def of(self, id_: str) -> Player | None:
        """The player of an id, or the account into which it was merged; None if there is none any more."""
        while (into := await self._redis.hget(keys.PLAYER_MERGED(id_), "into")) is not None:
            id_ = text(into)
        return await read_player(self._redis, id_)

    async def ids_of(self, id_: str) -> set[str]:
        """All ids under which a player is known: its own, and those of players that have become this one."""
        return {id_, *await self.names_of(id_)}


class Accounts:
    """Accounts and guests in the store, `keys.PLAYER`; and their names, their tokens, and who they have become."""

    def __init__(
        self,
        redis: Client,
        clock: Clock,
        passwords: Passwords,
        timings: Timings = DEFAULTS,
        tokens: int = DEFAULT_LIMITS.tokens,
    ) -> None:
        self._fresh_s, self._most = timings.token_fresh_s, tokens
        self._redis, self._clock, self.passwords = redis, clock, passwords
        self._add_guest, self._register = redis.script("add_guest"), redis.script("register_account")
        self.names = Names(redis, timings.token_fresh_s)
        self.tokens, self.heirs = Tokens(redis, clock, self.names), Heirs(redis)
        self._issue, self._change = redis.script("issue_token"), redis.script("change_password")
        self._mark_bot, self._close = redis.script("mark_bot"), redis.script("close_account")
        self._rename = redis.script("rename_guest")

    # --- coming in ---

    async def add_guest(self, name: str, bot: bool) -> tuple[Player, str]:
        """A new player and a token. Raises: Refused for a name that is taken, or looks like one that is."""
        kind: Kind = "bot" if bot else "guest"
        player = Player(secrets.token_hex(8), name, kind)
        await self.names.take(player)
        token = _new_token(player)
        await self._add_guest(
            keys=_keys(player.id), args=[name, kind, _digest(token), self._in_ms(self._fresh_s), self._fresh_s]
        )
        return player, token

    async def log_in(self, name: str, password: str) -> tuple[Player, str] | None:
        """The account and a new token; None if there is no such account or the password is wrong, which look alike.

        Raises: Busy.
        """
        id_ = await self.names.holder(name) or ""
        kept, *fields = await self._redis.hmget(keys.PLAYER(id_), ["password", *FIELDS])
        if not await self.passwords.matches(text(kept) if kept else None, password):
            return None
        player = player_of(id_, fields)
        assert player is not None, "it has a password"
        token = _new_token(player)
        args: list[str | int] = [_digest(token), self._clock.now_ms(), self._in_ms(self._fresh_s), self._most - 1]
        await self._issue(keys=[keys.PLAYER_TOKENS(id_)], args=args)
        return player, token

    # --- who someone is ---

    async def player(self, id_: str) -> Player | None:
        """A player as of now, with kind, rating and experience."""
        return await read_player(self._redis, id_)

    async def find(self, name: str) -> Player | None:
        """A player by name, without regard to case."""
        id_ = await self.names.holder(name)
        return await self.player(id_) if id_ else None

    async def player_of_name(self, name: str) -> Player:
        """The player of this name. Raises: Refused when there is none."""
        if (player := await self.find(name)) is None:
            raise Refused(ErrorCode.NO_SUCH_PLAYER, f"there is no player called {name}")
        return player

    async def mark_bot(self, player: Player) -> Player:
        """From now on the player is known to be a program."""
        await self._mark_bot(keys=[keys.PLAYER(player.id)])
        return player._replace(kind="bot")

    async def rename(self, player: Player, name: str) -> bool:
        """Call a guest otherwise; id, matches and tokens stay. False if it has an account, or is forgotten.

        Raises: Refused for a name that is taken, or looks like one that is.
        """
        renamed = player._replace(name=name)
        is_own = await self.names.holder(name) == player.id
        if not is_own:
            await self.names.take(renamed)
        if not await self._rename(keys=[keys.PLAYER(player.id)], args=[name]):
            if not is_own:
                await self.names.free(renamed)
            return False
        await self.names.keep(renamed, GUEST_UNUSED_S)
        if not is_own:
            await self.names.free(player)
        return True

    # --- accounts ---

    async def register(self, player: Player, password: str) -> bool:
        """Turn a guest into an account; id, matches and tokens stay. False if it is one already, or is forgotten.

        Raises: Busy.
        """
        hash_ = await self.passwords.hash(password)
        await self._redis.zadd(keys.UNPLAYED(), {player.id: self._clock.now_ms()})
        done = await self._register(keys=_keys_of_guest(player.id), args=[hash_, START_RATING])
        if done:
            await self.names.keep(player, 0)
        return bool(done)

    async def has_password(self, player: Player, password: str) -> bool:
        """True if this is the player's password. Raises: Busy."""
        return await self._matching(player, password) is not None

    async def change_password(self, player: Player, token: str, old: str, new: str) -> bool:
        """Replace the password and revoke all other tokens. False if the old one is wrong. Raises: Busy."""
        if (kept := await self._matching(player, old)) is None:
            return False
        hash_ = await self.passwords.hash(new)
        return bool(await self._change(keys=_keys(player.id), args=[kept, hash_, _digest(token)]))

    async def close(self, player: Player, password: str) -> bool:
        """Close an account; its name is free after a while. False if the password is wrong. Raises: Busy."""
        if (kept := await self._matching(player, password)) is None:
            return False
        others = keys.PLAYER_CLOSED, *keys.GO_WITH_PLAYER
        closed = [*_keys(player.id), *(key(player.id) for key in others)]
        if not await self._close(keys=closed, args=[kept, CLOSED_S]):
            return False
        for name in (player.name, *(await self.heirs.names_of(player.id)).values()):
            await self.names.expire(name, player.id, NAME_RESTS_S)
        return True

    async def _matching(self, player: Player, password: str) -> bytes | str | None:
        """The hash of a player's password, if this is the one. Raises: Busy."""
        kept = await self._redis.hget(keys.PLAYER(player.id), "password")
        return kept if await self.passwords.matches(text(kept) if kept else None, password) else None

    def _in_ms(self, seconds: float) -> int:
        return self._clock.now_ms() + int(1000 * seconds)


async def read_player(redis: Client, id_: str) -> Player | None:
    """A player as of now; None if there is none of this id."""
    return player_of(id_, await redis.hmget(keys.PLAYER(id_), FIELDS))


def player_of(id_: str, fields: Sequence[bytes | str | None]) -> Player | None:
    """A player from FIELDS; None if there is none."""
    name, kind, rating, experience = fields
    if name is None:
        return None
    rated = None if rating is None else float(rating)
    return Player(id_, text(name), cast(Kind, text(kind)), rated, int(experience or 0))


def _expiry(id_: str, token: str) -> tuple[str, str, str]:
    """Asks when a token expires, in ms since 1970; None = it is unknown."""
    return "ZSCORE", keys.PLAYER_TOKENS(id_), _digest(token)


def _keys(id_: str) -> list[str]:
    return [keys.PLAYER(id_), keys.PLAYER_TOKENS(id_)]


def _keys_of_guest(id_: str) -> list[str]:
    """The keys that live as long as a guest does."""
    return [*_keys(id_), keys.PLAYER_IGNORED(id_)]


def _new_token(player: Player) -> str:
    """A token begins with its player's id, so that all keys of a player stand in one slot."""
    return f"{player.id}.{secrets.token_urlsafe(24)}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
