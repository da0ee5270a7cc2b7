-- A token for one who has logged in. The ones that expire first make room.
--
-- KEYS: the tokens. ARGV: the token's hash; now, and when it expires, in ms since 1970; how many may stay beside it.

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
