-- A node's heartbeat. Whichever node comes first after a gap writes an outage down, for all of them, and waits for the
-- others. Where the last node was stopped, so that none is left, any time since then is an outage, however short.
--
-- KEYS: the last heartbeat, the outages by their end, each node's last heartbeat.
-- ARGV: now, gap, kept, dead, return, all in ms (see `liveness`, `Timings`); the node.
-- Returns the outages, "start end" each, and the living nodes.

local now, last = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]))
if not last or now > last then redis.call('SET', KEYS[1], ARGV[1]) end
local gap = redis.call('EXISTS', KEYS[3]) == 1 and tonumber(ARGV[2]) or 0
if last and now - last > gap then
  redis.call('ZADD', KEYS[2], now, string.format('%d %d', last, now + ARGV[5]))
  for _, node in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('ZADD', KEYS[3], now, node) end
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZADD', KEYS[3], now, ARGV[6])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[4])
return {redis.call('ZRANGE', KEYS[2], 0, -1), redis.call('ZRANGE', KEYS[3], 0, -1)}
