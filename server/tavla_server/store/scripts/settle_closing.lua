-- All is forgotten of a player who has gone, unless it was written down again meanwhile: a match came to the archive.
--
-- KEYS: those who are to be forgotten. ARGV: the player; what was written down when it began.

if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
