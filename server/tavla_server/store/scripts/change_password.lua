-- Another password; all tokens go but one.
--
-- KEYS: the player's hash, the tokens. ARGV: the old password's hash, the new one's; the hash of the token that stays.
-- Returns 1; 0 if the old password is another.

if redis.call('HGET', KEYS[1], 'password') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'password', ARGV[2])
local expires = redis.call('ZSCORE', KEYS[2], ARGV[3])
redis.call('DEL', KEYS[2])
if expires then redis.call('ZADD', KEYS[2], expires, ARGV[3]) end
return 1
