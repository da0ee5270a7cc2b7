-- A player becomes another one: nobody can come in by it any more, and what it had is gone but for its experience, which
-- the other one gets. Done again, nothing changes.
--
-- KEYS: the player's merged, hash, tokens, and all else that goes. ARGV: the other one's id.
-- Returns the experience.

if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'into', ARGV[1], 'experience', redis.call('HGET', KEYS[2], 'experience') or 0)
end
redis.call('DEL', unpack(KEYS, 2))
return redis.call('HGET', KEYS[1], 'experience')
