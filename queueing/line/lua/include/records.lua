-- Visits, agents and queues as tables, their texts, and the history. A record is written once, by
-- keep(…), when the script is done with it.
-- Visit: state w waiting, a away, o offered, r room, e ended; queue, class, ticket (µs of arrival:
-- the place), joined (µs), need, agent ("-"), since (ms), token of an offer (in a room: since when, in ms,
-- the visitor is away; "-" present), word (why it ended).
-- Agent: state o online, p paused, x offline; capacity, queues, profile, since (ms idle), ttl (ms),
-- pending ("-", p pause, l log-out; "a<ms>" before it: away since then), misses, login (ms), slots, word
-- (reason of the pause).
-- Slot: r<visit> room, o<visit> offer, w<ms> wrap-up. Queue: see line/desk/settings.py.
local function log(kind, ...)
  seq = append(LOG, seq, h[4], h[5], now, 'k', kind, ...)
end
-- What one visitor or agent must hear at once goes to their sockets, past every coalescer.
local function tell(kind, visit, agent)
  local text = fmt('{"op":"personal","kind":"line.%s","data":{"visit":"%s","agent":"%s","seq":%s}}', kind, visit, agent, int(seq))
  if visit ~= '-' then redis.pcall('PUBLISH', 'live:to:visitor:' .. visit, text) end
  if agent ~= '-' then redis.pcall('PUBLISH', 'live:to:user:' .. agent, text) end
end
-- A sign of life. The clock by which it counts is kept: sweeps must know that it was ahead.
local function beats(timer, ms)
  call('ZADD', TIMERS, int(now_ms + ms), timer)
  if now - h[3] > 3000000 then call('HSET', DESK, 'clock', int(now)) end
end
local function clean(text)
  return (string.gsub(text or '', '%s+', '_'))
end
local queues = {}
local function read_queue(id, text)
  if not text then queues[id] = false return nil end
  local mode, open, ttl, grace, offer, misses, wrap, longest, most, over, none, none_s, relax, room_grace, agent_grace = match(text,
    '^(%a) (%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a) (%d+) (%d+) ?(%d*) ?(%d*)')
  if room_grace == '' then room_grace, agent_grace = 90, 60 end -- written by an older release
  local q = { id = id, mode = mode, open = open == '1', ttl = ttl * 1000, grace = grace * 1000, offer = offer * 1000,
    misses = misses + 0, wrap = wrap * 1000, longest = longest * 1000, most = most + 0, overflow = over,
    no_agent = none, no_agent_ms = none_s * 1000, relax = relax * 1000000, room_grace = room_grace * 1000,
    agent_grace = agent_grace * 1000 }
  queues[id] = q
  return q
end
local function queue_of(id)
  local q = queues[id]
  if q == nil then return read_queue(id, call('HGET', QUEUES, id)) end
  return q or nil
end
local function read_visit(id, text)
  if not text then return nil end
  local st, q, c, t, j, n, a, s, x, w = match(text, '^(%a) (%d+) (%d) (%d+) (%d+) (%d+) (%S+) (%d+) (%S+) (.*)$')
  return { id = id, state = st, queue = q, class = c, ticket = t, joined = j, need = n, agent = a, since = s,
    token = x, word = w, was = st, was_queue = q, was_class = c, was_ticket = t, was_need = n }
end
local function visit_of(id)
  return read_visit(id, call('HGET', VISITS, id))
end
-- Whether a visit is in a room that its visitor has left without a word; the room is kept for a while.
local function away_in_room(v)
  return v.was == 'r' and v.token ~= '-'
end
local function waits(state)
  return state == 'w' or state == 'a' or state == 'o'
end
local function keep_visit(v)
  call('HSET', VISITS, v.id, fmt('%s %s %s %s %s %s %s %s %s %s', v.state, v.queue, v.class, v.ticket, v.joined,
    v.need, v.agent, v.since, v.token, v.word))
  local moved = v.was_queue ~= v.queue or v.was_class ~= v.class or v.was_ticket ~= v.ticket
  if waits(v.was) and (moved or not waits(v.state)) then
    call('ZREM', WAITING, fmt('%06d%s%s:%s', v.was_queue, v.was_class, v.was_ticket, v.id))
  end
  if waits(v.state) and (moved or not waits(v.was)) then
    call('ZADD', WAITING, 0, fmt('%06d%s%s:%s', v.queue, v.class, v.ticket, v.id))
  end
  moved = moved or v.was_need ~= v.need
  if v.was == 'w' and (moved or v.state ~= 'w') then
    call('ZREM', READY, fmt('%06d%02d%s%s:%s', v.was_queue, v.was_need, v.was_class, v.was_ticket, v.id))
  end
  if v.state == 'w' and (moved or v.was ~= 'w') then
    call('ZADD', READY, 0, fmt('%06d%02d%s%s:%s', v.queue, v.need, v.class, v.ticket, v.id))
  end
  v.was, v.was_queue, v.was_class, v.was_ticket, v.was_need = v.state, v.queue, v.class, v.ticket, v.need
