-- Keep a version of a match, unless its journal has left the store meanwhile, or is about to: that one stays as it is.
--
-- KEYS: the match's log, its snapshot. ARGV: the snapshot.

if redis.call('PTTL', KEYS[1]) == -1 then redis.call('SET', KEYS[2], ARGV[1]) end
