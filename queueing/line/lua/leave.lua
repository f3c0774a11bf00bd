--[[ line/leave
Purpose: Ends a visit: the visitor leaves, a supervisor ends it, or it left a message instead. A desk whose data is not
  reliable yet ends no visit, because its rebuilding would overwrite that.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] outcome        left, form, removed
ARGV[3] by             who, for the history
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: ended, gone
  (word then: recovering, or nothing)
Errors: "no such desk", "script outdated …"
Complexity: O(log n + skill sets)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
if not desk.is_believed() then return visits.recovering() end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
if visit.state == 'ended' then return visits.reply(visit) end
local state, outcome = visit.state, ARGV[2]
if state == 'room' and outcome == 'left' then outcome = 'served' end
rooms.end_visit(visit, outcome, ARGV[3])
if state == 'room' or state == 'offered' then
  local agent = agents.read(visit.agent)
  rooms.leave_agent(agent, visit, state)
  matching.match_and_write(agent)
end
desk.close()
return visits.reply(visit)
