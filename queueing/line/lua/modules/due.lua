-- What happens when a timer is due. `batch`: how much one sweep may do.
-- Rarely needed.
local due = {}

due.LOOK_AGAIN_MS = 5000 -- while the other queue is full, or an agent has the visitor's offer
due.RELAXED_STEPS = 9 -- by then, nothing is left of a level

function due.handle(name, batch)
  local letter, id = string.match(name, timers.NAME)
  if letter == timers.VISITOR then due.visitor(id)
  elseif letter == timers.AGENT then due.agent(id)
  elseif letter == timers.OFFER then due.offer(id)
  elseif letter == timers.WRAP_UP then due.wrap_up(id)
  elseif letter == timers.LONGEST_WAIT then due.longest_wait(id)
  elseif letter == timers.RELAX then due.relax(id)
  elseif letter == timers.NOBODY then due.nobody(id, batch)
  elseif letter == timers.DECLINES then declines.look() end
end

-- The time counts from when people could be heard again, so an outage of the service makes no one away. Returns true if
-- the timer was postponed.
function due.is_put_off(name, ms)
  if silence.heard_for(ms) then return false end
  timers.set(name, desk.heard_since + ms)
  return true
end

-- A visitor is not heard: it is away first, then lost. A visit that has ended is deleted.
function due.visitor(id)
  local visit = visits.read(id)
  if not visit then return end
  if visit.state == 'ended' then
    redis.call('HDEL', desk.tag .. ':visits', id)
  elseif due.is_put_off(timers.VISITOR .. id, silence.limit_of(visit)) then
    return
  elseif visit.state == 'away' then
    rooms.end_visit(visit, 'lost', 'sweep')
  elseif visit.state == 'room' then
    due.visitor_in_room(visit)
  else
    due.visitor_in_line(visit)
  end
end

function due.visitor_in_room(visit)
  local conf = queues.of(visit.queue)
  local left_ms = (conf and conf.room_grace_ms or queues.ROOM_GRACE_MS) - queues.ttl_ms(visit.queue)
  if visit.token == '-' and left_ms > 0 then
    visit.token = desk.at_ms
    visits.write(visit)
    timers.start(timers.VISITOR .. visit.id, left_ms)
    desk.log('room_away', 'v', visit.id, 'a', visit.agent, 'q', visit.queue)
    desk.tell('room_away', '-', visit.agent)
    return
  end
  local agent = agents.read(visit.agent)
  rooms.end_visit(visit, 'visitor lost', 'sweep')
  rooms.free_slot(agent, visit, false)
  matching.match_and_write(agent)
end

function due.visitor_in_line(visit)
  local agent = visit.state == 'offered' and agents.read(visit.agent)
  presence.visitor_goes_away(visit)
  if not agent then return end
  offers.drop(agent, visit)
  presence.settle(agent)
  matching.match_and_write(agent)
end

-- An agent is not heard: it is away first, then offline.
function due.agent(id)
  local agent = agents.read(id)
  if not agent or agent.state == 'offline' then return end
  local grace_ms = presence.grace_of(agent)
  if due.is_put_off(timers.AGENT .. id, agent.away and grace_ms or agent.ttl_ms) then return end
  if agent.away or grace_ms <= agent.ttl_ms then
    timers.stop(timers.OFFER .. id, timers.WRAP_UP .. id)
    presence.take_offline(agent, 'agent_lost', 'lost', 'agent_lost')
    return
  end
  local offered = agent.offered and visits.read(agent.offered)
  if offered then offers.drop(agent, offered) end
  presence.agent_goes_away(agent)
  if offered then
    rooms.requeue(offered, 'withdrawn', 'agent_away')
    matching.match_visit(offered)
  end
end

-- An offer has expired: it counts as missed.
function due.offer(id)
  local agent = agents.read(id)
  if not agent or not agent.offered then return end
  local visit = visits.read(agent.offered)
  local conf = queues.of(visit.queue)
  if due.is_put_off(timers.OFFER .. id, conf and conf.offer_ms or 0) then return end
  agents.drop_slot(agent, agents.OFFER, visit.id)
  offers.pass_on(agent, visit, 'missed', 'offer_missed')
end

-- Wrap-ups have ended: their slots are free.
function due.wrap_up(id)
  local agent = agents.read(id)
  if not agent then return end
  local left, next_ms = {}, nil
  for kind, what in agents.slots_of(agent) do
    local ends = kind == agents.WRAP_UP and what + 0
    if not ends or ends > desk.now_ms then left[#left + 1] = kind .. what end
    if ends and ends > desk.now_ms then next_ms = math.min(next_ms or ends, ends) end
  end
  agents.set_slots(agent, left)
  if next_ms then timers.set(timers.WRAP_UP .. id, next_ms) end
  desk.log('ready', 'a', id)
  presence.settle(agent)
  matching.match_and_write(agent)
  desk.tell('agent', '-', id)
end

-- A visitor has waited for its queue's longest wait.
function due.longest_wait(id)
  local visit = visits.read(id)
  if not visit or not visits.IN_LINE[visit.state] then return end
  if visit.state == 'offered' then return timers.start(timers.LONGEST_WAIT .. id, due.LOOK_AGAIN_MS) end
  local conf = queues.of(visit.queue)
  if not conf or conf.overflow == '0' or not queues.takes(conf.overflow) then
    rooms.end_visit(visit, 'max wait', 'sweep')
    return
  end
  rooms.overflow(visit, conf.overflow, 'max_wait')
  timers.stop(timers.LONGEST_WAIT .. id) -- a visitor overflows once; it stays in the other queue
  matching.match_visit(visit)
end

-- A level that a visitor needs has fallen by one.
function due.relax(id)
  local visit = visits.read(id)
  if not visit or not visits.IN_LINE[visit.state] then return end
  local conf = queues.of(visit.queue)
  matching.match_visit(visit)
  if not visits.IN_LINE[visit.state] or not conf or conf.relax_us == 0 then return end
  if desk.now - visit.joined < due.RELAXED_STEPS * conf.relax_us then
    timers.start(timers.RELAX .. id, conf.relax_us / desk.MS_US)
  end
end

-- A queue has had no agents for long: its visitors move to another queue, or their visits end.
function due.nobody(id, batch)
  local conf = queues.of(id)
  if not conf or conf.without_agents == 'wait' or queues.online(id) ~= 0 then return end
  local entries = lines.some(lines.WAITING, lines.of_queue(id), batch)
  local stuck = false
  for _, entry in ipairs(entries) do
    local visit = visits.read(lines.id_of(entry))
    if conf.without_agents ~= 'overflow' then
      rooms.end_visit(visit, conf.without_agents == 'form' and 'form' or 'no agent', 'sweep')
    elseif queues.takes(conf.overflow) then
      rooms.overflow(visit, conf.overflow, 'no_agent')
      matching.match_visit(visit)
    else
      stuck = true
    end
  end
  if #entries == batch or stuck then timers.start(timers.NOBODY .. id, stuck and due.LOOK_AGAIN_MS or 0) end
end
