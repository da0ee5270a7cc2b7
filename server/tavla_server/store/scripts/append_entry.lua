-- Append entry n to a match's journal, if it is the next one. Entries are only ever added here, so a stream of length
-- n - 1 ends with entry n - 1: XLEN is the cheapest way to see both an entry that is there already and a gap left by a
-- store that lost its tail. Other nodes that follow the match are told in the same step; alone, a node publishes nothing.
--
-- KEYS: the match's log, its nodes, its channel. ARGV: n, the entry, this node.
-- Returns 1, or 0 if it is not the next one.

if redis.call('XLEN', KEYS[1]) ~= ARGV[1] - 1 then return 0 end
redis.call('XADD', KEYS[1], ARGV[1] .. '-0', 'e', ARGV[2])
if redis.call('HLEN', KEYS[2]) > redis.call('HEXISTS', KEYS[2], ARGV[3]) then
    redis.call('SPUBLISH', KEYS[3], 'e' .. ARGV[1] .. ' ' .. ARGV[2])
end
return 1
