-- Count one try less.
--
-- KEYS: the counter.

if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('DECR', KEYS[1]) end
