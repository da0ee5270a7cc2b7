-- File a report, unless another one has come since the open ones were read.
--
-- KEYS: the stream of open reports.
-- ARGV: the id of the newest open one, "" if there was none; the report; the ids of its two players; its network; the
-- report that it replaces, or "".
-- Returns 1, or 0 if they are to be read again.

local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if (newest and newest[1] or '') ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[1], '*', 'r', ARGV[2], 'p', ARGV[3], 'b', ARGV[4])
if ARGV[5] ~= '' then redis.call('XDEL', KEYS[1], ARGV[5]) end
return 1
