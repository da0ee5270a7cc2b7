-- Quick match: the whole of it, so that whatever one call does happens at once for everyone.
--
-- KEYS[1]: the tag that all keys share. ARGV[1]: what to do. ARGV[2]: options, as JSON. ARGV[3...]: tickets, as JSON.
--
-- It makes the keys' names from the tag; store/keys.py has them as QUEUE_..., with their expiry:
--
-- waiting:<pool>  sorted set: player -> since when, in ms      pools:<player>  set: the pools that a player waits in
-- tickets:<pool>  hash: player -> ticket                       met:<player>    list: the last opponents, newest first
-- node:<node>     there while the node lives                   due:<player>    the pairing that is to be taken
-- late:<player>   sorted set: matches void for want of this player's seed, or '<match> left' -> their end, in ms
-- apart:<player>  sorted set: opponents of such matches -> their end, in ms
-- place:<player>  where the last pairing came from: its match, pool, since when the player had waited, the opponent

local tag, task, o = KEYS[1], ARGV[1], cjson.decode(ARGV[2])

local function key(kind, name) return tag .. ':' .. kind .. ':' .. name end

local function player(ticket) return ticket.player[1] end

local function living(ticket, known)
  if known[ticket.node] == nil then known[ticket.node] = redis.call('EXISTS', key('node', ticket.node)) == 1 end
  return known[ticket.node]
end

local function held(pool, id)
  local raw = redis.call('HGET', key('tickets', pool), id)
  if raw then
    local ticket = cjson.decode(raw)
    ticket.raw = raw
    return ticket
  end
end

