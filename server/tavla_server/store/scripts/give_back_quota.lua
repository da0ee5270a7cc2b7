-- Count one try less.
--
-- KEYS: the counter.

if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
