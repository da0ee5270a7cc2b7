-- A player's rating and history are made anew, unless the rating has changed since it was looked at.
--
-- KEYS: the player's hash, rated, history.
-- ARGV: how many changes there had been, "" = none; name and kind, should the player be missing; rating, experience,
-- how many changes; then match and line of each that is kept, the oldest first.
-- Returns 1 if the player was missing, 0 if not; nothing if it has changed.

if (redis.call('HGET', KEYS[1], 'changes') or '') ~= ARGV[1] then return nil end
local missing = redis.call('EXISTS', KEYS[1]) == 0
if missing then redis.call('HSET', KEYS[1], 'name', ARGV[2], 'kind', ARGV[3]) end
redis.call('HSET', KEYS[1], 'rating', ARGV[4], 'experience', ARGV[5], 'changes', ARGV[6])
redis.call('DEL', KEYS[2], KEYS[3])
for i = 7, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
  redis.call('LPUSH', KEYS[3], ARGV[i])
end
return missing and 1 or 0
