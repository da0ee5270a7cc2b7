-- Change rows of the lobby, and tell all nodes on its stream. The stream numbers its entries itself, without gaps, so
-- that a follower sees when it has missed some.
--
-- KEYS: count, stream, then the hash of each change.
-- ARGV: how many entries the stream keeps; then for each change the list's name, the row's key, its value ("" = take it
-- out), and the least and the most version that it may have had. A value begins with its version.
-- Returns of each change whether it was made, 1 or 0.

local made = {}
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 2
  local key, value = ARGV[at + 1], ARGV[at + 2]
  local before = redis.call('HGET', KEYS[i], key) or ''
  local version = tonumber(string.match(before, '^%d+') or -1)
  local may = version >= tonumber(ARGV[at + 3]) and version <= tonumber(ARGV[at + 4])
  made[i - 2] = (may or value == before) and 1 or 0 -- made before: a command that is repeated by itself does no harm
  if may and value ~= before then
    if value == '' then redis.call('HDEL', KEYS[i], key) else redis.call('HSET', KEYS[i], key, value) end
    local number = redis.call('INCR', KEYS[1])
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[1], number .. '-0', 'l', ARGV[at], 'k', key, 'v', value)
  end
end
return made
