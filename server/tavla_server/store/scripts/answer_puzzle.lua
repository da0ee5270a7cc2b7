-- An account's first answer to a puzzle counts.
--
-- KEYS: the player's hash; the puzzles it has answered. ARGV: the puzzle; the time in ms; how many are remembered; the
-- change of its rating at puzzles.
-- Returns 1; 0 if it was answered before, or there is no such account any more.

if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1]) == 0 then return 0 end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[3] - 1)
redis.call('HINCRBYFLOAT', KEYS[1], 'puzzled', ARGV[4])
redis.call('HINCRBY', KEYS[1], 'puzzles', 1)
return 1
