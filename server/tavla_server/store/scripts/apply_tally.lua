-- Bring a player's rating up to date with the tally of a match: what is not in it yet is added.
--
-- KEYS: the player's hash, rated, history.
-- ARGV: match, results, change, experience, the rest of the line in rated; how many matches are shown, and how many of
-- the older ones to tell of.
-- Returns the rating; how often it has changed; with how many opponents; the oldest matches that are no longer shown;
-- their lines in rated. Nothing if there is no such player.

if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
local line = redis.call('HGET', KEYS[2], ARGV[1])
local results, change, experience = string.match(line or '0 0 0', '^(%S+) (%S+) (%S+)')
if tonumber(ARGV[2]) > tonumber(results) then
  local rating = redis.call('HINCRBYFLOAT', KEYS[1], 'rating', string.format('%.17g', ARGV[3] - change))
  redis.call('HINCRBY', KEYS[1], 'experience', ARGV[4] - experience)
  redis.call('HINCRBY', KEYS[1], 'changes', 1)
  redis.call('HSET', KEYS[2], ARGV[1], table.concat({ARGV[2], ARGV[3], ARGV[4], rating, ARGV[5]}, ' '))
  if not line then redis.call('LPUSH', KEYS[3], ARGV[1]) end
end
local shown, most = tonumber(ARGV[6]), tonumber(ARGV[7])
local old = {}
local count = redis.call('LLEN', KEYS[3])
if most > 0 and count > shown then old = redis.call('LRANGE', KEYS[3], math.max(shown, count - most), -1) end
local lines = #old > 0 and redis.call('HMGET', KEYS[2], unpack(old)) or {}
local now = redis.call('HMGET', KEYS[1], 'rating', 'changes')
local known, opponents = {}, 0
for _, row in ipairs(redis.call('HVALS', KEYS[2])) do
  local moved, opponent = string.match(row, '^%S+ (%S+) .- (%S+)$')
  if moved and tonumber(moved) ~= 0 and not known[opponent] then known[opponent], opponents = true, opponents + 1 end
end
return {now[1], now[2], opponents, old, lines}
