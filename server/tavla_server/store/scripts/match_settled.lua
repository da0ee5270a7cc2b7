-- Ratings have all that a match has led to so far: it leaves the list of those that wait for them, and one that is over
-- is listed for the archive. One that has gone on meanwhile stays where it is.
--
-- KEYS: the match's log, its rated, the list, the list for the archive. ARGV: the match; the time by which the list has
-- it; 1 if ratings have its last result, else 0; 1 if it is to be archived, else 0.
-- Returns 1, or 0 if it was not there, or has gone on.

-- A match that has left the store on purpose leaves nothing there: its journal expires with all else of it.
if redis.call('EXISTS', KEYS[1]) == 1 and ARGV[3] == '1' then redis.call('SET', KEYS[2], '', 'KEEPTTL') end
local at = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1]) end
return 1
