-- Note what a match is counted as, for as long as its journal stays.
--
-- KEYS: the match's log, its counted. ARGV: begun, left or void.
-- Returns 1, or 0 if the match has left the store.

if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
local left_ms = redis.call('PTTL', KEYS[1])
if left_ms > 0 then redis.call('PEXPIRE', KEYS[2], left_ms) end
return 1
