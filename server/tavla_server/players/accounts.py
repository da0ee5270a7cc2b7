"""Who is who: players have a name, and tokens that let them come back. Guests have no more; accounts have a password.

All keys of a player share a hash tag, so they change together. The name's key stands elsewhere: it is taken before the
player comes to be and freed after the player has gone, so a process that dies in between leaves a name blocked for a
while, and never one name with two players.
"""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Any, cast

from tavla_protocol.messages import Kind

from tavla_server.cluster.clock import Clock
from tavla_server.errors import NameTaken
from tavla_server.match.rating import START_RATING
from tavla_server.player import Player
from tavla_server.players.passwords import Passwords
from tavla_server.store.client import Client
from tavla_server.store.replies import text

GUEST_UNUSED_S = 7 * 24 * 3600  # a guest who stays away longer is forgotten, and the name is free again
ACCOUNT_UNUSED_S = 90 * 24 * 3600  # a token of an account
EXTEND_S = 24 * 3600  # how much of that passes before a token in use gets all of it again
FRESH_S = 60  # until the first use, so that a welcome that never arrived does not block a name
TOKENS_LIMIT = 20  # of one account; beyond that the one that expires first goes

TOKEN = re.compile(r"([0-9a-f]{16})\.[A-Za-z0-9_-]{32}")
FIELDS = ("name", "kind", "rating", "experience")

# KEYS: player, tokens. ARGV: name, kind; the token's hash, when it expires, in ms; when all expires, in s.
ADD_GUEST = """
redis.call('HSET', KEYS[1], 'name', ARGV[1], 'kind', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
"""
# KEYS: a name. ARGV: a player's id; for how many seconds, 0 = for good. 1 if the name is the player's. What is kept for
# good stays so: a connection that still takes an account for a guest does no harm.
KEEP_NAME = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('PERSIST', KEYS[1])
elseif redis.call('TTL', KEYS[1]) >= 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 1
"""
# KEYS: a name. ARGV: a player's id.
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"

# KEYS: player, tokens. ARGV: the token's hash, now in ms; how long it is good for if the player is a guest, or has an
# account, in s.
EXTEND = """
local expires = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not expires or tonumber(expires) <= tonumber(ARGV[2]) then return 0 end
local guest = redis.call('HEXISTS', KEYS[1], 'password') == 0
local seconds = guest and ARGV[3] or ARGV[4]
redis.call('ZADD', KEYS[2], ARGV[2] + 1000 * seconds, ARGV[1])
if guest then
  redis.call('EXPIRE', KEYS[1], seconds)
  redis.call('EXPIRE', KEYS[2], seconds)
end
return 1
"""
# KEYS: tokens. ARGV: the token's hash, now, when it expires, in ms; how many may stay beside it.
ISSUE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
"""
# KEYS: player, tokens. ARGV: the password's hash, the first rating. 1 if it is done, 0 if the guest is not there or has
# an account.
REGISTER = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HSETNX', KEYS[1], 'password', ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'rating', ARGV[2], 'experience', 0)
if redis.call('HGET', KEYS[1], 'kind') == 'guest' then redis.call('HSET', KEYS[1], 'kind', 'account') end
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
return 1
"""
# KEYS: player, tokens. ARGV: the old password's hash, the new one's, the hash of the token that stays.
CHANGE = """
if redis.call('HGET', KEYS[1], 'password') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'password', ARGV[2])
local expires = redis.call('ZSCORE', KEYS[2], ARGV[3])
redis.call('DEL', KEYS[2])
if expires then redis.call('ZADD', KEYS[2], expires, ARGV[3]) end
return 1
"""
# KEYS: player, tokens. ARGV: a token's hash, or "" for all of them. 1 if it was a guest, who is forgotten.
REVOKE = """
if redis.call('HEXISTS', KEYS[1], 'password') == 0 then
  redis.call('DEL', KEYS[1], KEYS[2])
  return 1
elseif ARGV[1] == '' then
  redis.call('DEL', KEYS[2])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 0
