-- A player is known to be a program from now on.
--
-- KEYS: the player's hash.

if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'kind', 'bot') end
