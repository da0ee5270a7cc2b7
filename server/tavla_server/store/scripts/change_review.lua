-- Change a shared review, and tell all nodes that follow it how it is then.
--
-- KEYS: the review, its channel. ARGV: for how long it is kept, in s; how many fields it may have; a field and the value
-- that it must have, '' = it is not to be there; then fields, each with its new value, '' = it goes.
-- Returns why nothing was changed ('' = it was, 'other' = that field has another value, 'full'), then all fields as
-- they are now, each followed by its value.

local why, more = '', 0
if (redis.call('HGET', KEYS[1], ARGV[3]) or '') ~= ARGV[4] then why = 'other' end
for at = 5, #ARGV, 2 do
  if ARGV[at + 1] ~= '' and redis.call('HEXISTS', KEYS[1], ARGV[at]) == 0 then more = more + 1 end
end
if why == '' and more > 0 and redis.call('HLEN', KEYS[1]) + more > tonumber(ARGV[2]) then why = 'full' end
if why == '' then
  for at = 5, #ARGV, 2 do
    if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at])
    else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
  end
  redis.call('HINCRBY', KEYS[1], 'number', 1)
  redis.call('EXPIRE', KEYS[1], ARGV[1])
  redis.call('SPUBLISH', KEYS[2], 'r' .. cmsgpack.pack(redis.call('HGETALL', KEYS[1])))
end
return {why, redis.call('HGETALL', KEYS[1])}
