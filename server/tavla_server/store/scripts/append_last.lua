-- Append entry n to a match's journal, as append_entry does, and list the match with those from which something follows
-- for ratings and the archive: whatever dies now, it is found there.
--
-- A match that is there by an entry of the same millisecond is listed with the next one: what is being done for that
-- entry is not to take it off.
--
-- KEYS: the match's log, its nodes, its channel, the list of its slot. ARGV: n, the entry, this node, the time of the
-- entry, the match.
-- Returns 1, or 0 if it is not the next one.

if redis.call('XLEN', KEYS[1]) ~= ARGV[1] - 1 then return 0 end
redis.call('XADD', KEYS[1], ARGV[1] .. '-0', 'e', ARGV[2])
local at, time = redis.call('ZSCORE', KEYS[4], ARGV[5]), tonumber(ARGV[4])
if at and tonumber(at) == time then time = time + 1 end
redis.call('ZADD', KEYS[4], time, ARGV[5])
if redis.call('HLEN', KEYS[2]) > redis.call('HEXISTS', KEYS[2], ARGV[3]) then
    redis.call('SPUBLISH', KEYS[3], 'e' .. ARGV[1] .. ' ' .. ARGV[2])
end
return 1
