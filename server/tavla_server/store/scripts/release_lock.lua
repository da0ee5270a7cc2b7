-- Give back a lock, if it is still the owner's.
--
-- KEYS: the lock. ARGV: its owner.

if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
