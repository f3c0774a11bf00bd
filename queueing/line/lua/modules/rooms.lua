-- Rooms: how they begin and end, and what that means for the agent's slot and the visitor.
local rooms = {}

-- The visitor enters a room of this agent, whom the caller writes. A visitor who is transferred while away stays away.
function rooms.begin(visit, agent, reason)
  if not visits.is_away_in_room(visit) then visit.token = '-' end
  visit.state, visit.agent, visit.since, visit.word = 'room', agent.id, desk.at_ms, reason
  agents.add_slot(agent, agents.ROOM, visit.id)
  agent.misses = 0
  timers.stop(timers.LONGEST_WAIT .. visit.id, timers.RELAX .. visit.id)
  local movement = visits.movement(visit)
  calls.look_now(visit)
  visits.write(visit)
  local waited_ms = math.max(0, math.floor((desk.now - visit.joined) / desk.MS_US))
  visits.log_with('room', visit, agent.id, 'd', movement, 'w', reason, 'ms', int(waited_ms))
  desk.tell('room', visit.id, agent.id)
  desk.answered = int(desk.answered + 1)
end

-- Ends a visit, in a room or not. The caller frees the agent's slot. `by`: who ended it, for the history.
function rooms.end_visit(visit, outcome, by)
  local in_room = visit.state == 'room'
  visit.state, visit.word, visit.token, visit.since = 'ended', words.one(outcome), '-', desk.at_ms
  timers.start(timers.VISITOR .. visit.id, visits.REMEMBERED_MS)
  if not in_room then timers.stop(timers.LONGEST_WAIT .. visit.id, timers.RELAX .. visit.id) end -- a room has none
  local movement = visits.movement(visit)
  calls.look_now(visit)
  visits.write(visit)
  visits.log_with('end', visit, visit.agent, 'd', movement, 'w', outcome, 'by', by or '', 'r', in_room and '1' or '0')
  desk.tell('end', visit.id, visit.agent)
  if not in_room then desk.abandoned = int(desk.abandoned + 1) end
end

-- Frees a room's slot, after the wrap-up if there is one. The caller matches and writes the agent.
function rooms.free_slot(agent, visit, with_wrap_up)
  agents.drop_slot(agent, agents.ROOM, visit.id)
  agent.since = desk.at_ms
  local conf = queues.of(visit.queue)
  if with_wrap_up and conf and conf.wrap_up_ms > 0 and agent.pending == 'nothing' then
    rooms.wrap_up(agent, visit, desk.now_ms + conf.wrap_up_ms)
  end
  presence.settle(agent)
end

-- A wrap-up takes the slot until `ends`. The agent's timer is set to the wrap-up that ends first.
function rooms.wrap_up(agent, visit, ends)
  agents.add_slot(agent, agents.WRAP_UP, int(ends))
  local due = timers.due(timers.WRAP_UP .. agent.id)
  if not due or due + 0 > ends then timers.set(timers.WRAP_UP .. agent.id, ends) end
  desk.log('wrapup', 'a', agent.id, 'v', visit.id, 'q', visit.queue)
end

-- Frees the agent's slot for the visitor's room or offer. The agent doesn't get the next visitor yet.
function rooms.leave_agent(agent, visit, state)
  if state == 'room' then
    rooms.free_slot(agent, visit, true)
  else
    offers.drop(agent, visit)
    presence.settle(agent)
  end
end

-- Puts a visitor back in line, at its original arrival. One who was away in the room stays away. After a room, the
-- visit's word has the reason, because the page shows it before SQL has it.
function rooms.requeue(visit, kind, reason)
  local from, is_away = visit.agent, visits.is_away_in_room(visit)
  local waits_anew = visit.state == 'room' or visit.queue ~= visit.queue_before
  visit.word = visit.state == 'room' and kind or '-'
  visit.state, visit.agent, visit.since = is_away and 'away' or 'waiting', '-', desk.at_ms
  visit.token = '-'
  local conf = queues.of(visit.queue)
  if is_away then timers.start(timers.VISITOR .. visit.id, conf and conf.grace_ms or 0) end
  local movement = visits.movement(visit)
  calls.look_now(visit)
  visits.write(visit)
  if conf then
    if waits_anew then timers.restart_longest_wait(visit, conf) end
    timers.start_relax(visit, conf)
  end
  visits.log_with(kind, visit, from, 'd', movement, 'w', reason)
  if is_away then visits.log('away', visit) end
  desk.tell(kind, visit.id, from)
end

-- Puts all visitors of an agent back in line. The agent is written first, so that no visitor is matched to it.
function rooms.give_back(agent, reason)
  local back = {}
  for kind, id in agents.slots_of(agent) do
    if kind ~= agents.WRAP_UP then back[#back + 1] = id end
  end
  agents.set_slots(agent, {})
  agents.write(agent)
  for place, id in ipairs(back) do
    local visit = visits.read(id)
    rooms.requeue(visit, visit.state == 'room' and 'returned' or 'withdrawn', reason)
    back[place] = visit
  end
  for _, visit in ipairs(back) do matching.match_visit(visit) end
end

-- Moves a waiting visitor to another queue that takes it, at its original arrival. One who is away stays away.
function rooms.overflow(visit, queue, reason)
  visit.queue = queue
  if visit.state == 'away' then
    local movement = visits.movement(visit)
    visits.write(visit)
    timers.restart_longest_wait(visit, queues.of(queue))
    visits.log('overflow', visit, 'd', movement, 'w', reason)
  else
    rooms.requeue(visit, 'overflow', reason)
  end
end
