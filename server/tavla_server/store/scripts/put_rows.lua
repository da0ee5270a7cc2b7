-- Change rows of the lobby, and tell all nodes on its stream. The stream numbers its entries itself, without gaps, so
-- that a follower sees when it has missed some.
--
-- KEYS: count, stream, then the hash of each change.
-- ARGV: how many entries the stream keeps; then for each change the list's name, the row's key, its value ("" = take it
-- out), and the least and the most version that it may have had. A value begins with its version.
-- Returns how many changes were made.

local made = 0
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 2
  local key, value = ARGV[at + 1], ARGV[at + 2]
  local before = redis.call('HGET', KEYS[i], key) or ''
  local version = tonumber(string.match(before, '^%d+') or -1)
  if value == before then
    made = made + 1 -- before: a command that is repeated by itself does no harm
  elseif version >= tonumber(ARGV[at + 3]) and version <= tonumber(ARGV[at + 4]) then
    made = made + 1
    if value == '' then redis.call('HDEL', KEYS[i], key) else redis.call('HSET', KEYS[i], key, value) end
    local number = redis.call('INCR', KEYS[1])
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[1], number .. '-0', 'l', ARGV[at], 'k', key, 'v', value)
  end
end
return made
