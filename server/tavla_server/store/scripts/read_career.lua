-- All that is known of a player's results, as of one moment.
--
-- KEYS: the player's hash, rated, history. ARGV: how many matches.
-- Returns kind, rating, experience, and the counts void, seeded, left and begun; the matches, newest first; their lines in
-- rated.

local matches = redis.call('LRANGE', KEYS[3], 0, ARGV[1] - 1)
local lines = #matches > 0 and redis.call('HMGET', KEYS[2], unpack(matches)) or {}
local FIELDS = {'kind', 'rating', 'experience', 'void', 'seeded', 'left', 'begun', 'puzzles', 'puzzled'}
return {redis.call('HMGET', KEYS[1], unpack(FIELDS)), matches, lines}
