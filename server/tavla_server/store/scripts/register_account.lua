-- A guest becomes an account.
--
-- KEYS: the player's hash, the tokens, those whom the player ignores. ARGV: the password's hash, the first rating.
-- Returns 1; 0 if the guest is not there or has an account.

if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HSETNX', KEYS[1], 'password', ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'rating', ARGV[2], 'experience', 0)
if redis.call('HGET', KEYS[1], 'kind') == 'guest' then redis.call('HSET', KEYS[1], 'kind', 'account') end
redis.call('PERSIST', KEYS[1])
redis.call('PERSIST', KEYS[2])
redis.call('PERSIST', KEYS[3])
return 1