-- How long quick match holds a player back, in ms, and for how many matches: void, and left. The first one that was left
-- does not count.
local function held_back(id)
  local late = redis.call('ZRANGEBYSCORE', key('late', id), o.now_ms - o.fade_ms, '+inf', 'WITHSCORES')
  local left = 0
  for i = 1, #late, 2 do
    if string.sub(late[i], -5) == ' left' then left = left + 1 end
  end
  local voids = #late / 2 - left
  local count = voids + math.max(left - 1, 0)
  if count == 0 then return 0, voids, left end
  return late[#late] + o.held_back_ms[math.min(count, #o.held_back_ms)] - o.now_ms, voids, left
end

-- The players with whom a match was void a short while ago, as a set.
local function apart_from(id)
  local found = {}
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', key('apart', id), string.format('(%.0f', o.now_ms - o.apart_ms), '+inf')) do
    found[other] = true
  end
  return found
end

local function keep_place(ticket, since, match, opponent)
  local place = cjson.encode({match = match, pool = ticket.pool, since = since, opponent = opponent})
  redis.call('SET', key('place', player(ticket)), place, 'PX', o.place_ms)
end

-- Since when a ticket waits: if the last match was void for want of the opponent's seed, since before that one.
local function since(ticket)
  local raw = redis.call('GET', key('place', player(ticket)))
  if not raw then return ticket.since_ms end
  local place = cjson.decode(raw)
  local was_void = redis.call('ZSCORE', key('late', place.opponent), place.match)
  local by_both = redis.call('ZSCORE', key('late', player(ticket)), place.match)
  if place.pool ~= ticket.pool or not was_void or by_both then return ticket.since_ms end
  return math.min(place.since, ticket.since_ms)
end

local function put(raw)
  local ticket = cjson.decode(raw)
  local id, pool = player(ticket), ticket.pool
  redis.call('ZADD', key('waiting', pool), 'LT', string.format('%.0f', since(ticket)), id) -- a second ticket keeps the first one's place
  redis.call('HSET', key('tickets', pool), id, raw)
  redis.call('SADD', key('pools', id), pool)
  for _, name in ipairs({key('waiting', pool), key('tickets', pool), key('pools', id)}) do
    redis.call('PEXPIRE', name, o.kept_ms)
  end
end

local function remove(id, pool)
  redis.call('ZREM', key('waiting', pool), id)
  redis.call('HDEL', key('tickets', pool), id)
  redis.call('SREM', key('pools', id), pool)
end

-- The pairing that a player is to take, and whether it came from this ticket.
local function due(ticket)
  local pairing = redis.call('GET', key('due', player(ticket)))
  if not pairing then return nil, false end
  local tickets = cjson.decode(pairing).tickets
  return pairing, tickets[1].id == ticket.id or tickets[2].id == ticket.id
end

-- Takes both out of every pool, and leaves them the pairing.
local function pair(first, second)
  local pairing = string.format('{"match":"%s","tickets":[%s,%s],"since_ms":[%.0f,%.0f]}',
    first.match, first.raw, second.raw, first.since, second.since)
  for ticket, other in pairs({[first] = second, [second] = first}) do
    local id = player(ticket)
    for _, pool in ipairs(redis.call('SMEMBERS', key('pools', id))) do remove(id, pool) end
    redis.call('SET', key('due', id), pairing, 'PX', o.due_ms)
    keep_place(ticket, ticket.since, first.match, player(other))
    redis.call('LPUSH', key('met', id), player(other))
    redis.call('LTRIM', key('met', id), 0, o.in_a_row - 2)
    redis.call('PEXPIRE', key('met', id), o.met_ms)
  end
end

local function met_too_often(one, other)
  local last = redis.call('LRANGE', key('met', player(one)), 0, o.in_a_row - 2)
  for _, id in ipairs(last) do
    if id ~= player(other) then return false end
  end
  return #last == o.in_a_row - 1
end

-- Everyone in a pool whose node lives and who may be paired, the longest waiting first. The tickets of dead nodes are
-- thrown away; those of who is held back wait.
local function queue(pool)
  local found, known = {}, {}
  local rows = redis.call('ZRANGE', key('waiting', pool), 0, -1, 'WITHSCORES')
  for i = 1, #rows, 2 do
    local ticket = held(pool, rows[i])
    if ticket and living(ticket, known) then
      ticket.since = tonumber(rows[i + 1])
      ticket.apart = {}
      local spotless = redis.call('EXISTS', key('late', rows[i]), key('apart', rows[i])) == 0 -- one call for most
      if not spotless then ticket.apart = apart_from(rows[i]) end
      for _, id in ipairs(ticket.ignores or {}) do ticket.apart[id] = true end
      if spotless or held_back(rows[i]) <= 0 then found[#found + 1] = ticket end
    else
      remove(rows[i], pool)
    end
  end
  return found
end

-- Whether two are not to meet now: after a match that was void, since one of them ignores the other, or since one has
-- copied the other's commitment.
local function are_apart(one, other)
  local copied = one.commitment ~= '' and one.commitment == other.commitment
  return copied or one.apart[player(other)] or other.apart[player(one)]
end

-- Those who have asked for somebody in particular who waits here.
local function pass_wanted(queued)
  local left = #queued
  for _, ticket in ipairs(queued) do
    for _, other in ipairs(queued) do
      local wanted = other.id == ticket.wants and other ~= ticket and not are_apart(ticket, other)
      if wanted and not other.taken and not ticket.taken then
        pair(other, ticket)
        ticket.taken, other.taken, left = true, true, left - 2
      end
    end
  end
  return left
end

-- Serves the longest waiting first: who has waited longer says how far apart two ratings may be, and gets the nearest.
-- Two tickets within the first band never wait side by side, so a pool holds some dozens at most, however many come.
local function pass(pool)
  local queued = queue(pool)
  local left = pass_wanted(queued)
  for i, ticket in ipairs(queued) do
    local waited = o.now_ms - ticket.since
    local open = waited >= o.open_ms
    local nearest, gap = nil, open and math.huge or o.band + o.band_per_s * math.max(waited, 0) / 1000
    for j = i + 1, #queued do
      local other = queued[j]
      local distance = math.abs(ticket.rating - other.rating)
      local free = not ticket.taken and not other.taken and not are_apart(ticket, other) -- (some were wanted)
      if free and (distance < gap or distance == gap and not nearest) then
        -- (Once the band is open nobody is left out: three who have met too often would wait for ever.)
        local again = left > 2 and not open and (met_too_often(ticket, other) or met_too_often(other, ticket))
        if not again then nearest, gap = other, distance end
      end
    end
    if nearest then
      pair(ticket, nearest)
      ticket.taken, nearest.taken, left = true, true, left - 2
    end
  end
end

local function renew_node() redis.call('SET', key('node', o.node), '1', 'PX', o.node_ms) end

local function waits_elsewhere(ticket)
  local count = 0
  for _, pool in ipairs(redis.call('SMEMBERS', key('pools', player(ticket)))) do
    local other = held(pool, player(ticket))
    if not other or not living(other, {}) then
      remove(player(ticket), pool)
    elseif pool ~= ticket.pool then
      count = count + 1
    end
  end
  return count
end

local TASKS = {}

-- One ticket. o.drop: the match of a pairing that the player does not want any more. o.again: it has waited before.
-- Answers a pairing that is to be taken, this ticket's or an earlier one's; '' when the ticket waits; or 'held', for how
-- long in ms, and for how many matches: void, and left.
function TASKS.enqueue()
  local raw = ARGV[3]
  local ticket = cjson.decode(raw)
  renew_node()
  local pairing = due(ticket)
  if pairing and cjson.decode(pairing).match == o.drop then
    redis.call('DEL', key('due', player(ticket)))
    pairing = nil
  end
  if pairing then return pairing end
  local held_ms, voids, left = held_back(player(ticket))
  if held_ms > 0 and not o.again then return string.format('held %.0f %d %d', held_ms, voids, left) end
  if waits_elsewhere(ticket) >= o.pools_limit then return 'limit' end
  put(raw)
  pass(ticket.pool)
  return due(ticket) or ''
end

-- One ticket, whose player would sit down at an open table, o.match: from now on nobody else pairs that player.
-- o.maker: who sits there. Answers what is to be taken: that table, as a pairing of the ticket with itself, or an earlier
-- pairing; 'gone' when it does not wait any more, 'apart' when it is not to sit there now.
function TASKS.leave_for_table()
  local ticket = cjson.decode(ARGV[3])
  local id = player(ticket)
  local pairing, now = due(ticket), held(ticket.pool, id)
  if pairing then return pairing end
  if not now or now.id ~= ticket.id then return 'gone' end
  if held_back(id) > 0 or held_back(o.maker) > 0 or apart_from(id)[o.maker] then return 'apart' end
  local since = tonumber(redis.call('ZSCORE', key('waiting', ticket.pool), id)) -- (of the place in the queue)
  pairing = string.format('{"match":"%s","tickets":[%s,%s],"since_ms":[%.0f,%.0f],"table":true}',
    o.match, now.raw, now.raw, since, since)
  for _, pool in ipairs(redis.call('SMEMBERS', key('pools', id))) do remove(id, pool) end
  redis.call('SET', key('due', id), pairing, 'PX', o.due_ms)
  keep_place(ticket, since, o.match, o.maker)
  return pairing
end

-- Any tickets. Answers for each its pairing, if it was paired before; else ''.
function TASKS.withdraw()
  local answers = {}
  for i = 3, #ARGV do
    local ticket = cjson.decode(ARGV[i])
    local now, pairing, ours = held(ticket.pool, player(ticket)), due(ticket)
    if now and now.id == ticket.id then remove(player(ticket), ticket.pool) end
    answers[#answers + 1] = ours and pairing or ''
  end
  return answers
end

-- Any tickets. Their players know of the pairing that came of them: it is kept for them no longer.
function TASKS.acknowledge()
  for i = 3, #ARGV do
    local ticket = cjson.decode(ARGV[i])
    local _, ours = due(ticket)
    if ours then redis.call('DEL', key('due', player(ticket))) end
  end
end

-- Tickets of a node, which lives. What Redis forgot is put back, and whom a player ignores now is noted.
-- Answers for each its pairing; 'gone' when the player was paired, or waits, by another ticket; '' when it waits.
function TASKS.renew()
  local tickets, gone, pools, answers = {}, {}, {}, {}
  renew_node()
  for i = 3, #ARGV do
    local ticket = cjson.decode(ARGV[i])
    local now, pairing, ours = held(ticket.pool, player(ticket)), due(ticket)
    if not now and not pairing then put(ARGV[i]) end
    if now and now.id == ticket.id and now.raw ~= ARGV[i] then
      redis.call('HSET', key('tickets', ticket.pool), player(ticket), ARGV[i])
    end
    gone[ticket] = now and now.id ~= ticket.id or not now and pairing and not ours
    tickets[#tickets + 1], pools[ticket.pool] = ticket, true
  end
  for pool in pairs(pools) do pass(pool) end
  for i, ticket in ipairs(tickets) do
    local pairing, ours = due(ticket)
    answers[i] = ours and pairing or gone[ticket] and 'gone' or ''
  end
  return answers
end

-- Whether each of o.players is held back, 1 or 0.
function TASKS.held()
  local found = {}
  for at, id in ipairs(o.players) do found[at] = held_back(id) > 0 and 1 or 0 end
  return found
end

-- A match, o.match, is void since o.at_ms, for want of the seeds of o.late; o.players: both. o.left: or it was left then
-- by these. Done again, nothing changes.
function TASKS.hold_back()
  local function note(kind, id, member, kept_ms)
    local name = key(kind, id)
    redis.call('ZADD', name, 'GT', string.format('%.0f', o.at_ms), member)
    redis.call('ZREMRANGEBYSCORE', name, '-inf', string.format('%.0f', o.at_ms - kept_ms))
    redis.call('ZREMRANGEBYRANK', name, 0, -1 - o.voids_kept)
    redis.call('PEXPIRE', name, kept_ms)
  end
  for _, id in ipairs(o.late) do note('late', id, o.left and o.match .. ' left' or o.match, o.fade_ms) end
  note('apart', o.players[1], o.players[2], o.apart_ms)
  note('apart', o.players[2], o.players[1], o.apart_ms)
end

return TASKS[task]()
