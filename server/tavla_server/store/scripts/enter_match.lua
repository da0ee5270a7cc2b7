-- A node follows a match from now on, or has changed there, or follows it no longer; the others are told.
--
-- KEYS: the match's nodes, its channel, its journal. ARGV: the node; its presence as match/wire.py has it, "" = it
-- leaves; when all expires, in s.
-- Returns how many entries there are, and all nodes with their presence.

if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
local others = redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], ARGV[1])
if others > 0 then redis.call('SPUBLISH', KEYS[2], 'n' .. ARGV[1] .. ' ' .. ARGV[2]) end
return {redis.call('XLEN', KEYS[3]), redis.call('HGETALL', KEYS[1])}
