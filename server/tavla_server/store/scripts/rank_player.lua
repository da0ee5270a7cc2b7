-- Put a player on the leaderboard, or take the player off it, unless a later rating stands there.
--
-- KEYS: the board, and the number of changes that stand behind each line of it. ARGV: player, rating, changes, 1 = on it.

if tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
  if ARGV[4] == '1' then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) else redis.call('ZREM', KEYS[1], ARGV[1]) end
end
