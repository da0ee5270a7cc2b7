-- What a player that has become this one brings: its experience and its counts, once.
--
-- KEYS: this player's hash, names. ARGV: the other one's id, name, experience, void, seeded, begun, left.

if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then
  redis.call('HINCRBY', KEYS[1], 'experience', ARGV[3])
  redis.call('HINCRBY', KEYS[1], 'void', ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'seeded', ARGV[5])
  redis.call('HINCRBY', KEYS[1], 'begun', ARGV[6])
  redis.call('HINCRBY', KEYS[1], 'left', ARGV[7])
end
