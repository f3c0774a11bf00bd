-- The clock was ahead and is put back: what is further ahead of now than it can last counts from now. A piece of the
-- timers at a time; each visit and each agent online has one. Arrivals keep their order: tickets stay as they are.
-- In: place, of the walk. Out: place, "0" = it is done.
local function past(ms) return ms + 0 > now_ms and int(now_ms) or ms end
local wrap, offered_for = 0, 0
for _, id in ipairs(call('HKEYS', QUEUES)) do
  local q = queue_of(id)
  wrap, offered_for = math.max(wrap, q.wrap), math.max(offered_for, q.offer)
end
local function agent_anew(id)
  local a = agent_of(id)
  if not a then return nil end
  a.since, a.login, a.away = past(a.since), past(a.login), a.away and past(a.away)
  local slots = {}
  for slot in slots_of(a) do
    local ends = tonumber(match(slot, '^w(%d+)$'))
    slots[#slots + 1] = ends and 'w' .. int(math.min(ends, now_ms + wrap)) or slot
  end
  a.slots = slots[1] and table.concat(slots, ',') or '-'
  keep_agent(a)
  return a.away and agent_grace(a) or a.ttl
end
local function visit_anew(v)
  if v.joined + 0 > now then v.joined = int(now) end
  v.since = past(v.since)
  if away_in_room(v) then v.token = past(v.token) end
  keep_visit(v)
  return v.state == 'e' and 600000 or silence_of(v)
end
-- How long a timer can last at most, in ms.
local function lasts(kind, id)
  if kind == 'a' then return agent_anew(id) end
  if kind == 'w' then return wrap end
  if kind == 'o' then return offered_for end
  local v = kind ~= 'n' and visit_of(id)
  local q = queue_of(v and v.queue or id)
  if kind == 'n' then return q and math.max(q.no_agent_ms, 5000) end
  if v and kind == 'v' then return visit_anew(v) end
  if v and q and kind == 'm' then return q.longest > 0 and q.longest end
  return v and q and q.relax / 1000
end
local page = call('ZSCAN', TIMERS, place, 'COUNT', batch)
for i = 1, #page[2], 2 do
  local timer = page[2][i]
  local most = lasts(sub(timer, 1, 1), sub(timer, 2))
  if most and page[2][i + 1] - now_ms > most then call('ZADD', TIMERS, int(now_ms + most), timer) end
end
-- Calls back are looked at now: how long each could wait is not known here, and a look does no harm.
local late = calls > 0 and call('ZRANGEBYSCORE', CALLS, '(' .. int(now_ms), '+inf', 'LIMIT', 0, batch) or {}
for i = 1, #late do call('ZADD', CALLS, int(now_ms), late[i]) end
place = page[1]
