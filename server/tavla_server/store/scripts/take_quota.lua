-- Count one more try. One that is too many is refused, and not counted.
--
-- KEYS: the counter. ARGV: how many times; within how many seconds from the first one on.
-- Returns the seconds to wait, 0 if there is none.

local count = tonumber(redis.call('GET', KEYS[1]) or 0)
if count >= tonumber(ARGV[1]) then return math.max(1, redis.call('TTL', KEYS[1])) end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 0
