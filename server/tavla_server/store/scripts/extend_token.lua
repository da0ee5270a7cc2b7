-- A token is in use: it gets the whole time again, and so does all that a guest has.
--
-- KEYS: the player's hash, the tokens, those whom the player ignores.
-- ARGV: the token's hash; now, in ms since 1970; how long it is good for if the player is a guest, and if not, in s.
-- Returns 1, or 0 if the token is good no longer.

local expires = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not expires or tonumber(expires) <= tonumber(ARGV[2]) then return 0 end
local guest = redis.call('HEXISTS', KEYS[1], 'password') == 0
local seconds = guest and ARGV[3] or ARGV[4]
redis.call('ZADD', KEYS[2], ARGV[2] + 1000 * seconds, ARGV[1])
if guest then
  redis.call('EXPIRE', KEYS[1], seconds)
  redis.call('EXPIRE', KEYS[2], seconds)
  redis.call('EXPIRE', KEYS[3], seconds)
end
return 1
