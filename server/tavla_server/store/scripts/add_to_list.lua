-- A player goes to one of another's two lists: those whom it ignores, and those whom it follows. Nobody is on both.
--
-- KEYS: the list, the other one, the hash of the player whose they are, with which a guest's list expires. ARGV: the player's id, how many a list may have, 1 if this list goes before the other.
-- Returns 1; 0 if the list is full, -1 if the player is on the other list, which goes before.

if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then
  if ARGV[3] ~= '1' and redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return -1 end
  if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
  redis.call('SADD', KEYS[1], ARGV[1])
  local left_ms = redis.call('PTTL', KEYS[3])
  if left_ms > 0 then redis.call('PEXPIRE', KEYS[1], left_ms) end
end
redis.call('SREM', KEYS[2], ARGV[1])
return 1
