--[[ line/transfer
Purpose: Transfers a visitor to another agent or queue of the desk, from a room or from the line, at its original
  arrival.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] to             a agent, q queue
ARGV[3] target         its id
ARGV[4] class          new class, or ""
ARGV[5] front          1 = before all of its class; a visitor in a room of this queue stays there
ARGV[6] by             who, for the history
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; or a refusal: gone, ended, no_room (the
  agent has none, or one of the two is silent), full, no such queue
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + skill sets)
Version: 1
]]
-- Whether another agent may take a visitor over: it has a free slot for it, and neither is away or silent.
local function may_take_over(agent, visit)
  if agent.state ~= 'online' or agent.away or agent.pending ~= 'nothing' then return false end
  if agent.used >= agent.capacity or (agent.offered and agent.offered ~= visit.id) then return false end
  if visit.state == 'away' or silence.of_agent(agent) then return false end
  return not (visits.IN_LINE[visit.state] and silence.of_visitor(visit))
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
if visit.state == 'ended' then return visits.reply(visit) end
local to, target, class, by = ARGV[2], ARGV[3] or '', ARGV[4] or '', words.one(ARGV[6])
if to ~= 'a' and to ~= 'q' then return { 'malformed to' } end
if class ~= '' and not string.find(class, visits.CLASS) then return { 'malformed class' } end
local to_agent = to == 'a'
local other -- the agent that gets the visitor
if to_agent then
  if visit.agent == target and visit.state == 'room' then return visits.reply(visit) end
  other = agents.read(target)
  if not other or not may_take_over(other, visit) then return desk.answer('no_room') end
else
  if not queues.of(target) then return { 'no such queue' } end
  if ARGV[5] == '1' and target == visit.queue and visit.state == 'room' then return visits.reply(visit) end
  if target ~= visit.queue and not queues.takes(target) then return desk.answer('full') end
end

local from = visit.agent
if from ~= '-' then -- its agent's slot first, without taking the next yet
  local agent = to_agent and from == target and other or agents.read(from)
  rooms.leave_agent(agent, visit, visit.state)
  if agent ~= other then agents.write(agent) end
end
if class ~= '' then visit.class = class end
if ARGV[5] == '1' then visit.ticket = tickets.front() end
if to_agent then
  rooms.begin(visit, other, 'transferred_by_' .. by)
  matching.match_and_write(other) -- it may have been held back by this very offer
else
  visit.queue = target
  rooms.requeue(visit, visit.state == 'room' and 'transfer' or 'move', by)
end
-- The agent that it left takes who is next, so that the visitor overtakes nobody.
if from ~= '-' and not (to_agent and from == target) then -- a queue may have its agent's id
  matching.match_and_write(agents.read(from))
end
if not to_agent then
  visit = visits.read(visit.id)
  matching.match_visit(visit)
end
desk.close()
return visits.reply(visit)
