-- What a player that has become this one brings: its experience and its counts, once.
--
-- KEYS: this player's hash, names. ARGV: the other one's id, name; the fields as `retire_account` returns them.

local FIELDS = {'experience', 'void', 'seeded', 'begun', 'left', 'private'}

if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then
  for i, field in ipairs(FIELDS) do redis.call('HINCRBY', KEYS[1], field, ARGV[i + 2]) end
end
