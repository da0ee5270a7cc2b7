-- Count what a player chooses at the position of the day: the first choice alone.
--
-- KEYS: who has chosen; the choices. ARGV: who; the choice; the seconds for which both are kept.
-- Returns all choices, each followed by its count.

if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[2], ARGV[2], 1) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return redis.call('HGETALL', KEYS[2])