end
-- How the line itself changes by what has been done to a visit, before it is kept: + joins it,
-- -q:c:t leaves that place, ~q:c:t moves from there to its own queue, class and ticket.
local function delta(v)
  local was, is = waits(v.was), waits(v.state)
  if v.told then -- its join stands in the history already
    return is and '' or '-' .. v.queue .. ':' .. v.class .. ':' .. v.ticket
  end
  local old = was and v.was_queue .. ':' .. v.was_class .. ':' .. v.was_ticket
  if was and not is then return '-' .. old end
  if is and not was then return '+' end
  if was and (v.was_queue ~= v.queue or v.was_class ~= v.class or v.was_ticket ~= v.ticket) then return '~' .. old end
  return ''
end
local function ahead_of(v)
  local from = fmt('%06d', v.queue)
  return call('ZLEXCOUNT', WAITING, '[' .. from, '(' .. from .. v.class .. v.ticket)
end
-- A room ends or changes hands: the call back that goes with it is looked at now. Before the visit is kept.
local function look_at_call(v)
  if calls > 0 and v.was == 'r' then call('ZADD', CALLS, 'XX', int(now_ms), v.id) end
end
-- Where a visit stands, as join, beat, place, leave and transfer answer.
local function state_reply(v)
  local ahead = waits(v.state) and ahead_of(v) or 0
  local names = { w = 'waiting', a = 'away', o = 'offered', r = 'room', e = 'ended' }
  return { names[v.state], int(seq), int(ahead), v.agent, v.queue, v.class, v.ticket, v.joined, v.word }
end
-- Where an agent stands in FREE: an entry per queue, or none while it cannot take a visitor.
local function stands(a)
  if a.state ~= 'o' or a.away or a.pending ~= '-' or a.used >= a.capacity or a.offered then return '' end
  return fmt('%s%02d%s', a.profile, a.rooms, a.since)
end
-- Walks over an agent's slots; ids of visits may have any of A-Z, 0-9, - and _ in them.
local function slots_of(a)
  return gmatch(a.slots == '-' and '' or a.slots, '[^,]+')
end
local function count(a)
  a.used, a.rooms, a.offered = 0, 0, nil
  for slot in slots_of(a) do
    a.used = a.used + 1
    local kind = sub(slot, 1, 1)
    if kind ~= 'w' then a.rooms = a.rooms + 1 end
    if kind == 'o' then a.offered = sub(slot, 2) end
  end
end
local function agent_of(id)
  local text = call('HGET', AGENTS, id)
  if not text then return nil end
  local st, cap, qs, prof, since, ttl, pend, miss, login, slots, w = match(text,
    '^(%a) (%d+) (%S+) (%d%d) (%d+) (%d+) (%S+) (%d+) (%d+) (%S+) (.*)$')
  local away, pending = match(pend, '^a(%d+)(.+)$')
  local a = { id = id, state = st, capacity = cap + 0, queues = qs, profile = prof, since = since, ttl = ttl + 0,
    away = away, pending = pending or pend, misses = miss + 0, login = login, slots = slots, word = w }
  count(a)
  a.stood, a.stood_queues, a.stood_state = stands(a), qs, st
  return a
end
local function keep_agent(a)
  if a.state == 'x' then a.away = nil end
  local now_stands = stands(a)
  local pending = a.away and 'a' .. a.away .. a.pending or a.pending
  call('HSET', AGENTS, a.id, fmt('%s %d %s %s %s %d %s %d %s %s %s', a.state, a.capacity, a.queues, a.profile, a.since,
    a.ttl, pending, a.misses, a.login, a.slots, a.word))
  if now_stands == a.stood and a.queues == a.stood_queues then return end
  if a.stood ~= '' then
    for q in gmatch(a.stood_queues, '%d+') do call('ZREM', FREE, q .. a.stood .. ':' .. a.id) end
  end
  if now_stands ~= '' then
    for q in gmatch(a.queues, '%d+') do call('ZADD', FREE, 0, q .. now_stands .. ':' .. a.id) end
  end
  a.stood, a.stood_queues = now_stands, a.queues
end
local function add_slot(a, slot)
  a.slots = a.slots == '-' and slot or a.slots .. ',' .. slot
  count(a)
end
local function drop_slot(a, slot)
  local left = {}
  for each in slots_of(a) do
    if each ~= slot then left[#left + 1] = each end
  end
  a.slots = #left > 0 and table.concat(left, ',') or '-'
  count(a)
end
-- How an agent stands, as login, pause, agent_state and agent_beat answer.
local function agent_reply(answer, a)
  local token = a.offered and visit_of(a.offered).token or ''
  return { answer, int(seq), a.state, a.pending, a.slots, a.word, token }
end
