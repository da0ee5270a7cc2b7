-- Free a place in all lists in which it is. They have the same hash tag as the key that names them.
--
-- KEYS: the names of its lists. ARGV: whose place it is.

for list in string.gmatch(redis.call('GET', KEYS[1]) or '', '%S+') do redis.call('ZREM', list, ARGV[1]) end
redis.call('DEL', KEYS[1])
