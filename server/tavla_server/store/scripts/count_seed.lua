-- Count a match once under each of some headings: for a player, or for the whole server.
--
-- KEYS: a hash with the counts, and what is in them, by when it was counted. ARGV: match; now, in ms; what was counted
-- before that time, in ms, may be named; 1 if a hash that is missing stays so; the headings: seeded, void, begun, left,
-- private.
-- Returns the counts void and seeded, the headings under which it is new, and some matches counted long ago; nothing if
-- the hash is missing.

if ARGV[4] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return nil end

local new = {}
for i = 5, #ARGV do
  local line = ARGV[i] == 'seeded' and ARGV[1] or ARGV[1] .. ' ' .. ARGV[i]
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[2], line) == 1 then
    redis.call('HINCRBY', KEYS[1], ARGV[i], 1)
    new[#new + 1] = ARGV[i]
  end
end
local left_ms = redis.call('PTTL', KEYS[1]) -- of a guest
if left_ms > 0 then redis.call('PEXPIRE', KEYS[2], left_ms) else redis.call('PERSIST', KEYS[2]) end
local counts = redis.call('HMGET', KEYS[1], 'void', 'seeded')
return {counts[1] or '0', counts[2] or '0', new, redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[3], 'LIMIT', 0, 8)}
