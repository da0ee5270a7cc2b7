-- A new guest, with a token.
--
-- KEYS: the player's hash, the tokens.
-- ARGV: name; kind; the token's hash; when it expires, in ms since 1970; when all expires, in s.

redis.call('HSET', KEYS[1], 'name', ARGV[1], 'kind', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[5])
