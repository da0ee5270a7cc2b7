-- A guest is called otherwise.
--
-- KEYS: the player's hash. ARGV: the name.
-- Returns 1; 0 if the guest is not there or has an account.

if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'password') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[1])
return 1
