-- Keep a name, or a look, for its player. What is kept for good stays so: a connection that still takes an account for a
-- guest does no harm.
--
-- KEYS: the name. ARGV: the player's id; for how many seconds, 0 = for good.
-- Returns 1 if the name is the player's, else 0.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('PERSIST', KEYS[1])
elseif redis.call('TTL', KEYS[1]) >= 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 1
