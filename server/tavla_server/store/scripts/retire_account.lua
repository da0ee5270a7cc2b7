-- A player becomes another one: nobody can come in by it any more, and what it had is gone but for its experience and its
-- counts of matches, which the other one gets. Done again, nothing changes.
--
-- KEYS: the player's merged, hash, tokens, and all else that goes. ARGV: the other one's id.
-- Returns these.

local FIELDS = {'experience', 'void', 'seeded', 'begun', 'left', 'private'}

if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'into', ARGV[1])
  for _, field in ipairs(FIELDS) do
    redis.call('HSET', KEYS[1], field, redis.call('HGET', KEYS[2], field) or 0)
  end
end
redis.call('DEL', unpack(KEYS, 2))
return redis.call('HMGET', KEYS[1], unpack(FIELDS))
