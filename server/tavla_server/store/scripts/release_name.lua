-- Free a name, if it is the player's.
--
-- KEYS: the name. ARGV: the player's id.

if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
