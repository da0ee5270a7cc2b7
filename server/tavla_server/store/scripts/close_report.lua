-- Keep a report as closed, unless it is open no longer.
--
-- KEYS: the stream of open reports; of closed ones. ARGV: the report's id; the report as it is to be kept;
-- the ids of its two players; how many are kept.
-- Returns 1, or 0 if it was not there.

if redis.call('XDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', 'r', ARGV[2], 'p', ARGV[3])
return 1
