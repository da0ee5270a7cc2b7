-- Count one more try.
--
-- KEYS: the counter. ARGV: how many times; within how many seconds from the first one on.
-- Returns the seconds to wait, 0 if there is none.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
if count <= tonumber(ARGV[1]) then return 0 end
return math.max(1, redis.call('TTL', KEYS[1]))
