-- Revoke a token or all. A guest cannot come back without, and is forgotten.
--
-- KEYS: the player's hash, the tokens, those whom the player ignores. ARGV: a token's hash, or "" for all of them.
-- Returns 1 if it was a guest, else 0.

if redis.call('HEXISTS', KEYS[1], 'password') == 0 then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  return 1
elseif ARGV[1] == '' then
  redis.call('DEL', KEYS[2])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 0
