-- Take a lock that is free, or hold one's own for another while.
--
-- KEYS: the lock. ARGV: its owner, for how many seconds.
-- Returns 1, or 0 if another owner has it.

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
