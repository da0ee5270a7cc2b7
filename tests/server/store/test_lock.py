"""A lock of the store: one owner at a time, and none takes it from another by being late."""

from tavla_server.store.client import Client
from tavla_server.store.lock import Lock

KEY, HELD_S = "{archive}:sweeping", 60


async def test_a_lock_has_one_owner_who_may_hold_it_longer(own_redis: Client) -> None:
    mine, others = Lock(own_redis, KEY, "ada", HELD_S), Lock(own_redis, KEY, "bob", HELD_S)
    assert await mine.try_lock()
    assert not await others.try_lock()
    await own_redis.expire(KEY, 1)
    assert await mine.try_lock(), "asked again, as by a command whose answer was lost"
    assert await own_redis.ttl(KEY) > 1
    await mine.unlock()
    assert await others.try_lock()


async def test_an_owner_whose_time_is_over_takes_the_lock_from_nobody(own_redis: Client) -> None:
    late, next_ = Lock(own_redis, KEY, "ada", HELD_S), Lock(own_redis, KEY, "bob", HELD_S)
    assert await late.try_lock()
    await own_redis.delete(KEY)  # its time is over
    assert await next_.try_lock()
    await late.unlock()
    assert not await late.try_lock(), "it is still the next one's"