"""
# KEYS: player.
MARK_BOT = "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'kind', 'bot') end"


class Accounts:
    """Players in Redis.

    name:<lower case> -> id; a guest's expires together with the guest
    {p:<id>}:player -> name, kind; of an account also password (its hash), rating and experience
    {p:<id>}:tokens -> the tokens' hashes, by the time when they expire, in ms
    """

    def __init__(self, redis: Client, clock: Clock, passwords: Passwords) -> None:
        self._redis, self._clock, self._passwords = redis, clock, passwords
        scripts = (ADD_GUEST, KEEP_NAME, RELEASE, EXTEND, ISSUE, REGISTER, CHANGE, REVOKE, MARK_BOT)
        self._add_guest, self._keep_name, self._release, self._extend, *rest = map(redis.register_script, scripts)
        self._issue, self._register, self._change, self._revoke, self._mark_bot = rest

    # --- coming in ---

    async def add_guest(self, name: str, bot: bool) -> tuple[Player, str]:
        """A new player and a token.

        Raises: NameTaken, without regard to case.
        """
        kind: Kind = "bot" if bot else "guest"
        player = Player(secrets.token_hex(8), name, kind)
        if not await self._redis.set(_name_key(name), player.id, nx=True, ex=FRESH_S):
            raise NameTaken(name)
        token, keys = _new_token(player), _keys(player.id)
        await self._add_guest(keys=keys, args=[name, kind, _digest(token), self._in_ms(FRESH_S), FRESH_S])
        return player, token

    async def log_in(self, name: str, password: str) -> tuple[Player, str] | None:
        """The account and a new token; None if there is no such account or the password is wrong, which look alike.

        Raises: Busy.
        """
        id_ = await self._id_of(name) or ""
        kept, *fields = await self._redis.hmget(_keys(id_)[0], ["password", *FIELDS])
        if not await self._passwords.matches(text(kept) if kept else None, password):
            return None
        player = _player(id_, fields)
        assert player is not None, "it has a password"
        token = _new_token(player)
        args: list[str | int] = [_digest(token), self._clock.now_ms(), self._in_ms(FRESH_S), TOKENS_LIMIT - 1]
        await self._issue(keys=_keys(id_)[1:], args=args)
        return player, token

    async def resume(self, token: str) -> Player | None:
        """The player with this token, if it is good."""
        found = TOKEN.fullmatch(token)
        player = await self.player(found[1]) if found else None
        return player if player and await self.use(player, token) else None

    async def use(self, player: Player, token: str) -> bool:
        """The token is in use: it gets the whole time again. False if it is good no longer."""
        if not await self._keep_name(keys=[_name_key(player.name)], args=[player.id, _name_s(player)]):
            return False
        args: list[str | int] = [_digest(token), self._clock.now_ms(), GUEST_UNUSED_S, ACCOUNT_UNUSED_S]
        return bool(await self._extend(keys=_keys(player.id), args=args))

    async def renew(self, held: Sequence[tuple[Player, str]]) -> list[bool]:
        """Which of some tokens in use are good. After a day of use, one gets the whole time again."""
        asked = [self._redis.zscore(_keys(player.id)[1], _digest(token)) for player, token in held]
        expiries = await asyncio.gather(*asked)
        good = []
        for (player, token), expires in zip(held, expiries, strict=True):
            unused_s = GUEST_UNUSED_S if player.rating is None else ACCOUNT_UNUSED_S
            due = expires is None or expires < self._in_ms(unused_s - EXTEND_S)
            good.append(await self.use(player, token) if due else True)
        return good

    # --- who someone is ---

    async def player(self, id_: str) -> Player | None:
        """A player as of now, with kind, rating and experience."""
        return _player(id_, await self._redis.hmget(_keys(id_)[0], FIELDS))

    async def find(self, name: str) -> Player | None:
        """A player by name, without regard to case."""
        id_ = await self._id_of(name)
        return await self.player(id_) if id_ else None

    async def mark_bot(self, player: Player) -> Player:
        """From now on the player is known to be a program."""
        await self._mark_bot(keys=_keys(player.id)[:1])
        return player._replace(kind="bot")

    # --- accounts ---

    async def register(self, player: Player, password: str) -> bool:
        """Turn a guest into an account; id, matches and tokens stay. False if it is one already, or is forgotten.

        Raises: Busy.
        """
        hash_ = await self._passwords.hash(password)
        done = await self._register(keys=_keys(player.id), args=[hash_, START_RATING])
        if done:
            await self._keep_name(keys=[_name_key(player.name)], args=[player.id, 0])
        return bool(done)

    async def has_password(self, player: Player, password: str) -> bool:
        """Whether this is the player's password.

        Raises: Busy.
        """
        kept = await self._redis.hget(_keys(player.id)[0], "password")
        return await self._passwords.matches(text(kept) if kept else None, password)

    async def change_password(self, player: Player, token: str, old: str, new: str) -> bool:
        """Replace the password and revoke all other tokens. False if the old one is wrong.

        Raises: Busy.
        """
        keys = _keys(player.id)
        kept = await self._redis.hget(keys[0], "password")
        if kept is None or not await self._passwords.matches(text(kept), old):
            return False
        hash_ = await self._passwords.hash(new)
        return bool(await self._change(keys=keys, args=[kept, hash_, _digest(token)]))

    async def revoke(self, player: Player, token: str | None) -> None:
        """Revoke a token of an account, or all of them. A guest cannot come back without, so it is forgotten."""
        digest = _digest(token) if token is not None else ""
        if await self._revoke(keys=_keys(player.id), args=[digest]):
            await self._release(keys=[_name_key(player.name)], args=[player.id])

    async def _id_of(self, name: str) -> str | None:
        id_ = await self._redis.get(_name_key(name))
        return text(id_) if id_ else None

    def _in_ms(self, seconds: float) -> int:
        return self._clock.now_ms() + int(1000 * seconds)


def _player(id_: str, fields: Sequence[Any]) -> Player | None:
    """A player from FIELDS; None if there is none."""
    name, kind, rating, experience = fields
    if name is None:
        return None
    registered = rating is not None
    return Player(id_, text(name), cast(Kind, text(kind)), float(rating) if registered else None, int(experience or 0))


def _keys(id_: str) -> list[str]:
    return [f"{{p:{id_}}}:player", f"{{p:{id_}}}:tokens"]


def _name_key(name: str) -> str:
    return f"name:{name.lower()}"


def _name_s(player: Player) -> int:
    """How long the name of a player in use is kept, in seconds; 0 = for good."""
    return GUEST_UNUSED_S if player.rating is None else 0


def _new_token(player: Player) -> str:
    """It names its player, so that all that belongs to a player can stand in one place."""
    return f"{player.id}.{secrets.token_urlsafe(24)}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
