-- A match goes on in the store, and the archive has its end: the store takes over that journal, and lists the match as
-- one that has ended; unless something has happened there meanwhile.
--
-- KEYS: the match's log, its snapshot, the list. ARGV: the match; the number of the last entry that was read; the time
-- of the end, in ms since 1970; the entries of the archive, in order.
-- Returns 1, or 0 if another entry has come.

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= ARGV[2] .. '-0' then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
for i = 4, #ARGV do redis.call('XADD', KEYS[1], (i - 3) .. '-0', 'e', ARGV[i]) end
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
return 1
