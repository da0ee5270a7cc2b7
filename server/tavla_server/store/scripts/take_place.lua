-- Take a place in each of some lists, or in none: each has so many.
--
-- KEYS: the names of the lists in which this one has a place, then the lists.
-- ARGV: whose place it is; now and until when it is kept, in ms since 1970; of each list how many places it has.
-- Returns 0, or the number of the first list that is full.

for at = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[at], '-inf', ARGV[2])
  local has = redis.call('ZSCORE', KEYS[at], ARGV[1])
  if not has and redis.call('ZCARD', KEYS[at]) >= tonumber(ARGV[at + 2]) then return at - 1 end
end
for at = 2, #KEYS do
  redis.call('ZADD', KEYS[at], ARGV[3], ARGV[1])
  redis.call('PEXPIREAT', KEYS[at], redis.call('ZRANGE', KEYS[at], -1, -1, 'WITHSCORES')[2])
end
redis.call('SET', KEYS[1], table.concat(KEYS, ' ', 2), 'PXAT', ARGV[3])
return 0
