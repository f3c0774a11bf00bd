-- Steps that several scripts share: coming back, ending, an agent's leaving.
local function beat_visit(v, q)
  beats('v' .. v.id, q and q.ttl or 15000) -- a room may outlive its queue
end
-- A sign of life; one who was away is back at the same place, or in the same room.
local function here_again(v)
  beat_visit(v, queue_of(v.queue))
  if v.state == 'a' then
    v.state, v.since = 'w', int(now_ms)
    keep_visit(v)
    log('back', 'v', v.id, 'q', v.queue, 'c', v.class, 't', v.ticket)
    match_visit(v)
  elseif away_in_room(v) then
    v.token = '-'
    keep_visit(v)
    log('room_back', 'v', v.id, 'a', v.agent, 'q', v.queue)
    tell('room_back', '-', v.agent)
  end
end
-- An agent who was away is back as before. The caller keeps `a`.
local function agent_here(a)
  if not a.away then return end
  a.away = nil
  log('agent_back', 'a', a.id)
  tell_rooms(a, 'agent_back')
end
local function online(a, by)
  for q in gmatch(a.queues, '%d+') do
    local id = tostring(q + 0)
    local left = call('HINCRBY', DESK, 'online:' .. id, by)
    if left == 0 and by < 0 then
      local settings = queue_of(id)
      log('no_agent', 'q', id)
      if settings and settings.no_agent ~= 'w' then
        call('ZADD', TIMERS, int(now_ms + settings.no_agent_ms), 'n' .. id)
      end
    elseif left == 1 and by > 0 then
      call('ZREM', TIMERS, 'n' .. id)
      log('agents', 'q', id)
    end
  end
end
local function end_visit(v, outcome, by)
  local in_room = v.state == 'r'
  v.state, v.word, v.token, v.since = 'e', clean(outcome), '-', int(now_ms)
  call('ZADD', TIMERS, int(now_ms + 600000), 'v' .. v.id)
  if not in_room then call('ZREM', TIMERS, 'm' .. v.id, 'x' .. v.id) end -- a room has neither
  local d = delta(v)
  look_at_call(v)
  keep_visit(v)
  log('end', 'v', v.id, 'a', v.agent, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', outcome, 'by', by or '', 'r', in_room and '1' or '0')
  tell('end', v.id, v.agent)
  if not in_room then abandoned_total = int(abandoned_total + 1) end
end
-- An asked-for pause or log-out takes effect when no room is left.
local function settle(a)
  if a.rooms > 0 or a.pending == '-' then return end
  local leaving = sub(a.pending, 1, 1) == 'l'
  a.slots, a.pending = '-', '-'
  count(a)
  call('ZREM', TIMERS, 'w' .. a.id)
  if leaving then
    a.state = 'x'
    call('ZREM', TIMERS, 'a' .. a.id)
    log('logout', 'a', a.id, 'w', a.word)
    online(a, -1)
  else
    a.state = 'p'
    log('pause', 'a', a.id, 'w', a.word)
  end
  a.since = int(now_ms)
  tell('agent', '-', a.id)
end
-- A room's slot becomes free, after the wrap-up; then the agent looks for the next visitor.
local function free_slot(a, v, wrap)
  drop_slot(a, 'r' .. v.id)
  a.since = int(now_ms)
  local q = queue_of(v.queue)
  if wrap and q and q.wrap > 0 and a.pending == '-' then
    local ends = int(now_ms + q.wrap)
    add_slot(a, 'w' .. ends)
    local timer = call('ZSCORE', TIMERS, 'w' .. a.id)
    if not timer or timer + 0 > ends + 0 then call('ZADD', TIMERS, ends, 'w' .. a.id) end
    log('wrapup', 'a', a.id, 'v', v.id, 'q', v.queue)
  end
  settle(a)
end
-- A visitor goes back to waiting, by its original arrival; who was away in the room stays away.
local function requeue(v, kind, why)
  local from, absent = v.agent, away_in_room(v)
  v.state, v.agent, v.since, v.token, v.word = absent and 'a' or 'w', '-', int(now_ms), '-', '-'
  local q = queue_of(v.queue)
  if absent then call('ZADD', TIMERS, int(now_ms + (q and q.grace or 0)), 'v' .. v.id) end
  local d = delta(v)
  look_at_call(v)
  keep_visit(v)
  if q and q.longest > 0 then call('ZADD', TIMERS, int(v.joined / 1000 + q.longest), 'm' .. v.id) end
  if q and v.need ~= '0' and q.relax > 0 then call('ZADD', TIMERS, int(now_ms + q.relax / 1000), 'x' .. v.id) end
  log(kind, 'v', v.id, 'a', from, 'q', v.queue, 'c', v.class, 't', v.ticket, 'd', d, 'w', why or '')
  if absent then log('away', 'v', v.id, 'q', v.queue, 'c', v.class, 't', v.ticket) end
  tell(kind, v.id, from)
end
-- Everybody whom an agent has goes back to the line. The caller keeps `a` first: nobody may be matched to it.
local function give_back(a, why)
  local visits = {}
  for slot in slots_of(a) do
    if sub(slot, 1, 1) ~= 'w' then visits[#visits + 1] = sub(slot, 2) end
  end
  a.slots = '-'
  count(a)
  keep_agent(a)
  local back = {}
  for i = 1, #visits do
    local v = visit_of(visits[i])
    requeue(v, v.state == 'r' and 'returned' or 'withdrawn', why)
    back[i] = v
  end
  for i = 1, #back do match_visit(back[i]) end
end
local function waiting_of(id)
  local from = fmt('%06d', id)
  return call('ZLEXCOUNT', WAITING, '[' .. from, '(' .. from .. '~')
end
-- Into another queue of the desk, by original arrival; false when it is not there or full.
local function into(v, id)
  local q = queue_of(id)
  if not q or waiting_of(id) >= q.most then return false end
  v.queue = id
  return true
end
