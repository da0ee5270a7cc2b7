-- Count a match for which a seed was due, and that it is void, each once: for a player, or for the whole server.
--
-- KEYS: a hash with the counts, and what is in them, by when it was counted. ARGV: match; now, in ms; 1 if it is void;
-- what was counted before that time, in ms, may be named; 1 if a hash that is missing stays so.
-- Returns the counts void and seeded, how many are new, and some matches counted long ago; nothing if the hash is missing.

if ARGV[5] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return nil end

local function count(field, line)
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[2], line) == 0 then return 0 end
  redis.call('HINCRBY', KEYS[1], field, 1)
  return 1
end

local seeded = count('seeded', ARGV[1])
local void = ARGV[3] == '1' and count('void', ARGV[1] .. ' void') or 0
local left_ms = redis.call('PTTL', KEYS[1]) -- of a guest
if left_ms > 0 then redis.call('PEXPIRE', KEYS[2], left_ms) else redis.call('PERSIST', KEYS[2]) end
local counts = redis.call('HMGET', KEYS[1], 'void', 'seeded')
return {counts[1] or '0', counts[2] or '0', void, seeded,
  redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[4], 'LIMIT', 0, 8)}
