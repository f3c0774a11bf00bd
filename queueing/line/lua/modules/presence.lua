-- Presence: heartbeats, people who become away or return, agents who come online or go offline.
local presence = {}

-- A visitor's heartbeat.
function presence.beat_visitor(visit)
  timers.start(timers.VISITOR .. visit.id, queues.ttl_ms(visit.queue))
  desk.stamp()
end

function presence.beat_agent(agent)
  timers.start(timers.AGENT .. agent.id, agent.ttl_ms)
  desk.stamp()
end

-- When an agent was last heard, in ms as text. '0' = it is offline.
function presence.heard_ms(agent)
  if agent.away then return int(math.max(0, agent.away - agent.ttl_ms)) end
  local due = agent.state ~= 'offline' and timers.due(timers.AGENT .. agent.id)
  return due and int(math.max(0, due - agent.ttl_ms)) or '0'
end

-- A visitor's heartbeat. One who was away returns to the same place or room.
function presence.welcome_visitor(visit)
  presence.beat_visitor(visit)
  if visit.state == 'away' then
    visit.state, visit.since = 'waiting', desk.at_ms
    visits.write(visit)
    visits.log('back', visit)
    matching.match_visit(visit)
  elseif visits.is_away_in_room(visit) then
    visit.token = '-'
    visits.write(visit)
    desk.log('room_back', 'v', visit.id, 'a', visit.agent, 'q', visit.queue)
    desk.tell('room_back', '-', visit.agent)
  end
end

-- A waiting visitor becomes away and keeps its place. If the visitor was offered to an agent, the caller frees the
-- agent's slot.
function presence.visitor_goes_away(visit)
  local conf = queues.of(visit.queue)
  visit.state, visit.agent, visit.token, visit.since = 'away', '-', '-', desk.at_ms
  visits.write(visit)
  timers.start(timers.VISITOR .. visit.id, math.max(0, conf and conf.grace_ms - conf.ttl_ms or 0))
  visits.log('away', visit)
  desk.tell('away', visit.id, '-')
end

-- An agent becomes away: it keeps its rooms and gets no new visitors. It has no offer (any more).
function presence.agent_goes_away(agent)
  agent.away = desk.at_ms
  agents.write(agent)
  timers.start(timers.AGENT .. agent.id, math.max(0, presence.grace_of(agent) - agent.ttl_ms))
  desk.log('agent_away', 'a', agent.id)
  presence.tell_rooms(agent, 'agent_away')
  desk.tell('agent', '-', agent.id)
end

-- An agent who was away is back in its earlier state. The caller writes it.
function presence.agent_comes_back(agent)
  if not agent.away then return end
  agent.away = nil
  desk.log('agent_back', 'a', agent.id)
  presence.tell_rooms(agent, 'agent_back')
end

-- Notifies the visitors in an agent's rooms at once.
function presence.tell_rooms(agent, kind)
  for letter, visit in agents.slots_of(agent) do
    if letter == agents.ROOM then desk.tell(kind, visit, '-') end
  end
end

-- How long an agent's rooms are kept while it is not heard, in ms: the longest time of its queues.
function presence.grace_of(agent)
  local longest = 0
  for digits in string.gmatch(agent.queues, agents.QUEUE) do
    local conf = queues.of(queues.id_of(digits))
    longest = math.max(longest, conf and conf.agent_grace_ms or 0)
  end
  return longest
end

-- Counts an agent as online in its queues (`by` = 1), or no longer (-1).
function presence.count_online(agent, by)
  for digits in string.gmatch(agent.queues, agents.QUEUE) do
    local id = queues.id_of(digits)
    local online = redis.call('HINCRBY', desk.tag, 'online:' .. id, by)
    if online == 0 and by < 0 then
      local conf = queues.of(id)
      desk.log('no_agent', 'q', id)
      if conf and conf.without_agents ~= 'wait' then timers.start(timers.NOBODY .. id, conf.no_agent_ms) end
    elseif online == 1 and by > 0 then
      timers.stop(timers.NOBODY .. id)
      desk.log('agents', 'q', id)
    end
  end
end

-- Logs an agent out, or marks it as lost. Its visitors go back to the line. kind: of the history entry; word: of the
-- agent's record. The agent is written.
function presence.take_offline(agent, kind, word, reason)
  agent.state, agent.pending, agent.word = 'offline', 'nothing', word
  if kind == 'logout' then desk.log(kind, 'a', agent.id, 'w', word) else desk.log(kind, 'a', agent.id) end
  rooms.give_back(agent, reason)
  presence.count_online(agent, -1)
  desk.tell('agent', '-', agent.id)
end

-- The pause or log-out that an agent has requested takes effect when it has no rooms left.
function presence.settle(agent)
  if agent.rooms > 0 or agent.pending == 'nothing' then return end
  local leaves = agent.pending == 'logout'
  agent.pending = 'nothing'
  agents.set_slots(agent, {})
  timers.stop(timers.WRAP_UP .. agent.id)
  if leaves then
    agent.state = 'offline'
    timers.stop(timers.AGENT .. agent.id)
    desk.log('logout', 'a', agent.id, 'w', agent.word)
    presence.count_online(agent, -1)
  else
    agent.state = 'paused'
    desk.log('pause', 'a', agent.id, 'w', agent.word)
  end
  agent.since = desk.at_ms
  desk.tell('agent', '-', agent.id)
end
