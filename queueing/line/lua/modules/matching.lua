-- Which agent serves which visitor. Without skills, this reads the head of one ordered set. With skills, it reads one
-- head for each set of needs or profiles of the desk. It never scans visitors or agents.
local matching = {}

-- The ID of the free agent for a visitor: fewest rooms first, then idle for longest. Returns nil if there is none.
function matching.best_agent(visit, conf)
  local best, best_id
  local declined = conf.mode == 'offer' and declines.passed_over(conf, 'visit', visit.id, 'agent')
  for profile = 0, desk.profiles do
    if skills.suffice(visit.need + 0, profile, desk.now - visit.joined, conf.relax_us) then
      local order, id = lines.head(lines.FREE, lines.of_skills(visit.queue, profile), declined)
      if order and (not best or order < best) then best, best_id = order, id end
    end
  end
  return best_id
end

-- The ID of the visit that an agent gets next: by class, then by arrival. Returns nil if there is none.
function matching.best_visit(agent)
  local best, best_id
  for digits in string.gmatch(agent.queues, agents.QUEUE) do
    local conf = queues.of(queues.id_of(digits))
    if conf and conf.mode ~= 'manual' then
      local declined = conf.mode == 'offer' and declines.passed_over(conf, 'agent', agent.id, 'visit')
      local order, id = lines.head(lines.READY, digits .. lines.NO_NEED, declined)
      if order and (not best or order < best) then best, best_id = order, id end
      for need = 1, desk.needs do
        order, id = matching.best_of_need(agent, digits, need, conf, best, declined)
        if order then best, best_id = order, id end
      end
    end
  end
  return best_id
end

-- Of a queue's visits with one set of needs that the agent meets: the first one before `best`, and its order. Visitors
-- whom the agent has declined are skipped. Each class is checked separately: needs relax with waiting, and the head of
-- a class has waited longest.
function matching.best_of_need(agent, queue, need, conf, best, declined)
  local found
  for class = 1, lines.CLASSES do
    local order, id = lines.head(lines.READY, lines.of_skills(queue, need) .. class, declined)
    if order and (not best or order < best) then
      local waited_us = desk.now - visits.read(id).joined
      if skills.suffice(need, agent.profile + 0, waited_us, conf.relax_us) then best, found = order, id end
    end
  end
  return found and best, found
end

-- The reason for this agent, for the history and the visitor's record.
function matching.reason(how, agent)
  local idle_s = math.max(0, math.floor((desk.now_ms - agent.since) / queues.SECOND_MS))
  return how .. '_rooms_' .. agent.rooms .. '_idle_s_' .. idle_s
end

function matching.serve(visit, agent, conf, reason)
  if conf.mode == 'offer' then offers.make(visit, agent, conf, reason) else rooms.begin(visit, agent, reason) end
end

-- The agent for a visitor, or nil. Agents who are not heard become away.
function matching.heard_agent(visit, conf)
  local id = matching.best_agent(visit, conf)
  while id do
    local agent = agents.read(id)
    if not silence.of_agent(agent) then return agent end
    if not silence.may_pass_over() then return nil end
    presence.agent_goes_away(agent)
    id = matching.best_agent(visit, conf)
  end
end

-- Gives a visitor this agent, who is heard and free. Both are written.
function matching.join_them(visit, agent, conf)
  matching.serve(visit, agent, conf, matching.reason('fewest_rooms_longest_idle', agent))
  agents.write(agent)
end

-- Looks for an agent for a visitor who may be matched. Returns true if the visitor is matched, or became away because
-- it is not heard. It is written then.
function matching.match_visit(visit)
  local conf = queues.of(visit.queue)
  if visit.state ~= 'waiting' or not desk.is_open or not conf or conf.mode == 'manual' then return false end
  local agent = matching.heard_agent(visit, conf)
  if not agent then return false end
  if silence.of_visitor(visit) then
    presence.visitor_goes_away(visit)
  else
    matching.join_them(visit, agent, conf)
  end
  return true
end

-- Gives an agent visitors until its slots are full. An agent who is not heard becomes away. The caller writes the
-- agent.
function matching.match_agent(agent)
  while desk.is_open and agents.place(agent) ~= '' do
    local id = matching.best_visit(agent)
    if not id then return end
    if silence.of_agent(agent) then
      presence.agent_goes_away(agent)
      return
    end
    local visit = visits.read(id)
    if not silence.of_visitor(visit) then
      matching.serve(visit, agent, queues.of(visit.queue), matching.reason('agent_became_free', agent))
    elseif silence.may_pass_over() then
      presence.visitor_goes_away(visit)
    else
      return
    end
  end
end

-- Like match_agent, and writes the agent.
function matching.match_and_write(agent)
  matching.match_agent(agent)
  agents.write(agent)
end
