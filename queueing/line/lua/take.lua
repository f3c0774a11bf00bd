--[[ line/take
Purpose: An agent takes the next visitor, or a chosen one. Manual queues work this way.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] visit          or "" = the next of its queues
ARGV[3] by             who, for the history
Reply: [answer, seq, visit]; answer: ok, repeat, nobody, no_room (no free slot, paused), away, taken
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(queues × log n), for each of at most 20 silent visitors that are passed over
Version: 1
]]
local function first_visit(agent)
  local best, best_id
  for digits in string.gmatch(agent.queues, agents.QUEUE) do
    for need = 0, desk.needs do
      local order, id = lines.head(lines.READY, lines.of_skills(digits, need))
      if order and (not best or order < best) then best, best_id = order, id end
    end
  end
  return best_id and visits.read(best_id)
end

-- The first visit that an agent may take by hand, whatever it needs; silent ones are away from now on. nil = nobody.
local function next_heard(agent)
  local visit = first_visit(agent)
  while visit and silence.of_visitor(visit) and silence.may_pass_over() do
    presence.visitor_goes_away(visit)
    visit = first_visit(agent)
  end
  return visit
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local id, by = ARGV[2] or '', words.one(ARGV[3])
local visit = id ~= '' and visits.read(id) or nil
if visit and visit.state == 'room' and visit.agent == agent.id then return { 'repeat', int(desk.seq), id } end
if agent.state ~= 'online' or agent.pending ~= 'nothing' or agent.used >= agent.capacity then
  return { 'no_room', int(desk.seq), '' }
end
if not desk.is_open then return { 'nobody', int(desk.seq), '' } end
if id ~= '' then
  local is_free = visit and (visits.IN_LINE[visit.state] and (visit.state ~= 'offered' or visit.agent == agent.id))
  if not is_free then return { 'taken', int(desk.seq), '' } end
  if visit.state == 'away' then return { 'away', int(desk.seq), '' } end
else
  visit = next_heard(agent)
end

local answer = 'nobody'
if visit then
  answer = silence.of_visitor(visit) and 'away' or 'ok'
  if visit.state == 'offered' then offers.drop(agent, visit) end
  if answer == 'away' then
    presence.visitor_goes_away(visit)
  else
    rooms.begin(visit, agent, by ~= '' and 'taken_by_' .. by or 'taken_by_the_agent')
  end
  matching.match_and_write(agent)
end
desk.close()
return { answer, int(desk.seq), answer == 'ok' and visit.id or '' }
