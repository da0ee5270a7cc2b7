-- A player begins a rated match: count those that were begun lately against the same opponent, or the opponent's network.
-- A match that is counted already is found by its place, with those before it.
--
-- KEYS: the player's met. ARGV: match, opponent, its network ('-' = unknown), now in ms, how long back, how many are kept.
-- Returns how many there were.

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', ARGV[4] - ARGV[5]))
local count = 0
for _, row in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local match, opponent, network = string.match(row, '^(%S+) (%S+) (%S+)$')
  if match == ARGV[1] then return count end
  if opponent == ARGV[2] or network == ARGV[3] and network ~= '-' then count = count + 1 end
end
redis.call('ZADD', KEYS[1], ARGV[4], table.concat({ARGV[1], ARGV[2], ARGV[3]}, ' '))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return count
