-- After the clock was set back: times that are further ahead than they can be count from now. Corrects some timers at a
-- time; each visit and each online agent has one. Arrivals keep their order, because tickets don't change.
-- Rarely needed.
local repair = {}

-- Corrects some timers, from the cursor `place` on. Returns the next cursor, or '0' at the end.
function repair.put_back(place, batch)
  local next_place, timers_found = unpack(redis.call('ZSCAN', desk.tag .. ':timers', place, 'COUNT', batch))
  for first = 1, #timers_found, 2 do
    local name, at_ms = timers_found[first], timers_found[first + 1]
    local most = repair.longest(name)
    if most and at_ms - desk.now_ms > most then timers.start(name, most) end
  end
  repair.look_at_calls(batch)
  return next_place
end

-- The longest time that a timer can run, in ms, or false or nil if it is not known. Its visit or agent is corrected,
-- too.
function repair.longest(name)
  local letter, id = string.match(name, timers.NAME)
  if letter == timers.AGENT then return repair.agent(id) end
  if letter == timers.WRAP_UP then return repair.longest_of_queues('wrap_up_ms') end
  if letter == timers.OFFER then return repair.longest_of_queues('offer_ms') end
  if letter == timers.DECLINES then return declines.LOOK_MS end
  if letter == timers.NOBODY then
    local conf = queues.of(id)
    return conf and math.max(conf.no_agent_ms, due.LOOK_AGAIN_MS)
  end
  local visit = visits.read(id)
  if not visit then return nil end
  if letter == timers.VISITOR then return repair.visitor(visit) end
  local conf = queues.of(visit.queue)
  if not conf then return nil end
  if letter == timers.LONGEST_WAIT then return conf.longest_wait_ms > 0 and conf.longest_wait_ms end
  return conf.relax_us / desk.MS_US
end

-- The largest value of a setting in all queues.
function repair.longest_of_queues(name)
  local longest = 0
  for _, id in ipairs(queues.ids()) do longest = math.max(longest, queues.of(id)[name]) end
  return longest
end

-- A time in ms that is not in the future, as text.
function repair.past(ms)
  return ms + 0 > desk.now_ms and desk.at_ms or ms
end

function repair.agent(id)
  local agent = agents.read(id)
  if not agent then return nil end
  agent.since, agent.login = repair.past(agent.since), repair.past(agent.login)
  agent.away = agent.away and repair.past(agent.away)
  local latest, slots = desk.now_ms + repair.longest_of_queues('wrap_up_ms'), {}
  for kind, what in agents.slots_of(agent) do
    if kind == agents.WRAP_UP then what = int(math.min(what + 0, latest)) end
    slots[#slots + 1] = kind .. what
  end
  agents.set_slots(agent, slots)
  agents.write(agent)
  return agent.away and presence.grace_of(agent) or agent.ttl_ms
end

function repair.visitor(visit)
  if visit.joined + 0 > desk.now then visit.joined = desk.at end
  visit.since = repair.past(visit.since)
  if visits.is_away_in_room(visit) then visit.token = repair.past(visit.token) end
  visits.write(visit)
  return visit.state == 'ended' and visits.REMEMBERED_MS or silence.limit_of(visit)
end

-- Callbacks are checked now. How long each could wait is not known here, and a check does no harm.
function repair.look_at_calls(batch)
  if desk.calls == 0 then return end
  local key = desk.tag .. ':calls'
  local late = redis.call('ZRANGEBYSCORE', key, '(' .. desk.at_ms, '+inf', 'LIMIT', 0, batch)
  for _, visit in ipairs(late) do redis.call('ZADD', key, desk.at_ms, visit) end
end
