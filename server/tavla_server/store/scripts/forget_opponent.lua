-- In what a match has done to a player's rating, the opponent's name, its last word, becomes another.
--
-- KEYS: the player's rated. ARGV: match, the other name.

local line = redis.call('HGET', KEYS[1], ARGV[1])
if line then redis.call('HSET', KEYS[1], ARGV[1], (string.gsub(line, '%S+$', ARGV[2]))) end
