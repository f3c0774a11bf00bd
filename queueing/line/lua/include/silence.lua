-- Who is silent, and what follows. Silent: not heard for the time to live, while people could be heard. A sweep and a match
-- mark such a one as away, whichever comes first; nobody is lost by a match.
local passed_over = 0 -- silent ones, by this call
local heard_since -- ms; a sweep is told it, others read what a sweep has stored
-- Whether people could be heard for so many ms. What no sweep has confirmed for 5 s is not believed: the service was away.
local function heard_for(ms)
  if not heard_since then
    local told = call('HMGET', DESK, 'heard', 'walked', 'steady')
    local since = tonumber(told[1])
    heard_since = since and math.abs(now_ms - (told[2] or 0)) < 5000 and math.max(since, told[3] or 0) or now_ms
  end
  return heard_since + ms <= now_ms
end
local function is_over(timer, ms)
  local due = call('ZSCORE', TIMERS, timer)
  return due and due + 0 <= now_ms and heard_for(ms)
end
local function agent_is_silent(a)
  return not a.away and is_over('a' .. a.id, a.ttl)
end
-- Of one who waits, has an offer or is in a room, and is not away.
local function visitor_is_silent(v)
  local q = queue_of(v.queue)
  return is_over('v' .. v.id, q and q.ttl or 15000) -- a room may outlive its queue
end
-- For how long a visitor can be silent before something follows, in ms.
local function silence_of(v)
  local q = queue_of(v.queue)
  if v.state == 'a' and q then return q.grace end
  if away_in_room(v) then return q and q.room_grace or 90000 end
  return q and q.ttl or 15000 -- a room may outlive its queue
end
-- A call passes over so many and leaves the rest to the next one.
local function may_pass_over()
  passed_over = passed_over + 1
  return passed_over <= 20
end
-- Visitors in an agent's rooms hear of it at once.
local function tell_rooms(a, kind)
  for slot in slots_of(a) do
    if sub(slot, 1, 1) == 'r' then tell(kind, sub(slot, 2), '-') end
  end
end
-- Of several queues the longest grace applies.
local function agent_grace(a)
  local longest = 0
  for id in gmatch(a.queues, '%d+') do
    local q = queue_of(tostring(id + 0))
    longest = math.max(longest, q and q.agent_grace or 0)
  end
  return longest
end
-- Who is away keeps the rooms, and gets nobody new. The agent has no offer (any more).
local function agent_away(a)
  a.away = int(now_ms)
  keep_agent(a)
  call('ZADD', TIMERS, int(now_ms + math.max(0, agent_grace(a) - a.ttl)), 'a' .. a.id)
  log('agent_away', 'a', a.id)
  tell_rooms(a, 'agent_away')
  tell('agent', '-', a.id)
end
-- Who waits keeps the place; the slot of an agent who had been offered the visitor is the caller's to free.
local function visitor_away(v)
  local q = queue_of(v.queue)
  v.state, v.agent, v.token, v.since = 'a', '-', '-', int(now_ms)
  keep_visit(v)
  call('ZADD', TIMERS, int(now_ms + math.max(0, q and q.grace - q.ttl or 0)), 'v' .. v.id)
  log('away', 'v', v.id, 'q', v.queue, 'c', v.class, 't', v.ticket)
  tell('away', v.id, '-')
end
