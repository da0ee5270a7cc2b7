-- A node's heartbeat. Whichever node comes first after a gap writes an outage down, for all of them, and waits for the
-- others. Where the last node was stopped, so that none is left, any time since then is an outage, however short.
-- Where the clock was set back, what was written down for a time to come is cut off: that time will be played in.
--
-- KEYS: the last heartbeat, the outages by their end, each node's last heartbeat.
-- ARGV: now, gap, kept, dead, return, all in ms (see `liveness`, `Timings`); the node.
-- Returns the outages, "start end" each, and the living nodes, each with its last heartbeat.

local now, last = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]))
redis.call('SET', KEYS[1], ARGV[1])
local gap = redis.call('EXISTS', KEYS[3]) == 1 and tonumber(ARGV[2]) or 0
if last and now - last > gap then
  redis.call('ZADD', KEYS[2], now, string.format('%d %d', last, now + ARGV[5]))
  for _, node in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('ZADD', KEYS[3], now, node) end
elseif last and last - now > tonumber(ARGV[2]) then
  for _, outage in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local start, ends = string.match(outage, '(%d+) (%d+)')
    if tonumber(ends) > now + ARGV[5] then
      redis.call('ZREM', KEYS[2], outage)
      if tonumber(start) < now then redis.call('ZADD', KEYS[2], now, string.format('%s %d', start, now + ARGV[5])) end
    end
  end
  for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. now, 'inf')) do
    redis.call('ZADD', KEYS[3], now, node)
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZADD', KEYS[3], now, ARGV[6])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[4])
return {redis.call('ZRANGE', KEYS[2], 0, -1), redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')}
