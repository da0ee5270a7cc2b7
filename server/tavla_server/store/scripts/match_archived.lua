-- The archive has a match: let it leave the store at a time, and take it off the list; unless it has changed meanwhile.
--
-- KEYS: the list, and all keys of the match. ARGV: the match; the time by which the list has it; when its keys
-- expire, in ms since 1970.
-- Returns 1, or 0 if it was not there, or has changed.

local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
for i = 2, #KEYS do redis.call('PEXPIREAT', KEYS[i], ARGV[3]) end
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
