-- An account goes that has played nothing, and was not used for long.
--
-- KEYS: the player's hash, the tokens, and what goes with it. ARGV: a token that expires later was used meanwhile, in ms.
-- Returns 1; 0 if it has played, or is no account; else the expiry of its last token, in ms.

if redis.call('HEXISTS', KEYS[1], 'password') == 0 then return 0 end
for _, count in ipairs(redis.call('HMGET', KEYS[1], 'begun', 'seeded', 'private', 'experience')) do
  if count and count ~= '0' then return 0 end
end
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if last and tonumber(last) > tonumber(ARGV[1]) then return tonumber(last) end
redis.call('DEL', unpack(KEYS))
return 1
